local function distance(a, b)
  return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local origin, point, sum = {x = 0, y = 0}, {x = 0, y = 0}, 0
for i = 1, 20000 do
  point.x, point.y = i, i
  sum = sum + distance(point, origin)
end
print(sum)
