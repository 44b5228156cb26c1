# SPDX-License-Identifier: BSD-3-Clause
# Perl: recursion, die, regular expressions, handlers that die, pipes, children.
use strict; use warnings; use POSIX;
$| = 1;
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
print fib(15), "\n";
eval { die { code => 7 } }; print "died $@->{code}\n";
my $text = join " ", map { "k$_=v" . $_ * 3 } 1 .. 200;
my $count = () = $text =~ /k(\d+)=v(\d+)/g;
print "$count\n";
my %h;
$h{$_ % 17} += $_ for 1 .. 2000;
print join(",", map { "$_:$h{$_}" } sort { $a <=> $b } keys %h), "\n";
my $seen = 0; $SIG{USR1} = sub { $seen++ }; kill 'USR1', $$ for 1 .. 20; print "$seen\n";
$SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; select undef, undef, undef, 5; }; print $@;
my $out = `echo child; exit 4`; print $out, $? >> 8, "\n";
my $pid = fork; if (!$pid) { print "forked\n"; exit 5 } waitpid $pid, 0; print $? >> 8, "\n";
open my $p, '-|', 'sort', '-r', '/dev/null' or die; print <$p>; close $p; print "$?\n";
print sprintf("%.3f", sqrt 2), "\n";
exit 3;
