-- Two million tables that hold a number each, gone at once.
local t
for i = 1, 2000000 do
  t = {i}
end
