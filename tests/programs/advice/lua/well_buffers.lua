-- Texts that are made whole by functions of strings: their buffers are no tables.
local total = 0
for i = 1, 3000 do
  local line = table.concat({"a", i, "text of some length"}, string.rep("-", 700))
  total = total + #line
end
print(total)
