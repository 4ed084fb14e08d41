#!/bin/sh
# The OCaml library: a program that is traced by it, read by heaptap.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
cd "$TMP" || exit 1

# field NAME COMMAND...: a number of a JSON report.
field() {
    name=$1
    shift
    "$@" | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)'"$name"')'
}

MEMTRACE=basic-%p.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/basic.exe" &
PID=$!
wait $PID
ok $? "a traced program ends well"
mv "basic-$PID.ctf" basic.ctf
ok $? "%p in the trace's name is the process id"
"$HEAPTAP" dump basic.ctf >dump
is "$(grep -c ' len=101 .*keep_bytes@' dump)" 1000 "at rate 1 each block is there, of its size, in its function"
is "$(grep -c ' len=300 .*drop_arrays@' dump)" 500 "... large ones too"
is "$(field '["trace"]["context"]' "$HEAPTAP" info --json basic.ctf)" "a known program" "the context"
MEMTRACE='' "$OCAML_TESTS/basic.exe"
is "$(ls)" "$(printf 'basic.ctf\ndump')" "an empty MEMTRACE: nothing happens"
done_testing
