# Hashes, sorts, regular expressions, closures and strings that grow; prints sums of what it kept.
use strict;
use warnings;

my $seed = 12345;
sub draw { $seed = ($seed * 1103515245 + 12345) % 2147483648; return int($seed / 65536) % $_[0] }
sub word { return join '', map { chr(97 + draw(10)) } 1 .. 1 + draw(40) }

my (%count, %lists);
for my $i (1 .. 40_000) {
    my $word = word();
    $count{substr $word, 0, 4}++;
    push @{ $lists{length $word} }, $word;
    delete $count{substr word(), 0, 2} if $i % 7 == 0;
}
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "top @order[0 .. 9]\n";
print "lists ", join(',', map { "$_:" . scalar @{ $lists{$_} } } sort { $a <=> $b } keys %lists), "\n";

my $text = join ' ', map { sort { $a cmp $b } @$_ } @lists{ sort { $a <=> $b } keys %lists };
my ($pairs, $letters) = (0, 0);
$pairs++, $letters += length $1 while $text =~ /\b([a-e]+)[f-j]{2,5}(?=\w)/g;
print "text ", length $text, " pairs $pairs letters $letters\n";
(my $other = $text) =~ s/([a-c])\1+/<$1>/g;
print "other ", length $other, " ", unpack('%32C*', $other), "\n";

my @closures = map { my $n = $_; my @held = (word()) x ($n % 9); sub { $n + @held } } 1 .. 20_000;
my $total = 0;
$total += $_->() for @closures;
print "closures $total\n";

my $grown = '';
$grown .= chr(65 + $_ % 26) x ($_ % 97) for 1 .. 30_000;
print "grown ", length $grown, " ", unpack('%32C*', $grown), "\n";
