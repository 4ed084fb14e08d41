local parts = {}
for i = 1, 2000 do
  parts[#parts + 1] = "a line\n"
end
print(#table.concat(parts))
