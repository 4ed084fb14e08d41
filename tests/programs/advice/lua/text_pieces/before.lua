-- A text that is made of lines with numbers: each number is a piece between two steps.
local function report(n)
  local text = ""
  for i = 1, n do
    text = text .. "line " .. i .. "\n" -- here: string-append
  end
  return text
end
print(#report(3000))
