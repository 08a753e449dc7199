# Churns hashes, arrays, sorts and regular expressions: `churn.pl N`. Deterministic with
# PERL_HASH_SEED=0; prints one checksum.
use strict;
use warnings;

my $n     = shift // 40000;
my $state = 12345;
my $total = 0;
my @kept;

sub next_number {
    $state = ( $state * 1103515245 + 12345 ) & 0x7fffffff;
    return $state >> 8;
}

for my $round ( 1 .. 3 ) {
    my ( %count, @lines );
    for my $i ( 1 .. $n ) {
        push @lines, join ' ', map { 'w' . next_number() % 5000 } 1 .. 8;
    }
    for my $line (@lines) {
        $count{$_}++ for split / /, $line;
    }
    my @ranked = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    $total += $count{ $ranked[0] };
    my %groups;
    for my $line (@lines) {
        if ( $line =~ /\bw(\d)(\d*)\b.*\bw\1(\d+)\b/ ) {
            push @{ $groups{$1} }, { first => "$1$2", second => $3, line => $line };
        }
        ( my $upper = $line ) =~ s/w(\d+)/'W' . ( $1 + 1 )/ge;
        $total += length $upper;
    }
    for my $key ( sort keys %groups ) {
        my @sorted = sort { $a->{second} <=> $b->{second} || $a->{line} cmp $b->{line} } @{ $groups{$key} };
        $total += $sorted[0]{second} + @sorted;
        push @kept, @sorted[ grep { $_ % 16 == 0 } 0 .. $#sorted ];
    }
}
print $total + @kept, "\n";
