-- A million tables that hold a number each, kept until the end.
local kept = {}
for i = 1, 1000000 do
  kept[i] = {i}
end
