#!/bin/sh
# heaptap memtracer on programs with Lua in them that are not lua5.4, and on modules: in C, in Lua, by -l and by require.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
flags=$(pkg-config --cflags lua5.4 2>/dev/null) && command -v lua5.4 >/dev/null && command -v cc >/dev/null ||
    { echo "1..0 # SKIP no liblua5.4-dev here"; exit 0; }

cat >host.c <<'EOT'
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
static void *own_alloc(void *ud, void *block, size_t old_size, size_t new_size)
{
    if (new_size)
        return realloc(block, new_size);
    free(block);
    return NULL;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) { /* a state for each script, with either's allocator */
        lua_State *L = i % 2 ? luaL_newstate() : lua_newstate(own_alloc, NULL);
        luaL_openlibs(L);
        if (luaL_dofile(L, argv[i]))
            return fprintf(stderr, "%s\n", lua_tostring(L, -1)), 1;
        lua_close(L);
    }
    return 0;
}
EOT
cat >tables.lua <<'EOT'
local t = {}
for i = 1, 1000 do
  t[i] = {i}
end
print(#t)
EOT
# shellcheck disable=SC2086
cc host.c $flags -o host-shared $(pkg-config --libs lua5.4)
# shellcheck disable=SC2086
cc host.c $flags -o host-static -Wl,-E "$(pkg-config --variable=libdir lua5.4 2>/dev/null || echo /usr/lib)/liblua5.4.a" -lm -ldl 2>/dev/null ||
    cc host.c $flags -o host-static -Wl,-E -Wl,-Bstatic -llua5.4 -Wl,-Bdynamic -lm -ldl

run "$HEAPTAP" memtracer -- ./host-shared tables.lua
is "$STATUS $(head -1 out)" "0 1000" "a program linked to liblua5.4"
has out "tables.lua:3 || 1000 || 54.7kB || table" "... exact"
run "$HEAPTAP" memtracer -- ./host-shared tables.lua tables.lua
has out "tables.lua:3 || 2000 || 109kB || table" "... with two states, one with an allocator of its own"

run "$HEAPTAP" memtracer -- ./host-static tables.lua
is "$STATUS $(head -1 out)" "0 1000" "a program with Lua within itself, which doesn't read LUA_INIT, runs"
has err "nothing was recorded" "... and nothing is recorded"
echo 'os.execute("env | grep -c LUA_INIT")' >env.lua
run "$HEAPTAP" memtracer -q -- ./host-static env.lua
is "$(cat out)" 0 "... what it starts sees no LUA_INIT"
{ echo "package.loadlib('$LUA_ADAPTER', 'luaopen_heaptap')()"; tail -n +2 tables.lua | sed '1s/^/local t = {} /'; } >loads.lua
run "$HEAPTAP" memtracer -- ./host-static loads.lua
has out "loads.lua:3 || 1000 || 54.7kB || table" "... unless it loads the tap itself"

cat >cmod.c <<'EOT'
#include <lauxlib.h>
static int make(lua_State *L)
{
    lua_createtable(L, 4, 0);
    lua_pushfstring(L, "number %d of a module in C, and so long that it is not interned", (int)luaL_checkinteger(L, 1));
    lua_setfield(L, -2, "name");
    return 1;
}
int luaopen_cmod(lua_State *L)
{
    luaL_Reg functions[] = {{"make", make}, {0, 0}};
    luaL_newlib(L, functions);
    return 1;
}
EOT
# shellcheck disable=SC2086
cc -shared -fPIC $flags cmod.c -o cmod.so
mkdir lmod
cat >lmod/init.lua <<'EOT'
local M = {}
function M.make(n)
  return {n, n}
end
return M
EOT
cat >use.lua <<'EOT'
local c, l = cmod or require "cmod", lmod or require "lmod"
local t = {}
for i = 1, 100 do
  t[i] = c.make(i)
  t[i + 100] = l.make(i)
end
print(#t, t[3].name)
EOT
export LUA_PATH="./?.lua;./?/init.lua;;" LUA_CPATH="./?.so;;"
lua5.4 use.lua >wanted
for options in "" "-l cmod -l lmod"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" memtracer --output-file rows -- lua5.4 $options use.lua
    same out wanted "modules run as without heaptap: lua5.4 $options use.lua"
    has rows "use.lua:4 || 100 || 5.47kB || table" "... a module in C allocates for the line that calls it"
    has rows "use.lua:4 || 100 || 8.59kB || string" "... strings"
    has rows "init.lua:3 || 100 || 5.47kB || table" "... a module in Lua has lines of its own"
done

# ---- A host that becomes another program, or leaves at once

cat >ends.c <<'EOT'
#include <lauxlib.h>
#include <lualib.h>
#include <unistd.h>
static int become(lua_State *L)
{
    char *arguments[] = {"true", NULL};
    (void)L;
    execvp("true", arguments);
    return 0;
}
static int leave(lua_State *L)
{
    (void)L;
    _exit(0);
}
int main(int count, char **arguments)
{
    lua_State *L = luaL_newstate();
    lua_register(L, "become", become);
    lua_register(L, "leave", leave);
    return count < 2 || luaL_dostring(L, arguments[1]);
}
EOT
# shellcheck disable=SC2046,SC2086
cc ends.c $flags -o ends $(pkg-config --libs lua5.4)
for way in become leave; do
    run "$HEAPTAP" memtracer --type table --output-file rows -o ends.ctf -- ./ends "local t = {} for i = 1, 300 do t[i] = {} end $way()"
    is "$STATUS $(grep -c ' || 301 || 16.5kB || table' rows)" "0 1" "$way: the table has all"
    is "$("$HEAPTAP" flamegraph --folded --weight objects ends.ctf | grep -c '(main);table 301$')" 1 "... and the trace"
done
# ---- Other Luas, and code that is no file's

while read -r function name; do
    printf 'int %s(void);\nint %s(void) { return 0; }\nint main(void) { return 0; }\n' "$function" "$function" >other.c
    cc other.c -o other -Wl,-E
    run "$HEAPTAP" memtracer -- ./other
    has err "is not watched: it has $name, and heaptap knows Lua 5.4 only" "$name is named"
done <<'EOT'
luaJIT_setmode LuaJIT
lua_cpcall Lua 5.1
lua_getctx Lua 5.2
lua_isyieldable Lua 5.3
EOT
echo 'load("local t = {{}} return t", "/x/m.lua")()' >chunk.lua
run "$HEAPTAP" memtracer -- lua5.4 chunk.lua
has out '[string "/x/m.lua"]:1 || 2 || ' "code that is no file's is named whole"

done_testing
