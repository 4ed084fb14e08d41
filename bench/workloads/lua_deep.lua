-- Two million tables, made 500 calls deep.
local function down(n)
  if n == 0 then
    local t
    for i = 1, 2000000 do
      t = {}
    end
    return 1
  end
  return 1 + down(n - 1)
end
down(500)
