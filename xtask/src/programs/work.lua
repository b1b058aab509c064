-- Texts, tables, numbers, errors, coroutines and files. No order of keys, and no address, is printed.
local n = tonumber(arg[1])

local words = {}
for i = 1, n do
  words[i] = string.format("%05d-%s", (i * 7919) % 10007, string.rep("x", i % 7))
end
table.sort(words)
print(#words, words[1], words[n], table.concat(words, ","):gsub("%d+", function(d) return d + 1 end):sub(1, 60))

local sum, product = 0.0, 1.0
for i = 1, 1000 * n do
  sum = sum + math.sin(i) / i
  product = product * (1 + 1 / (i * i))
end
print(string.format("%.15g %.15g %a", sum, product, sum), 7 // 2, -7 // 2, -7 % 3, 7.5 // 2, 1e308 * 10, 2 ^ 0.5)
print(math.maxinteger + 1 == math.mininteger, 0x7fffffffffffffff, 3 | 4, ~0, 1 << 62)

local sieve, primes = {}, 0
for i = 2, 100 * n do
  if not sieve[i] then
    primes = primes + 1
    for j = i * i, 100 * n, i do sieve[j] = true end
  end
end
print("primes", primes)

local function walk(depth)
  if depth == 0 then coroutine.yield(depth) else walk(depth - 1) coroutine.yield(depth) walk(depth - 1) end
end
local steps, last = 0, nil
for depth in coroutine.wrap(function() walk(8) end) do steps, last = steps + 1, depth end
print(steps, last)

print(pcall(error, { code = 1 }) == false, select(2, pcall(function() return 1 + nil end)))
print(select(2, pcall(string.rep)), tostring(nil), #utf8.char(0x20ac, 0x1f600))

local file = assert(io.open("lines", "w"))
for i = 1, n do file:write(i, " ", words[i], "\n") end
file:seek("set", 0)
file:write("!")
file:close()
local count = 0
for line in io.lines("lines") do count = count + #line end
print(count, os.rename("lines", "again"), io.open("lines"))
local temporary = assert(io.open("gone", "w"))
temporary:close()
print(os.remove("gone"))
os.exit(count % 100)
