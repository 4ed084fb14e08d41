#!/bin/sh
# heaptap record of OCaml programs: one that can trace its own heap does.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
cd "$TMP" || exit 1
export OCAMLPATH="$OCAML_BUILD/install/default/lib"
unset MEMTRACE MEMTRACE_RATE
cp "$SOURCE/docs/programs/sessions/ledger/before.ml" ledger.ml
cat >never.ml <<'END'
let () = if Array.length Sys.argv > 1 then Memtrace.trace_if_requested (); print_string "done"
END
ocamlfind ocamlopt -g -linkall -package heaptap.memtrace.auto -linkpkg ledger.ml -o ledger 2>err &&
    ocamlfind ocamlopt -g -package heaptap.memtrace -linkpkg never.ml -o never 2>>err || exec echo "Bail out! $(cat err)"

run "$HEAPTAP" record --json --all -o all.ctf -- ./ledger
json() { /usr/bin/python3 -c "import json, sys; d = json.load(open('out')); print($1)"; }
is "$STATUS $(json '[d["processes"][0][k] for k in ("recorded", "otherwise", "exact")], d["cards"][-1]["function"], d["cards"][-1]["line"]')" \
    "0 ['OCaml', 'heaptap record --native', True] Ledger.book 7" "its own heap, every block, by lines"
run "$HEAPTAP" record -o some.ctf -- ./ledger
has err "Heap        OCaml's, by lines of the program; --native records what its runtime takes from malloc" "... which is said"
run "$HEAPTAP" top --json some.ctf
is "$(json 'd["sample_rate"]')" 0.001 "by default a sample"
run "$HEAPTAP" record --rate 0.5 -o half.ctf -- ./ledger
run "$HEAPTAP" top --json half.ctf
is "$(json 'd["sample_rate"]')" 0.5 "a rate"
run "$HEAPTAP" record -o zipped.ctf.gz -- ./ledger
run "$HEAPTAP" top --json zipped.ctf.gz
is "$STATUS $(json 'd["nodes"][0]["name"]')" "0 Ledger.book" "compressed"
cp ledger stripped && strip stripped
run "$HEAPTAP" record --json --all -o stripped.ctf -- ./stripped
is "$(json 'd["processes"][0]["recorded"]')" OCaml "a stripped program"

for arguments in "--native" "--callstack-size=5" "--no-follow" "--context=x"; do
    run "$HEAPTAP" record --json $arguments -o native.ctf -- ./ledger
    is "$(json 'd["processes"][0]["recorded"]')" malloc "by malloc: $arguments"
done
run env MEMTRACE=own.ctf "$HEAPTAP" record --json -o native.ctf -- ./ledger
is "$(json 'd["processes"][0]["recorded"]')" malloc "by malloc: where MEMTRACE is set"

run "$HEAPTAP" record -o never.ctf -- ./never
is "$(cat out) $(cat err)" "done heaptap record: no trace was written: ./never has memtrace in it, but did not begin to trace; --native records what its runtime takes from malloc" "one that doesn't trace"
run "$HEAPTAP" record --json -o itself.ctf -- "$HEAPTAP" help
is "$(grep -c OCaml out)" 0 "heaptap itself is none, though it names what memtrace reads"
done_testing
