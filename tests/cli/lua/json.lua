-- Reads JSON and writes it again: a program of the usual kind, for tests.
--   lua5.4 json.lua FILE
local escapes = {['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}
local null = {}

local function fail(text, at, what)
  error(("byte %d: %s"):format(at, what), 0)
end

local function skip(text, at)
  return text:find("[^ \n\r\t]", at) or #text + 1
end

local read

local function read_string(text, at)
  local parts = {}
  while true do
    local from, to, plain, sign = text:find('^([^"\\]*)(["\\])', at)
    if not from then fail(text, at, "a string is not closed") end
    parts[#parts + 1] = plain
    if sign == '"' then return table.concat(parts), to + 1 end
    local letter = text:sub(to + 1, to + 1)
    if letter == "u" then
      local code = tonumber(text:sub(to + 2, to + 5), 16)
      parts[#parts + 1] = utf8.char(code)
      at = to + 6
    else
      parts[#parts + 1] = escapes[letter] or fail(text, to, "an unknown escape")
      at = to + 2
    end
  end
end

local function read_list(text, at)
  local list = {n = 0}
  at = skip(text, at)
  if text:sub(at, at) == "]" then return list, at + 1 end
  while true do
    list.n = list.n + 1
    list[list.n], at = read(text, at)
    at = skip(text, at)
    local sign = text:sub(at, at)
    if sign == "]" then return list, at + 1 end
    if sign ~= "," then fail(text, at, "',' or ']' is missing") end
    at = at + 1
  end
end

local function read_object(text, at)
  local object, keys = {}, {}
  at = skip(text, at)
  if text:sub(at, at) == "}" then return {object = object, keys = keys}, at + 1 end
  while true do
    local key
    at = skip(text, at)
    key, at = read_string(text, at + 1)
    at = skip(text, at) + 1
    if object[key] == nil then keys[#keys + 1] = key end
    object[key], at = read(text, at)
    at = skip(text, at)
    local sign = text:sub(at, at)
    if sign == "}" then return {object = object, keys = keys}, at + 1 end
    if sign ~= "," then fail(text, at, "',' or '}' is missing") end
    at = at + 1
  end
end

function read(text, at)
  at = skip(text, at)
  local sign = text:sub(at, at)
  if sign == '"' then return read_string(text, at + 1) end
  if sign == "[" then return read_list(text, at + 1) end
  if sign == "{" then return read_object(text, at + 1) end
  for word, value in pairs {["true"] = true, ["false"] = false, null = null} do
    if text:sub(at, at + #word - 1) == word then return value, at + #word end
  end
  local from, to = text:find("^-?[%d.eE+-]+", at)
  if not from then fail(text, at, "a value is missing") end
  return tonumber(text:sub(from, to)), to + 1
end

local function write(value, out)
  if value == null then
    out[#out + 1] = "null"
  elseif type(value) == "string" then
    out[#out + 1] = '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) ~= "table" then
    out[#out + 1] = tostring(value)
  elseif value.keys then
    out[#out + 1] = "{"
    for i, key in ipairs(value.keys) do
      if i > 1 then out[#out + 1] = "," end
      write(key, out)
      out[#out + 1] = ":"
      write(value.object[key], out)
    end
    out[#out + 1] = "}"
  else
    out[#out + 1] = "["
    for i = 1, value.n do
      if i > 1 then out[#out + 1] = "," end
      write(value[i], out)
    end
    out[#out + 1] = "]"
  end
end

local file = assert(io.open(arg[1]))
local value = read(file:read("a"), 1)
file:close()
local out = {}
write(value, out)
print(table.concat(out))
