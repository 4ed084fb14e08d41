-- A function that is made again in each turn.
local function apply(f, x) return f(x) end

local sum = 0
for i = 1, 20000 do
  sum = sum + apply(function(x) return x + i end, i) -- here: functions-in-loop
end
print(sum)
