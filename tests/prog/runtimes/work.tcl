# SPDX-License-Identifier: BSD-3-Clause
# Tcl: recursion, errors, regular expressions, coroutines, events, children.
proc fib {n} { if {$n < 2} { return $n }; expr {[fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }
puts [fib 13]
if {[catch {error oops} e]} { puts "caught $e" }
proc deep n { deep [incr n] }
puts [catch {deep 0} e]
puts [regexp -all -inline {(\w)(\d+)} "a1 b22 c333"]
puts [exec echo child]
coroutine gen apply {{} { yield; for {set i 0} {$i < 5} {incr i} { yield $i } }}
puts [gen][gen][gen]
set x 0; after 10 {set x 1}; vwait x; puts $x
for {set i 0} {$i < 3000} {incr i} { dict incr d [expr {$i % 13}] $i }; puts $d
puts [catch {exec sh -c "exit 4"} e o]; puts [lindex [dict get $o -errorcode] 2]
exit 3
