-- Lua stacks that grow and shrink while things are allocated: plain, with many arguments, in coroutines.
-- From 5.4.5 on a stack's pointers are offsets while its memory is moved.
local function plain(n)
  if n == 0 then return {} end
  local a = plain(n - 1)
  return a, n
end
local function widening(n, ...)
  local t = {n}
  if n == 0 then return #t end
  return widening(n - 1, n, ...) + #t
end
for i = 1, 4 do
  plain(i * 500)
  collectgarbage()
  select("#", table.unpack({}, 1, i * 1000))
  pcall(widening, 150)
  local co = coroutine.wrap(function() plain(i * 300) coroutine.yield(1) plain(i * 900) end)
  co() co()
end
plain(8000)
local kept = {}
for i = 1, 1000 do
  kept[i] = {}
end
print "done"
