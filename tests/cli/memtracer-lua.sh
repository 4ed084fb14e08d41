#!/bin/sh
# heaptap memtracer on Debian's lua5.4 as it is: exact lines and types, coroutines, real programs.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
command -v lua5.4 >/dev/null || { echo "1..0 # SKIP no lua5.4 here"; exit 0; }

rows() {
    grep ' || ' "$1" | grep -v '^Source Location'
}
has_row() {
    rows "$1" | grep -qxF "$2"
    ok $? "${3:-$2}"
}

cat >known.lua <<'EOT'
local t = {}
for i = 1, 1000 do
  t[i] = {}
end
local s = {}
for i = 1, 500 do
  s[i] = "str" .. i .. "and then so much text that nothing is interned"
end
local function make(i)
  return function() return i end
end
for i = 1, 300 do
  t[i] = make(i)
end
for i = 1, 200 do
  local co = coroutine.wrap(function()
    local x = {}
    coroutine.yield(x)
    local y = {1, 2, 3}
    coroutine.yield(y)
  end)
  co() co()
  local z = {a = 1}
end
if #t > 0 then local a = {} elseif t then local b = {} end
for i = 1, 40 do local p = {} ; local q = {i}
  local r = {
    i,
    i + 1 }
end
for i = 1, 50 do local u = { {},
    {} } end
print(#t)
EOT

# ---- Counts by line and type

run "$HEAPTAP" --memtracer known.lua
is "$STATUS" 0 "lua5.4 runs"
is "$(head -1 out)" 1000 "its output comes first"
has_row out "known.lua:3 || 1000 || 54.7kB || table"
has_row out "known.lua:7 || 1000 || $(rows out | sed -n 's/^known.lua:7 || 1000 || \(.*\) || string/\1/p') || string" \
    "two strings for each concatenation with a number"
has_row out "known.lua:10 || 300 || 11.7kB || function" "a closure belongs to the line of its end"
has_row out "known.lua:10 || 300 || 11.7kB || upvalue"
has_row out "known.lua:17 || 200 || 10.9kB || table" "in a coroutine"
has_row out "known.lua:19 || 200 || 10.9kB || table" "... after a yield"
has_row out "known.lua:19 || 200 || 9.38kB || storage" "... its array"
has_row out "known.lua:23 || 200 || 10.9kB || table" "after a resume"
has_row out "known.lua:23 || 200 || 4.69kB || storage" "... its hash part"
has_row out "known.lua:25 || 1 || 56B || table" "in one branch"
has_row out "known.lua:26 || 80 || 4.38kB || table" "two tables on a line"
has_row out "known.lua:27 || 40 || 2.19kB || table" "a constructor over several lines"
has_row out "known.lua:31 || 150 || 8.2kB || table" "nested ones: Lua has the line of the comma before"
grep -q "(untyped)" out
is "$?" 1 "all types are known"

run "$HEAPTAP" memtracer --json --output-file r.json known.lua
/usr/bin/python3 - r.json <<'EOT' >got
import json, sys
p = json.load(open(sys.argv[1]))["processes"][0]
print(p["recorded"] == sum(r["count"] for r in p["rows"]))
print(all(r["count"] + r["resized"] == r["freed"] + r["resized_away"] + r["live"] for r in p["rows"]))
live = {(r["line"], r["type"]): r["live"] for r in p["rows"]}
print(live[3, "table"], live[10, "function"], p["script"], p["heaps"][0]["before_bytes"] > 10000)
EOT
is "$(cat got)" "True
True
700 300 known.lua True" "rows add up; what is live at the end is what the program left, not what lua_close found"

# ---- Stacks, also deep ones, and re-used calls

cat >deep.lua <<'EOT'
local function leaf() return {} end
local function down(n)
  if n == 0 then return leaf() end
  local r = down(n - 1)
  return r
end
for i = 1, 10 do down(50) end
local function a() local x = leaf() return x end
local function b()
  local y = leaf()
  return y
end
for i = 1, 7 do a()
  b() end
EOT
run "$HEAPTAP" memtracer --json --stacks --output-file s.json deep.lua
/usr/bin/python3 - s.json <<'EOT' >got
import json, sys
p = json.load(open(sys.argv[1]))["processes"][0]
for r in p["rows"]:
    if r["line"] == 1 and r["type"] == "table":
        for s in sorted(r["stacks"], key=lambda s: (len(s["callers"]), s["callers"][0]["line"])):
            print(s["count"], [c["line"] for c in s["callers"]][:3], len(s["callers"]))
EOT
is "$(cat got)" "7 [8, 13] 2
7 [10, 14] 2
10 [4, 4, 4] 51" "stacks are right, tail calls aside"

# ---- Samples, traces

HEAPTAP_GUEST_SEED=3 run "$HEAPTAP" memtracer --rate 0.02 --json --output-file r.json known.lua
/usr/bin/python3 - r.json <<'EOT' >got
import json, sys
p = json.load(open(sys.argv[1]))["processes"][0]
lines = {r["line"] for r in p["rows"] if r["type"] == "table"}
print(2000 < p["recorded"] < 12000, lines <= {1, 3, 5, 17, 19, 23, 25, 26, 27, 31, None})
EOT
is "$(cat got)" "True True" "samples come from the same lines"
run "$HEAPTAP" memtracer -q -o t.ctf known.lua
is "$(cat out)" 1000 "a trace is written beside the program's output"
run "$HEAPTAP" flamegraph --format folded --weight objects t.ctf
grep -qx "(main);table 1473" out
ok $? "... and has the tables, the type as the last frame"

# ---- What is passed through

echo 'os.exit(tonumber(io.read()))' >exit.lua
echo 7 | "$HEAPTAP" memtracer -q exit.lua
is "$?" 7 "standard input and exit status"
echo 'print(os.getenv("LUA_INIT_5_4"), os.getenv("LUA_INIT"), X)' >init.lua
LUA_INIT="X = 5" run "$HEAPTAP" memtracer -q init.lua
is "$(cat out)" "nil	X = 5	5" "LUA_INIT is run, and the script sees it as it was"
LUA_INIT_5_4="X = 6" run "$HEAPTAP" memtracer -q init.lua
is "$(cat out)" "X = 6	nil	6" "... LUA_INIT_5_4 likewise"
echo 'os.execute("env | grep -c LUA_INIT")' >child.lua
run "$HEAPTAP" memtracer -q child.lua
is "$(cat out)" 0 "... and a child sees none"
LUA_INIT='error("stop")' run "$HEAPTAP" memtracer -q init.lua
is "$STATUS $(head -1 err)" "1 lua5.4: LUA_INIT:1: stop" "an error in LUA_INIT is told as Lua tells it"
LUA_INIT='x x' run "$HEAPTAP" memtracer -q init.lua
is "$STATUS $(head -1 err)" "1 lua5.4: LUA_INIT:1: syntax error near 'x'" "... and one in its syntax"
LUA_INIT_5_4='error("stop")' run "$HEAPTAP" memtracer -q init.lua
is "$STATUS $(head -1 err)" "1 lua5.4: LUA_INIT_5_4:1: stop" "... and in LUA_INIT_5_4"
run "$HEAPTAP" memtracer --interpreter lua5.4 -t 1 -c 'local t = {} for i = 1, 10 do t[i] = {} end'
has out "|| 1" "-c with Lua"
echo 'error("no")' >fails.lua
run "$HEAPTAP" memtracer -q fails.lua
is "$STATUS" 1 "a script that fails"
has err "fails.lua:1: no" "... says so"
echo 'os.execute("lua5.4 known.lua")' >starts.lua
run "$HEAPTAP" memtracer -t 1 starts.lua
has out "started by" "a program that is started has a report of its own"
has out "known.lua:" "... of its lines"

# ---- The collector, finalizers, memory that runs out, code that comes and goes

cat >hard.lua <<'EOT'
collectgarbage("generational")
local count = 0
for i = 1, 2000 do
  setmetatable({}, {__gc = function() count = count + #{1, 2, 3} end})
end
collectgarbage() collectgarbage()
for i = 1, 300 do
  local f = load("local t = {}\nfor i = 1, 3 do\n t[i] = {i}\nend return t", "=chunk" .. i % 3)
  f()
end
local cos = {}
for i = 1, 100 do
  cos[i] = coroutine.create(function(...)
    local deep
    function deep(n) if n == 0 then coroutine.yield({n}) return 0 end return 1 + deep(n - 1) end
    while true do deep(i * 10) end
  end)
end
for round = 1, 5 do for i = 1, 100 do assert(coroutine.resume(cos[i])) end end
for i = 1, 50 do coroutine.close(cos[i]) end
cos = nil
collectgarbage()
local ok = pcall(function() local function f() return f() + 1 end return f() end)
local rep = pcall(string.rep, "x", 1 << 40)
print(count, ok, rep, select("#", table.unpack({}, 1, 200)))
EOT
lua5.4 hard.lua >wanted
for options in "" "--stacks" "--rate 0.01" "--fast" "-o hard.ctf"; do
    run "$HEAPTAP" memtracer -q $options hard.lua
    same out wanted "finalizers, errors, deep coroutines, a stack that overflows: the same output ($options)"
    is "$STATUS" 0 "... and status"
done
run "$HEAPTAP" memtracer hard.lua
has_row out "chunk1:3 || 300 || 16.4kB || table" "lines of code that is loaded again and again"

# A stack deeper than a function that calls itself for each call could follow.
cat >deep.lua <<'EOT'
local function deep(n)
  if n == 0 then return {} end
  return 1, deep(n - 1)
end
deep(30000)
EOT
run sh -c "ulimit -s 256; exec '$HEAPTAP' memtracer --stacks --type table --output-file report deep.lua"
is "$STATUS $(head -1 err)" "0 " "30000 calls deep: runs"
is "$(grep -c ' from deep.lua:3 || 1 || 56B || deep' report)" 30000 "... and all calls are told"

# ---- A JSON library over a large file

cp "$SOURCE/tests/cli/lua/json.lua" .
/usr/bin/python3 - <<'EOT' >big.json
import json, random
random.seed(4)
def value(depth):
    kind = random.randrange(6 if depth else 4)
    if kind == 0: return random.randrange(10**6)
    if kind == 1: return "".join(random.choice("abc \"\\/\u00e9\n") for _ in range(random.randrange(12)))
    if kind == 2: return random.choice([True, False, None])
    if kind == 3: return random.random()
    if kind == 4: return [value(depth - 1) for _ in range(random.randrange(6))]
    return {str(random.randrange(1000)): value(depth - 1) for _ in range(random.randrange(6))}
print(json.dumps([value(7) for _ in range(400)]))
EOT
lua5.4 json.lua big.json >wanted
run "$HEAPTAP" memtracer --output-file report json.lua big.json
same out wanted "a JSON library reads and writes the same ($(wc -c <big.json) bytes)"
is "$STATUS" 0 "... with the same status"
[ "$(rows report | wc -l)" -gt 5 ]
ok $? "... and is reported"

run "$HEAPTAP" memtracer -- lua5.4 -E known.lua
is "$STATUS" 0 "lua -E runs"
has err "with -E, lua5.4 ignores LUA_INIT" "... and it is told why nothing is recorded"
done_testing
