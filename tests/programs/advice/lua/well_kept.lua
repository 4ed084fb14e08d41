-- Tables that are kept, and a text that is joined.
local all, parts = {}, {}
for i = 1, 20000 do
  all[i] = {x = i}
  parts[i] = "x"
end
print(#all, #table.concat(parts))
