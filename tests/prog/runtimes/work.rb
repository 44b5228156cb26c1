# SPDX-License-Identifier: BSD-3-Clause
# Ruby: recursion, exceptions, threads, collections, fibers, handlers, children, throw.
$stdout.sync = true
def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
puts fib(15)
begin; raise ArgumentError, "bad"; rescue => e; puts e.message; ensure puts "ensured"; end
def deep(n) = deep(n + 1)
begin; deep(0); rescue SystemStackError => e; puts e.class; end
q = Queue.new
t = 4.times.map { |i| Thread.new { q << (1..500).sum * i } }
t.each(&:join); puts q.size
20000.times { "x" * 100 }; GC.start; puts GC.count > 0
puts "a1 b22 c333".scan(/(\w)(\d+)/).inspect
f = Fiber.new { |x| loop { x = Fiber.yield(x * 2) } }
puts (1..10).map { |i| f.resume(i) }.inspect
e = [1, 2, 3].each; puts e.next + e.next
seen = 0; trap("USR1") { seen += 1 }
Process.kill("USR1", Process.pid); sleep 0.001 until seen > 0; puts seen
puts `echo child`, $?.exitstatus
pid = fork { puts "forked"; exit!(5) }; Process.wait(pid); puts $?.exitstatus
puts catch(:out) { 10.times { |i| throw :out, i if i == 7 } }
exit 3
