"""heaptap record --holders of Lua programs: each object's way from a global, a module, the registry or a variable of a function; what weak
tables don't hold; snapshots by SIGUSR1; programs that are hostile; and what the program sees."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run, tell  # noqa: E402

if not shutil.which("lua5.4") or not os.path.exists(os.environ.get("LUA_ADAPTER", "")):
    tell("no lua5.4, or no recorder for it # SKIP", True)
    end()
    sys.exit()


def write(name, text):
    with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def record(script, *arguments):
    """The program's result as recorded, and that without us."""
    return run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "lua5.4", script, *arguments), run("lua5.4", script, *arguments)


def answer_of(*options):
    return json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "1000", "--roots", "1000", *options, "x.ctf").stdout)


def ways(answer, line):
    """Of what a line has allocated: blocks by way, which is the root's name and kind, and for each step by what it is held, and its type."""
    found = {}
    for site in answer["sites"]:
        if site.get("line") == line:
            for path in site["paths"]:
                root, *steps = path["steps"]
                key = (root.get("name", ""), root["kind"], *[(step.get("by", ""), step.get("type", "")) for step in steps])
                found[key] = found.get(key, 0) + path["blocks"]
    return found


def root_of(answer, name):
    return next((root for root in answer["roots"] if root.get("name") == name), {})


PLANTED = """local seen = {}
local kept = {}
local weak = setmetatable({}, {__mode = "v"})
local keyed = setmetatable({}, {__mode = "k"})
cache = {}
cache.rows = {}
for i = 1, 3000 do
  cache.rows[i] = {}
end

function handler(n)
  local it = {}
  seen[n] = it
end
for i = 1, 500 do handler(i) end

for i = 1, 700 do
  kept[i] = {}
end

package.loaded.shop = {stock = {}}
for i = 1, 300 do
  package.loaded.shop.stock[i] = {}
end

local registry = debug.getregistry()
registry.mine = {}
for i = 1, 200 do
  registry.mine[i] = {}
end

local base = {}
base.names = {}
for i = 1, 100 do
  base.names[i] = {}
end
local meta = {}
meta.__index = base
object = setmetatable({}, meta)
meta = nil
base = nil

for i = 1, 50 do
  weak[i] = {}
end
held = {}
for i = 1, 40 do
  held[i] = {}
  local it = {}
  keyed[held[i]] = it
  it = {}
  keyed[{}] = it
end

for i = 1, 80 do
  local a = {}
  a.ring = a
end

worker = coroutine.create(function()
  local item = {}
  for i = 1, 90 do
    item[i] = {}
  end
  coroutine.yield()
end)
coroutine.resume(worker)

settings = {}
settings.name = {}
settings["a key"] = {}
for name in pairs(_G) do assert(name) end
getmetatable("").own = {}
debug.setmetatable(0, {units = {}})
debug.setmetatable(nil, {absent = {}})
debug.setmetatable(print, {traced = {}})
debug.setmetatable(true, {truth = {}})
print(#cache.rows, #seen, #kept, held[1] == next(keyed) or true)
"""
write("planted.lua", 'collectgarbage("stop") ' + PLANTED)
got, plain = record("planted.lua")
check((got.returncode, got.stdout, got.stderr) == (plain.returncode, plain.stdout, "") and plain.returncode == 0,
      "the program runs as it does", f"{got} {plain}")
answer = answer_of()
TABLE, ITEM = ("", "table"), ("[]", "table")
WANTED = [  # line, blocks, way
    (8, 3000, ("cache", "global", TABLE, (".rows", "table"), ITEM), "a global's field"),
    (12, 500, ("handler", "global", ("", "function"), ("upvalue seen", "table"), ITEM), "an upvalue"),
    (18, 700, ("kept, main chunk", "local", TABLE, ITEM), "a variable of the main chunk, which has returned"),
    (23, 300, ("shop.stock", "global", TABLE, ITEM), "a module's field"),
    (29, 200, ("registry.mine", "registry", TABLE, ITEM), "the registry"),
    (35, 100, ("object", "global", TABLE, ("metatable", "table"), (".__index", "table"), (".names", "table"), ITEM), "a metatable's __index"),
    (44, 50, ("garbage", "garbage", ("", "")), "a weak table holds nothing"),
    (48, 40, ("held", "global", TABLE, ITEM), "keys of a weak table, held elsewhere"),
    (49, 40, ("keyed, main chunk", "local", TABLE, ITEM), "values of weak keys that are held"),
    (51, 40, ("garbage", "garbage", ("", "")), "values of weak keys that nothing holds"),
    (56, 80, ("garbage", "garbage", ("", "")), "rings that nothing holds"),
    (63, 90, ("worker", "global", ("", "thread"), ("local item", "table"), ITEM), "a variable of a coroutine that waits"),
    (70, 1, ("settings", "global", TABLE, (".name", "table")), "a key that is a name"),
    (73, 1, ("metatable.string", "registry", ("", ""), (".own", "table")), "the metatable of strings"),
    (74, 2, ("metatable.number", "registry", TABLE), "the metatable of numbers"),
    (75, 2, ("metatable.nil", "registry", TABLE), "the metatable of nil"),
    (76, 2, ("metatable.function", "registry", TABLE), "the metatable of functions"),
    (77, 2, ("metatable.boolean", "registry", TABLE), "the metatable of booleans"),
    (71, 1, ("settings", "global", TABLE, ("['a key']", "table")), "a key that is none"),
]
for line, blocks, way, name in WANTED:
    found = ways(answer, line)
    if way[0] == "garbage":
        found = {key: count for key, count in found.items() if key[1] == "garbage"}
        way = next(iter(found), None)
    check(found.get(way) == blocks, f"line {line}: {name}", f"{found}")
check(root_of(answer, "cache")["retained_bytes"] == 56 + 56 + 3000 * 56 + 4096 * 16 + 24 + len("rows") + 25, "what a global alone holds, to the byte",
      f"{root_of(answer, 'cache')}")
check((root_of(answer, "kept, main chunk")["file"], root_of(answer, "kept, main chunk")["line"]) == ("planted.lua", 2),
      "a variable's place is where it is declared", f"{root_of(answer, 'kept, main chunk')}")
check(answer["snapshot"]["lost_bytes"] == 0, "nothing is lost", f"{answer['snapshot']}")
check("is held by\n    cache (global)" in run(HEAPTAP, "x.ctf").stdout, "the summary's sentence")

# The table of strings has 2^16 places at least, and is the interpreter's.
write("strings.lua", """local kept = {}
for i = 1, 50000 do kept[i] = "name " .. i end
collectgarbage() collectgarbage()
""")
record("strings.lua")
answer = answer_of()
check(root_of(answer, "the interpreter").get("retained_bytes", 0) >= 8 << 16 and root_of(answer, "garbage").get("bytes", 0) < 4096,
      "the table of strings is no garbage", f"{answer['roots']}")
write("grows.lua", """for i = 1, 1000 do
  local from = os.clock()
  for k = 1, 100 do cache = {cache} end
  while os.clock() - from < 1e-3 do end
end
""")
for options, wanted in (["--holders"], "`heaptap holders` of this recording"), ([], "`heaptap record --holders`, then"):
    run(HEAPTAP, "record", *options, "-q", "-o", "x.ctf", "lua5.4", "grows.lua")
    points = json.loads(run(HEAPTAP, "advice", "--json", "x.ctf").stdout)["points"]
    remedies = [point["remedy"] for point in points if point["rule"] == "growing"]
    check(len(remedies) == 1 and wanted in remedies[0], f"advice on what grows, record {options}", f"{points}")

# A state that is closed while its copy is looked at takes its time: that is not the program's.
write("closes.lua", "kept = {} for i = 1, 1000000 do kept[i] = {} end")
record("closes.lua")
time = json.loads(run(HEAPTAP, "info", "--json", "x.ctf").stdout)["time"]
check(time["end_us"] < 1.1 * time["last_us"], "the run ends before the state is closed", f"{time}")

# ---- Before the end

write("signal.lua", """local pid = io.open("/proc/self/stat"):read("n")
function outer()
  local list = {}
  for i = 1, 400 do
    list[i] = {}
  end
  local co = coroutine.wrap(function()
    local inside = {}
    for i = 1, 60 do
      inside[i] = {}
    end
    os.execute("kill -USR1 " .. pid)
    local later = {}
    return #inside + #later
  end)
  print(co() + #list)
end
outer()
last = {}
for i = 1, 30 do
  last[i] = {}
end
io.write(select(2, pcall(error, "x")), "\\n")
os.exit(7)
""")
got = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "lua5.4", "signal.lua")
check((got.returncode, got.stdout, got.stderr) == (7, "460\nx\n", ""), "SIGUSR1, and os.exit", f"{got}")
first, last = answer_of("--snapshot", "1"), answer_of()
check([one["cause"] for one in first["snapshots"]] == ["signal", "end"], "two snapshots", f"{first['snapshots']}")

write("storm.lua", """kept = {}
for i = 1, 100000 do
  kept[i] = {}
end
local pid = io.open("/proc/self/stat"):read("n")
for i = 1, 40 do
  os.execute("kill -USR1 " .. pid)
  kept[i] = {}
end
""")
got = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "lua5.4", "storm.lua")
said, taken = got.stderr.count("has not ended yet"), len(answer_of()["snapshots"])
check(got.returncode == 0 and said <= taken, "signals during a snapshot are told once", f"{said} lines, {taken} snapshots: {got.stderr[:300]}")
check(ways(first, 5).get(("list, outer", "local", TABLE, ITEM)) == 400, "a variable of a function that is under way", f"{ways(first, 5)}")
inside = [(key, count) for key, count in ways(first, 10).items() if key[0].startswith("inside, ")]
check(inside and inside[0][1] == 60 and inside[0][0][1:] == ("local", TABLE, ITEM), "... and of a coroutine that runs", f"{ways(first, 10)}")
check(ways(last, 21).get(("last", "global", TABLE, ITEM)) == 30 and not any(key[0] == "list, outer" for key in ways(last, 5)),
      "and at the end, which os.exit makes", f"{ways(last, 21)}")
write("handles.lua", "os.execute('kill -USR1 ' .. io.open('/proc/self/stat'):read('n')) return {}")
ignoring = run("sh", "-c", "trap '' USR1; exec \"$@\"", "sh", HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "lua5.4", "handles.lua")
check(ignoring.returncode == 0 and "snapshots" not in answer_of(), "a signal that is ignored is not ours", f"{ignoring}")

# ---- Hostile programs

write("hostile.lua", """local many, named, deep = {}, {}, {}
for i = 1, 200000 do many[i] = i % 1000 == 0 and {} or i end
for i = 1, 20000 do named["key" .. i] = {} end
local t = deep
for i = 1, 50000 do t.n = {} t = t.n end
local loud = setmetatable({}, {__index = function() print("index") end, __pairs = function() print("pairs") end,
  __len = function() print("len") end, __mode = 7, __name = 5, __metatable = false, __tostring = function() print("tostring") end})
local self = setmetatable({}, {}) getmetatable(self).__index = self getmetatable(self).__name = ("n"):rep(100000)
names = {["\\27[31m\\n\\t"] = {}, [""] = {}, [("k"):rep(1000000)] = {}, ["\\xff\\0x"] = {}, [true] = {}, [1.5] = {}, [print] = {}, [many] = {}}
setmetatable(_G, {__index = function(_, k) print("global " .. k) end, __newindex = error})
debug.setmetatable(nil, {__index = function() print("nil") end})
local dead = coroutine.create(function() local x = {} error(x) end)
print(coroutine.resume(dead) == false, coroutine.status(dead))
local fresh = coroutine.create(function(...) return ... end)
local handle = arg[1] ~= "error" and setmetatable({}, {__gc = function() for i = 1, 100 do local t = {} end print("gc") end})
package.loaded.odd, package.loaded[1], package.loaded.self = 5, {}, package.loaded
local function down(n) local here = {} if n == 0 then error("in the middle") end return (down(n - 1)) end
if arg[1] == "error" then down(150) end
local closes <close> = setmetatable({}, {__close = function() print("closes") end})
if arg[1] == "close" then coroutine.wrap(function() local y = {} os.exit(3, true) end)() end
if arg[1] == "registry" then local r = debug.getregistry() for k in pairs(r) do if math.type(k) ~= "integer" or k > 2 then r[k] = nil end end r[2] = nil end
if arg[1] == "sort" then local s = {} for i = 1, 300 do s[i] = {i} end table.sort(s, function(a, b) return a[1] > b[1] end) end
""")
for kind in ["", "error", "close", "registry", "sort"]:
    got, plain = record("hostile.lua", kind)
    check((got.returncode, got.stdout, got.stderr) == (plain.returncode, plain.stdout, plain.stderr), f"a hostile program, {kind or 'as it is'}",
          f"{got.returncode} {got.stdout[-300:]} {got.stderr[-300:]} {plain.returncode} {plain.stdout[-300:]} {plain.stderr[-300:]}")
    answer = answer_of()
    names = {root.get("name"): root for root in answer["roots"]}
    check(answer["snapshot"]["blocks"] > 70000 and ("deep, main chunk" in names or kind in ("close", "registry")), "... has its snapshot",
          f"{answer['snapshot']} {list(names)[:20]}")
    text = run(HEAPTAP, "holders", "-n", "0", "--paths", "1000", "x.ctf").stdout
    check("\x1b" not in text, "... whose names are safe to show")

# ---- A program that is linked to Lua, with several states

write("host.c", r"""
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        lua_State *L = luaL_newstate();
        luaL_openlibs(L);
        if (luaL_dofile(L, argv[i]))
            return fprintf(stderr, "%s\n", lua_tostring(L, -1)), 1;
        lua_settop(L, 0);
        lua_close(L);
    }
    return 0;
}
""")
flags = run("pkg-config", "--cflags", "--libs", "lua5.4").stdout.split() if shutil.which("pkg-config") else []
if flags and shutil.which("cc") and run("cc", "host.c", "-o", "host", *flags).returncode == 0:
    os.mkdir("bin")
    os.rename("host", "bin/lua5.4")
    write("small.lua", "small = {} for i = 1, 10 do small[i] = {} end")
    write("large.lua", "local large = {}\nfor i = 1, 1000 do\n large[i] = {}\nend")
    write("open.lua", "rest = {}\nfor i = 1, 2000 do\n rest[i] = {}\nend os.exit(5)")
    got = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "bin/lua5.4", "small.lua", "large.lua", "small.lua")
    found = ways(answer_of(), 3)
    check(got.returncode == 0 and found.get(("large, main chunk", "local", TABLE, ITEM)) == 1000, "of several states, the one that had most",
          f"{got} {found}")
    got = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "bin/lua5.4", "small.lua", "large.lua", "open.lua")
    found = ways(answer_of(), 3)
    check(got.returncode == 5 and found.get(("rest", "global", TABLE, ITEM)) == 2000, "... which may be open at the end", f"{got} {found}")
else:
    tell("no liblua5.4-dev, or no compiler # SKIP", True)

# ---- The summary: of what is left at the end
write("left.lua", "kept = {}\nfor i = 1, 1000 do\n  kept[i] = ('x'):rep(1000 + i)\nend\n")
run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "lua5.4", "left.lua")
left = [card for card in json.loads(run(HEAPTAP, "summary", "--json", "x.ctf").stdout)["cards"] if card["card"] == "left"][0]
strings = sum(25 + 1000 + i for i in range(1, 1001))
check(left["kept_by"].startswith("kept (global) -> ") and abs(left["kept_share"] - strings / left["value"]) < 1e-9,
      "the summary's share is of what is left at the end", f"{left}")

for options in (["--holders-every", "1s"], ["--holders-above", "1M"], ["--holders", "--rate", "0.01"]):
    refused = run(HEAPTAP, "record", *options, "lua5.4", "signal.lua")
    check(refused.returncode == 2 and "is not for lines of Lua" in refused.stderr, f"lines and {' '.join(options)} exclude each other",
          refused.stderr)
end()
