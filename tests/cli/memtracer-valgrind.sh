#!/bin/sh
# heaptap memtracer under valgrind: Lox with the embedding API inside, and lua5.4 with its adapter.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
command -v valgrind >/dev/null || { echo "1..0 # SKIP no valgrind here"; exit 0; }

# The adapter finds the interpreter's program counter by looking through registers and stack, of which some
# were never written (src/tap/guest/lua/recipes.c).  Of Lua 5.4.7 as gcc 14 compiles it, it takes the counter from a
# slot of luaH_resize that holds what luaH_new saved there just before; that it lies in the code of the running
# function is checked before it is followed.  Every other complaint counts.
cat >adapter.supp <<'EOT'
{
   looks-through-the-stack
   Memcheck:Cond
   obj:*/libheaptap-lua.so
}
{
   follows-the-counter
   Memcheck:Value8
   ...
   fun:places_locate
}
{
   looks-up-the-place-of-the-counter
   Memcheck:Value8
   fun:place_of
}
EOT
check() { # NAME ARGUMENT...
    name=$1
    shift
    valgrind -q --error-exitcode=99 --trace-children=yes --trace-children-skip='*/heaptap' \
        --suppressions=adapter.supp "$HEAPTAP" memtracer -o trace.ctf --rate "$RATE" -- "$@" >out 2>err
    is "$? $(grep -c '^==[0-9]*== [A-Z]' err)" "0 0" "$name"
    [ ! -s err ] || sed 's/^/# /' err | head -40
}

cat >busy.lua <<'EOT'
local kept = {}
for i = 1, 300 do
  kept[#kept + 1] = setmetatable({x = i, name = "name " .. i}, {__gc = function() end})
  if i % 7 == 0 then kept[i % 5 + 1] = nil end
end
local t = {}
for i = 1, 5 do t[i] = coroutine.wrap(function() for j = 1, 20 do coroutine.yield({j}) end end) end
for i = 1, 5 do for j = 1, 10 do t[i]() end end
collectgarbage()
print(pcall(string.rep, "x", -1), #kept > 0)
EOT
for RATE in 1 0.01; do
    check "Lox, rate $RATE" "$LOX" "$SOURCE/examples/lox/queens.lox"
    if command -v lua5.4 >/dev/null; then
        check "Lua, rate $RATE" lua5.4 busy.lua
    fi
done
done_testing
