-- A pair in a table that is made again in each turn.
local function distance(a, b)
  return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local origin, sum = {x = 0, y = 0}, 0
for i = 1, 20000 do
  sum = sum + distance({x = i, y = i}, origin) -- here: tables-in-loop
end
print(sum)
