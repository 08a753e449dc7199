# Counts words, groups and sorts records, splits and joins lines, walks a tree: `ruby.rb N`. Strings are longer than what
# fits into ruby's own slots, so they, arrays and hashes are malloc's; ruby's collector frees them. Deterministic but for the
# seed of its hashes; every total is computed twice, and a difference ends it with an error.

n = Integer(ARGV[0] || abort("usage: ruby.rb N"))
$state = 12345
def number(below)
  $state = ($state * 1103515245 + 12345) & 0x7fffffff
  ($state >> 8) % below
end

def same(what, a, b)
  abort("#{what}: #{a.inspect} and not #{b.inspect}") unless a == b
end

Record = Struct.new(:id, :name, :city, :amount, :notes)
Node = Struct.new(:key, :values, :left, :right)

def insert(node, key, value)
  return Node.new(key, [value]) unless node

  case key <=> node.key
  when 0 then node.values << value
  when -1 then node.left = insert(node.left, key, value)
  else node.right = insert(node.right, key, value)
  end
  node
end

def walk(node, &block)
  return unless node

  walk(node.left, &block)
  block.call(node)
  walk(node.right, &block)
end

kept = []
3.times do |round|
  total = 0
  text = (1..n).map do |id|
    total += amount = number(100_000)
    notes = Array.new(3 + number(5)) { "note#{number(700)}" }
    "#{id};customer number #{number(9973)} of the list;city of #{number(300)};#{amount};#{notes.join(' ')}\n"
  end.join

  records = text.each_line(chomp: true).map do |line|
    id, name, city, amount, notes = line.split(";")
    Record.new(id.to_i, name, city, amount.to_i, notes.split)
  end
  same("amounts", records.sum(&:amount), total)

  cities = records.group_by(&:city)
  ranked = cities.map { |city, members| [members.sum(&:amount), city, members] }
                 .sort { |a, b| [-a[0], a[1]] <=> [-b[0], b[1]] }
  same("cities", ranked.sum(&:first), total)

  words = Hash.new(0)
  records.each { |record| record.notes.each { |note| words[note] += 1 } }
  same("notes", words.values.sum, text.scan(/\bnote\d+/).size)

  tree = nil
  records.each { |record| tree = insert(tree, record.name, record.id) }
  in_order = []
  walk(tree) { |node| in_order << node.key }
  same("the tree", in_order, records.map(&:name).uniq.sort)

  pages = ranked.map do |sum, city, members|
    lines = members.sort_by { |m| [m.amount, m.id] }.map { |m| format("%8d  %-36s %s", m.amount, m.name, m.notes.map(&:capitalize).join(", ")) }
    "#{city.upcase}: #{sum}\n#{lines.join("\n")}\n"
  end
  read = pages.join.gsub(/number (\d+)/) { "no. #{$1.to_i + 1}" }.scan(/^ *(\d+)  customer no\. \d+/)
  same("the pages", read.sum { |amount,| amount.to_i }, total)

  # A part outlives its round, so that memory is never all free again.
  kept.concat(records.select { |record| record.id % 16 == round })
end
puts "#{kept.size} #{$state}"
