local function apply(f, x, y) return f(x, y) end
local function add(x, y) return x + y end

local sum = 0
for i = 1, 20000 do
  sum = sum + apply(add, i, i)
end
print(sum)
