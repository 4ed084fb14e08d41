-- A text that is made piece by piece: each step copies all of it.
local text = ""
for i = 1, 2000 do
  text = text .. "a line\n" -- here: string-append
end
print(#text)
