<?php
// Builds, prints and reads json, fills and sorts arrays, matches patterns, renders a template: `php.php N`. Deterministic;
// what is read must be what was written, and every total is computed twice. With USE_ZEND_ALLOC=0 every value that php
// makes is malloc's.

ini_set('memory_limit', '-1');
$n = (int)($argv[1] ?? 0);
$state = 12345;
function number(int $below): int
{
    global $state;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $below;
}
function same(string $what, mixed $a, mixed $b): void
{
    if ($a !== $b) {
        fwrite(STDERR, "$what: " . var_export($a, true) . ' and not ' . var_export($b, true) . "\n");
        exit(1);
    }
}

same('the number of records', $n > 0, true);
final class Item
{
    /** @param string[] $tags */
    public function __construct(public string $name, public int $price, public array $tags, public ?Item $next = null)
    {
    }
    public function row(): string
    {
        return sprintf('<tr><td>%s</td><td>%d.%02d</td><td>%s</td></tr>', htmlspecialchars($this->name),
            intdiv($this->price, 100), $this->price % 100, implode(', ', $this->tags));
    }
}

$kept = [];
for ($round = 0; $round < 3; $round++) {
    $shop = [];
    $total = 0;
    for ($i = 0; $i < $n; $i++) {
        $total += $price = number(100000);
        $tags = [];
        for ($k = number(6); $k >= 0; $k--) {
            $tags[] = 'tag' . number(64);
        }
        $shop[] = ['id' => $i, 'name' => 'item <' . number(9973) . '> & ' . dechex($price), 'price' => $price, 'tags' => $tags,
            'size' => ['w' => number(99), 'h' => number(99), 'd' => $i % 3 ? number(99) / 4 : null]];
    }
    $text = json_encode($shop, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR);
    $read = json_decode($text, true, 8, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    same('json', json_encode($read, JSON_PRETTY_PRINT) === $text, true);
    same('prices', array_sum(array_column($read, 'price')), $total);

    // Grouped by tag, each group sorted; objects that hold each other.
    $groups = [];
    $last = null;
    foreach ($read as $record) {
        $last = new Item($record['name'], $record['price'], $record['tags'], $record['id'] % 7 ? $last : null);
        foreach (array_unique($record['tags']) as $tag) {
            $groups[$tag][] = $last;
        }
    }
    ksort($groups, SORT_NATURAL);
    $rows = 0;
    foreach ($groups as $tag => &$items) {
        usort($items, fn(Item $a, Item $b) => $a->price <=> $b->price ?: strcmp($a->name, $b->name));
        $rows += count($items);
    }
    unset($items);

    // A page of all of it, and what a reader takes from it.
    ob_start();
    foreach ($groups as $tag => $items) {
        echo "<h2>", ucfirst($tag), "</h2>\n<table>\n";
        foreach ($items as $item) {
            echo $item->row(), "\n";
        }
        echo "</table>\n";
    }
    $page = ob_get_clean();
    same('rows', preg_match_all('~<td>item &lt;(\d+)&gt; &amp; [0-9a-f]+</td><td>(\d+)\.(\d\d)</td>~', $page, $found, PREG_SET_ORDER), $rows);
    $sum = 0;
    foreach ($found as [, , $whole, $part]) {
        $sum += 100 * (int)$whole + (int)$part;
    }
    same('sum', $sum, array_sum(array_map(fn($items) => array_sum(array_map(fn($i) => $i->price, $items)), $groups)));
    $words = array_count_values(preg_split('/\W+/', strtolower(html_entity_decode(strip_tags($page))), -1, PREG_SPLIT_NO_EMPTY));
    arsort($words);
    same('words', $words['item'], $rows);
    same('serialized', count(unserialize(serialize($groups))), count($groups));

    // A part outlives its round, so that memory is never all free again.
    $kept[] = array_filter($read, fn($record) => $record['id'] % 16 === 0);
}
echo array_sum(array_map('count', $kept)), ' ', $state, "\n";
