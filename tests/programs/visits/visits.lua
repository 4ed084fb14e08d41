local function visit(n)
  local v = {n = n}
  return v
end
local function read(n)
  local all = {}
  for i = 1, n do all[i] = visit(i) end
  return all
end
local kept = read(100)
read(50)
print "done"
