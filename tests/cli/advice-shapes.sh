#!/bin/sh
# heaptap advice on programs with one fault each: advice-shapes.sh LANGUAGE
# The programs are tests/programs/advice/LANGUAGE/.  A comment `here: RULE` marks the line of the fault and names the rule that
# applies there; advice says that, and nothing else.  On a program without one no rule of a language applies.  A comment
# `rate: RATE` says how it is recorded; else all blocks are.
. "$SOURCE/tests/cli/tap.sh"
LANGUAGE=$1 TRACE=$TMP/t.ctf

# wanted FILE: "RULE LINE" of each fault.
wanted() {
    sed -n '/here: /{=;s/.*here: \([a-z-]*\).*/\1/;p;}' "$1" | paste -d' ' - - | awk '{ print $2, $1 }' | sort
}

# said FILE: "RULE LINE" of each point on the trace of that program, of rules of languages alone where that has no fault.
said() {
    "$HEAPTAP" advice --json -n 0 --source-path "$PROGRAMS" "$TRACE" >"$TMP/answer" || return
    /usr/bin/python3 - "$(wanted "$1")" <<'EOT' | sort
import json, os, sys
for point in json.load(open(os.environ["TMP"] + "/answer"))["points"]:
    if sys.argv[1] or "verify" in point:
        print(point["rule"], point.get("line", point["function"]))
EOT
}

case $LANGUAGE in
ocaml)
    . "$SOURCE/tests/ocaml/dune.sh"
    TRACE=$OCAML_ROOT$WORK/t.ctf
    record() {
        cp "$1" "$OCAML_ROOT$WORK"
        inside env OCAMLPATH="$OCAML_BUILD/install/default/lib" ocamlfind ocamlopt -g -linkall \
            -package heaptap.memtrace.auto -linkpkg "$(basename "$1")" -o program >log 2>&1 &&
            inside env MEMTRACE=t.ctf MEMTRACE_RATE="$RATE" ./program >/dev/null
    }
    ;;
cpp)
    command -v c++ >/dev/null || exec echo "1..0 # SKIP there is no C++ compiler"
    record() {
        compiler=c++
        [ "${1%.c}" = "$1" ] || compiler=cc
        $compiler -g -O2 -o program "$1" >log 2>&1 && "$HEAPTAP" record --all -q -o "$TRACE" -- ./program >/dev/null 2>&1
    }
    ;;
python)
    command -v /usr/bin/python3 >/dev/null || exec echo "1..0 # SKIP there is no Python"
    record() { # without the site's modules, but where they are imported from
        sites=-S
        ! grep -q numpy "$1" || sites=
        # shellcheck disable=SC2086
        "$HEAPTAP" memtracer -q -o "$TRACE" -- /usr/bin/python3 $sites "$1" >log 2>&1
    }
    ;;
lua)
    command -v lua5.4 >/dev/null || exec echo "1..0 # SKIP there is no Lua 5.4"
    record() {
        "$HEAPTAP" memtracer -q -o "$TRACE" -- lua5.4 "$1" >log 2>&1
    }
    ;;
esac
export TMP
cd "$TMP" || exit 1
PROGRAMS=$SOURCE/tests/programs/advice/$LANGUAGE
for program in "$PROGRAMS"/*.*; do
    name=$(basename "$program")
    if grep -q 'import numpy' "$program" && ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        printf '%s\n' "# $name is left out: there is no NumPy here"
        continue
    fi
    RATE=$(sed -n 's/.*rate: \([0-9.e-]*\).*/\1/p' "$program")
    RATE=${RATE:-1}
    rm -f "$TRACE"
    record "$program" || sed 's/^/# /' log
    is "$(said "$program")" "$(wanted "$program")" "$name: $(wanted "$program" | tr '\n' ' ')"
done
done_testing
