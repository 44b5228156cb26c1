-- SPDX-License-Identifier: BSD-3-Clause
-- Sorting, closures, strings and a little loading: what an interpreter does.
local seed = 42
local function random(n)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed % n
end

local t = {}
for i = 1, 20000 do t[i] = random(1000000) end
table.sort(t)
table.sort(t, function(a, b) return a > b end)
local words, count = {}, 0
for i = 1, 20000 do
	local w = string.format("%x", t[i])
	words[w:sub(1, 3)] = (words[w:sub(1, 3)] or 0) + 1
end
for _, n in pairs(words) do count = count + n end
for i = 1, 300 do count = count + load("return " .. i .. " * 2")() end
print(count, ("abc"):rep(100):gsub("b", "xyz"))
