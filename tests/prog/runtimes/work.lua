-- SPDX-License-Identifier: BSD-3-Clause
-- Lua and LuaJIT: recursion, errors, coroutines, collections, a hot loop, a pipe.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(20))
print((pcall(error, {1})), select(2, pcall(error, "oops", 0)))
local function deep(n) return 1 + deep(n + 1) end
print((pcall(deep, 0)))
local co = coroutine.wrap(function(a) while true do a = coroutine.yield(a * 2) end end)
local s = 0 for i = 1, 1000 do s = s + co(i) end print(s)
local t = {} for i = 1, 50000 do t[i % 100] = {i} end collectgarbage() print(#t)
local n = 0 for w in ("a1 b22 c333"):rep(50):gmatch("%a%d+") do n = n + #w end print(n)
local p = io.popen("echo child") print(p:read("*a")) p:close()
local x = 0 for i = 1, 300000 do x = (x * 31 + i) % 1000003 end print(x)
table.sort(t, function(a, b) return a[1] > b[1] end) print(t[1][1])
os.exit(3)
