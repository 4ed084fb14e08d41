#!/bin/sh
# What heaptap memtracer -o writes, as every other command of heaptap reads it: in Lox, and in Lua and Python where they are.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cp "$SOURCE"/tests/programs/visits/* .

"$HEAPTAP" view --help >/dev/null 2>&1 && page="view --anonymous -o" || page="" # where the viewer was built

# follow LANGUAGE TYPE FUNCTION SOURCE MEASURES: 150 objects of the type are made below `read`, at the line of that source;
# these measures don't depend on a collector.
follow() {
    type=$2 t=$1.ctf
    is "$("$HEAPTAP" top --sample alloc_objects "$t" "type=^$type\$" 2>err | awk -v type="$type" '$6 == type { print $1 }')" \
        150 "$1: top, the type's filter, and the type as the last frame"
    is "$("$HEAPTAP" top --sample alloc_objects "$t" "type=nothing-such" | grep -c "$type\|0% of")" 1 "... and what it leaves out"
    run "$HEAPTAP" traces "$t" "type=^$type\$"
    has out "read" "traces"
    run "$HEAPTAP" tree "$t" "type=^$type\$"
    has out "$type" "tree"
    run "$HEAPTAP" peek "$t" "^$type\$"
    has out "$3" "peek: who made them"
    run "$HEAPTAP" list --sample alloc_objects "$t" "$3" "type=^$type\$"
    has out "$4" "list: with the script's source"
    run "$HEAPTAP" graph "$t" "type=^$type\$"
    has out "$type" "graph"
    run "$HEAPTAP" hotspots "$t" "type=^$type\$"
    has out "$type" "hotspots"
    run "$HEAPTAP" flamegraph --folded --weight objects "$t"
    is "$(grep -E "read;(.*;)?$type [0-9]+\$" out | awk '{ n += $NF } END { print n }')" 150 "flamegraph"
    for command in info stats timeline leaks advice dump "flamegraph --svg -o f.svg" "pprof -o $1.pb.gz" ${page:+"$page $1.html"} \
        "export --format speedscope" "export --format callgrind" "export --format dhat" "file convert -o again.ctf"; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" $command "$t"
        is "$STATUS $(cat err)" "0 " "$command"
    done
    run "$HEAPTAP" leaks --csv -n 0 "$t" "type=^$type\$"
    is "$(tail -n +2 out | cut -d, -f1 | grep -cx "$type"):$(grep -c "^$3" out | sed 's/[1-9].*/some/')" "0:some" "leaks: by line, not by type"
    run "$HEAPTAP" leaks --csv "$t" "type=^$type\$" libraries=show
    is "$(tail -n +2 out | cut -d, -f1)" "$type" "... by type where types are shown"
    run "$HEAPTAP" check -v "$t" --base again.ctf --max-growth=0%
    is "$STATUS:$(sed 's/^[^:]*: \([a-z-]*\) .*/\1/' out | tr '\n' ' ')" "0:$5" "check: growth of what is stable in the language"
    run "$HEAPTAP" compare --long "$t" again.ctf
    is "$STATUS" 0 "diff with a copy"
    run "$HEAPTAP" top --sample alloc_objects "$1.pb.gz"
    has out "$type" "the pprof profile has the type too"
    run "$HEAPTAP" traces --json --sample alloc_objects "$t" "type=^$type\$"
    grep -o '"selected": [0-9]*' out >selected
    run "$HEAPTAP" traces --json --sample alloc_objects "$1.pb.gz" "type=^$type\$"
    is "$STATUS $(grep -o '"selected": [0-9]*' out)" "0 $(cat selected)" "... and the type's filter"
}

"$HEAPTAP" memtracer -q -o lox.ctf -- "$LOX" visits.lox >/dev/null
follow lox LoxInstance read "append(all, Visit(i))" "allocated objects "
if command -v lua5.4 >/dev/null && [ -n "${LUA_ADAPTER:-}" ]; then
    "$HEAPTAP" memtracer -q -o lua.ctf -- lua5.4 visits.lua >/dev/null
    is "$("$HEAPTAP" top --sample alloc_objects lua.ctf "type=^table\$" 'focus=^visit$' | awk '$6 == "table" { print $1 }')" 150 \
        "lua: top, the type's filter with another"
    run "$HEAPTAP" list --sample alloc_objects lua.ctf '^visit$' 'type=^table$'
    has out "local v = {n = n}" "list: with the script's source"
fi
if [ -n "${PYTHON_ADAPTER:-}" ] && /usr/bin/python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
    "$HEAPTAP" memtracer -q -o py.ctf -- /usr/bin/python3 -S visits.py >/dev/null
    follow py Visit read "return [Visit(i) for i in range(n)]" "peak allocated live-at-end objects "
fi
done_testing
