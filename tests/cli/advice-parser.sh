#!/bin/sh
# docs/ocaml.md's parser, whole: advice names a line, what it says is done, compare shows what that saved; twice.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
export OCAMLPATH="$OCAML_BUILD/install/default/lib"
cd "$TMP" || exit 1

# record TURN: TURN.ctf, of tests/programs/advice/parser at that turn, which is parser.ml when it is built.
record() {
    changed "$SOURCE/tests/programs/advice/parser" "$1" parser.ml
    ocamlfind ocamlopt -g -linkall -package heaptap.memtrace.auto -linkpkg parser.ml -o parser >log 2>&1 || sed 's/^/# /' log
    MEMTRACE=$1.ctf MEMTRACE_RATE=1 ./parser >"$1.out"
}

# says: what advice on TURN.ctf says of boxed integers: function, line, bytes that are saved.
says() {
    run "$HEAPTAP" advice --json "$1.ctf"
    field out '"; ".join("{function} {line} {saved}".format(**p) + " " + p["source"].strip() for p in d["points"] if p["rule"] == "boxed-integers")'
}

# change TURN: how the bytes allocated changed from before.ctf to TURN.ctf, in percent.
change() {
    run "$HEAPTAP" compare --json before.ctf "$1.ctf"
    field out 'next("%d %d %.1f %% %s" % (t["before"], t["after"], 100 * t["part"], t["verdict"]) for t in d["totals"] if t["measure"] == "allocated")'
}

record before
is "$(says before)" "Parser.u32 9 24000000 let value = Bytes.get_int32_be reader.data reader.at in; Parser.i64 15 14400000 let value = Bytes.get_int64_be reader.data reader.at in" \
    "advice names the two lines that box, with what each costs"
"$HEAPTAP" advice -n 2 before.ctf >text
has text " 1. Boxed integers: Parser.u32 (parser.ml:9)" "... the heavier first, before what a short run keeps"
has text "after:  let get b i = Int32.to_int (Bytes.get_int32_be b i)" "... with what to write instead"

record halfway
is "$(says halfway)" "Parser.i64 15 14400000 let value = Bytes.get_int64_be reader.data reader.at in" "the first is mended: the second remains"
is "$(change halfway)" "78401216 54401216 -30.6 % smaller" "... and compare shows 30 % less"

record after
is "$(says after)" "" "the second is mended: nothing is boxed"
is "$(change after)" "78401216 40001216 -49.0 % smaller" "... and compare shows half as much"
cat before.out before.out >twice
cat halfway.out after.out >others
same others twice "the answers are the same"
done_testing
