<?php
// Arrays, strings, patterns, JSON, objects, and a little of every module that php loads as a library of its own.
mt_srand(42);

function words(int $count): array {
    $words = [];
    for ($i = 0; $i < $count; $i++) {
        $word = '';
        for ($j = mt_rand(1, 30); $j > 0; $j--) $word .= chr(97 + mt_rand(0, 9));
        $words[] = $word;
    }
    return $words;
}

function say(string $what, $value): void {
    echo $what, ' ', is_scalar($value) ? $value : md5(json_encode($value)), "\n";
}

$words = words(30000);
$counts = array_count_values(array_map(fn($w) => substr($w, 0, 2), $words));
arsort($counts, SORT_NUMERIC);
ksort($counts);
say('counts', $counts);
usort($words, fn($a, $b) => [strlen($a), $a] <=> [strlen($b), $b]);
say('sorted', $words);
say('unique', count(array_unique($words)));
$text = implode(' ', $words);
say('text', strlen($text));
say('replaced', md5(str_replace(['aa', 'bb'], ['<a>', ''], strrev($text))));
say('pieces', count(preg_split('/(?<=a)b|c{2,}/', $text)));
say('callback', md5(preg_replace_callback('/\b([a-j])(\w*)\1\b/', fn($m) => strtoupper($m[0]), $text)));
preg_match_all('/(?<head>[a-c]+)(?<tail>[d-j]+)/', substr($text, 0, 100000), $matches, PREG_SET_ORDER);
say('matches', count($matches));

$tree = [];
foreach (array_slice($words, 0, 4000) as $i => $word) {
    $node = &$tree;
    foreach (str_split(substr($word, 0, 6), 2) as $part) $node = &$node[$part];
    $node['#'] = ['at' => $i, 'half' => $i / 2, 'text' => "\u{e9}$word\n"];
    unset($node);
}
$json = json_encode($tree, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE);
say('json', strlen($json));
say('back', json_decode($json, true) === $tree ? 'same' : 'DIFFERENT');
say('serialized', unserialize(serialize($tree)) == $tree ? 'same' : 'DIFFERENT');

class Node {
    public ?Node $next = null;
    public ?Node $back = null;
    public function __construct(public string $value) {}
}
for ($round = 0; $round < 20; $round++) {
    $first = $last = new Node('0');
    for ($i = 1; $i < 2000; $i++) {
        $last->next = new Node(str_repeat((string)$i, $i % 50));
        $last->next->back = $last;
        $last = $last->next;
    }
    $first = $last = null;
}
say('cycles', gc_collect_cycles() > 0 ? 'collected' : 'none');
function squares(int $to) { for ($i = 0; $i < $to; $i++) yield $i => $i * $i; }
say('generator', array_sum(iterator_to_array(squares(5000))));

// What follows is in libraries of their own, opened with RTLD_DEEPBIND.
$db = new PDO('sqlite::memory:');
$db->exec('CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)');
$insert = $db->prepare('INSERT INTO t (word) VALUES (?)');
$db->beginTransaction();
foreach (array_slice($words, 0, 5000) as $word) $insert->execute([$word]);
$db->commit();
say('pdo', $db->query('SELECT substr(word, 1, 1) w, count(*) n, max(word) m FROM t GROUP BY w ORDER BY w')->fetchAll(PDO::FETCH_ASSOC));
$db = $insert = null;

$dom = new DOMDocument();
$root = $dom->appendChild($dom->createElement('root'));
foreach (array_slice($words, 0, 3000) as $i => $word) {
    $child = $root->appendChild($dom->createElement('w', $word));
    $child->setAttribute('n', (string)$i);
    if ($i % 3 == 0) $root->removeChild($child);
}
$xml = $dom->saveXML();
say('dom', md5($xml));
say('xpath', (new DOMXPath($dom))->query('//w[@n mod 7 = 1 and contains(., "a")]')->length);
say('simplexml', count(simplexml_load_string($xml)->w));
say('mbstring', mb_strtoupper(mb_convert_encoding("stra\u{df}e \u{e4}\u{f6}\u{fc} " . substr($text, 0, 50), 'UTF-8', 'UTF-8')));
$collator = new Collator('de_DE');
$sorted = ['Zug', "\u{c4}rger", 'Apfel', "\u{d6}l", 'Ofen'];
$collator->sort($sorted);
say('intl', implode(' ', $sorted) . ' ' . (new NumberFormatter('de_DE', NumberFormatter::DECIMAL))->format(1234567.891));
$image = imagecreatetruecolor(300, 200);
for ($i = 0; $i < 300; $i++) {
    $colour = imagecolorallocate($image, $i % 256, $i * 7 % 256, $i * 13 % 256);
    imagefilledellipse($image, mt_rand(0, 299), mt_rand(0, 199), $i % 60, $i % 40, $colour);
}
ob_start();
imagepng(imagerotate($image, 30, 0));
say('gd', md5(ob_get_clean()));
$handles = array_map(fn($i) => curl_init("file:///dev/null?$i"), range(1, 50));
foreach ($handles as $handle) curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
say('curl', implode('', array_map('curl_exec', $handles)) . curl_escape($handles[0], "a b\u{e9}"));
say('mysqli', mysqli_init() instanceof mysqli ? 'made' : 'none');
say('pgsql', pg_escape_string("it's"));
say('zlib', md5(gzuncompress(gzcompress($text, 6))));
echo "done\n";
