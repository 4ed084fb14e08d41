-- Tables with methods, closures, strings, calls: a program as programs are.
local Point = {}
Point.__index = Point

local function new(x, y)
  return setmetatable({x = x, y = y}, Point)
end

function Point:moved(by)
  return new(self.x + by, self.y - by)
end

function Point:text()
  return "(" .. self.x .. ", " .. self.y .. ")"
end

local function each(list, f)
  for i = 1, #list do
    list[i] = f(list[i])
  end
end

local points = {}
for i = 1, 1000 do
  points[i] = new(i, -i)
end
local length = 0
for round = 1, 150 do
  each(points, function(p) return p:moved(round) end)
  for i = 1, #points do
    length = length + #points[i]:text()
  end
end
