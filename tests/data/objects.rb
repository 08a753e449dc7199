# Strings, hashes, patterns, closures, threads, fibers, children, compaction and a collector that runs at every step.
require 'json'
require 'set'
require 'digest'
require 'zlib'
require 'stringio'

srand(42)
def say(what, value) = puts("#{what} #{value.is_a?(String) || value.is_a?(Numeric) ? value : Digest::MD5.hexdigest(Marshal.dump(value))}")

words = Array.new(40_000) { Array.new(1 + rand(30)) { (97 + rand(10)).chr }.join }
say :words, words
say :tally, words.map { |w| w[0, 2] }.tally.sort
say :groups, words.group_by(&:size).transform_values(&:size).sort
text = words.sort_by { |w| [w.size, w] }.join(' ')
say :gsub, text.gsub(/([a-c]+)(\w)\2/) { "<#{$1.upcase}>" }.size
say :scan, text.scan(/\b(?<head>\w)\w*\k<head>\b/).size
say :squeezed, text.tr('a-e', 'b-f').squeeze.crypt('ab')
say :symbols, words.first(3000).map(&:to_sym).uniq.size

tree = words.first(5000).each_with_index.to_h { |w, i| [w, { 'at' => i, 'half' => i / 2.0, 'list' => [w] * (i % 5) }] }
json = JSON.pretty_generate(tree)
say :json, JSON.parse(json) == tree ? json.size : 'DIFFERENT'
say :marshal, Marshal.load(Marshal.dump(tree)) == tree ? 'same' : 'DIFFERENT'
say :zlib, Zlib::Inflate.inflate(Zlib::Deflate.deflate(json, 9)) == json ? 'same' : 'DIFFERENT'
say :big, (1..900).inject(:*).to_s.size
say :set, words.to_set.size
io = StringIO.new
2000.times { |i| io.printf("%05d %s\n", i, words[i]) }
say :io, io.string.size

threads = 6.times.map do |n|
  Thread.new do
    mine = (0...6000).map { |i| ("#{n}-#{i}" * (i % 20)).freeze }
    mine.select.with_index { |_, i| i % 3 == n % 3 }.sum(&:size)
  end
end
say :threads, threads.map(&:value)
fibers = 200.times.map { |n| Fiber.new { |x| loop { x = Fiber.yield(x.to_s * n) } } }
say :fibers, fibers.sum { |f| f.resume(7).size + f.resume(12).size }
lazy = (1..Float::INFINITY).lazy.map { |i| i * i }.select { |i| i.to_s.end_with?('6') }.first(300)
say :lazy, lazy

children = 8.times.map do |n|
  from, to = IO.pipe
  pid = fork do
    from.close
    to.write(Array.new(3000) { |i| "#{n}:#{i}" }.join(',').size)
    to.close
    exit!(n)
  end
  to.close
  [from.read, Process.wait2(pid)[1].exitstatus]
end
say :children, children.inspect
say :backticks, `echo from a child`.chomp

kept = Array.new(50_000) { |i| i.even? ? "string number #{i} that does not fit into its slot" : { i => [i] } }
kept.reject!.with_index { |_, i| i % 7 != 0 }
GC.start
GC.compact if GC.respond_to?(:compact)
say :compacted, kept
# At every step it marks what is left.
words = text = tree = json = kept = nil
GC.start
GC.stress = true
say :stress, (1..30).map { |i| "x#{i}" * 3 }.join.size
GC.stress = false
ObjectSpace.each_object(String).first(10)
puts 'done'
