#!/bin/sh
# Traces of several domains hold what memtrace's reader and tools demand of a file, and these tools read them, where
# MEMTRACE_TOOLS names their folder as the OCaml programs see it (built from memtrace's sources with the same OCaml).
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
tools=${MEMTRACE_TOOLS:-}
[ -n "$tools" ] || echo "ocaml: SKIPPED in part: memtrace's own tools (MEMTRACE_TOOLS names no folder)" >&2

read_by_memtrace() {
    if [ -z "$tools" ]; then
        TESTS=$((TESTS + 1))
        echo "ok $TESTS - $2: memtrace's own tools # SKIP MEMTRACE_TOOLS names no folder"
        return
    fi
    for tool in identify hotspots flamegraph dump_trace; do
        inside "$tools/$tool.exe" "$1" >"$TMP/$tool" 2>"$TMP/err"
        is "$?: $(cat "$TMP/err")" "0: " "$2: memtrace's $tool reads it"
    done
    is "$(grep -c ' alloc' "$TMP/dump_trace")" "$("$HEAPTAP" dump "$OCAML_ROOT$WORK/$1" | grep -c ' alloc')" \
        "$2: ... all its allocations"
}

for rate in 1 0.01; do
    for round in 1 2 3; do
        inside env MEMTRACE=t$round.ctf MEMTRACE_RATE=$rate "$OCAML_TESTS/ended.exe"
        is "$("$SOURCE/tests/helpers/check_memtrace.py" "$OCAML_ROOT$WORK/t$round.ctf" 4)" good \
            "rate $rate, run $round: what memtrace demands, of four domains"
    done
    read_by_memtrace t1.ctf "rate $rate"
    "$HEAPTAP" file strip -o "$OCAML_ROOT$WORK/copy.ctf" "$OCAML_ROOT$WORK/t1.ctf"
    is "$("$SOURCE/tests/helpers/check_memtrace.py" "$OCAML_ROOT$WORK/copy.ctf" 4)" good "rate $rate: ... and of a copy"
    read_by_memtrace copy.ctf "rate $rate, a copy"
done
done_testing
