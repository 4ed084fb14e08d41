#!/bin/sh
# Interpreters newer than this system's, from a Debian 13 (scripts/debian): Lua 5.4.7, whose stacks hold offsets in place of
# pointers while they are moved, so that whoever asks it then where it is takes it down; Python 3.13.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
root=$("$SOURCE/scripts/debian" 13 2>why) || { echo "1..0 # SKIP $(tail -n 1 why)"; exit 0; }

# program NAME: runs with its own C library, outside of the folder.
program() {
    cat >"$1" <<EOT
#!/bin/sh
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" --argv0 "$root/usr/bin/$1" "$root/usr/bin/$1" "\$@"
EOT
    chmod +x "$1"
}
program lua5.4
program python3.13
./lua5.4 -e 'print(1)' >/dev/null 2>why || { echo "1..0 # SKIP $root does not run here: $(tail -n 1 why)"; exit 0; }

for options in "" --stacks --fast "--rate 0.01" "--rate 0.01 --stacks"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" memtracer --output-file report $options -- ./lua5.4 "$SOURCE/tests/guest/lua/grow.lua"
    is "$STATUS $(cat out)" "0 done" "Lua 5.4.7: stacks that are moved ($options)"
done
run "$HEAPTAP" memtracer --output-file report -- ./lua5.4 "$SOURCE/tests/guest/lua/grow.lua"
has report "<lua stack resize> || 0 || " "Lua 5.4.7: what is allocated then has a row of its own"
has report "grow.lua:24 || 1000 || 54.7kB || table" "Lua 5.4.7: known numbers come back exactly"

/usr/bin/python3 "$SOURCE/tests/guest/test_python.py" --python "$TMP/python3.13" test_counts test_stacks >py 2>&1
ok $? "Python $(./python3.13 -V | cut -d' ' -f2): counts, stacks"
grep -v '^ok' py | sed 's/^/# /' | head -40
done_testing
