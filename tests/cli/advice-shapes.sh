#!/bin/sh
# heaptap advice on programs with one fault each, and what becomes of its promises: advice-shapes.sh LANGUAGE [COMPILER]
# tests/programs/advice/LANGUAGE/SHAPE/ has a program with one fault, `before`, and `after.diff`, the remedy that advice names.  A comment
# `here: RULE` marks the line of the fault, `also: RULE` another that is found besides; tests/helpers/check_advice.py says what must
# hold.  A comment `rate: RATE` says how it is recorded; else all blocks are.  On a program well_NAME no rule of a language applies.
# Each rule of the language needs a shape.
# With $UNSEEN, a folder of programs, those are tried in place of the shapes.
# With $RESULTS, "LANGUAGE COMPILER SHAPE right|wrong RULE LINE PROMISE SAVED" is added to that file for each: bench/advice.py reads it.
. "$SOURCE/tests/cli/tap.sh"
LANGUAGE=$1 COMPILER=${2:-}
TRACES=$TMP
case $LANGUAGE in
ocaml)
    . "$SOURCE/tests/ocaml/dune.sh"
    TRACES=$OCAML_ROOT$WORK
    COMPILER="ocamlopt $(inside ocamlfind ocamlopt -version)"
    ! inside ocamlfind ocamlopt -config | grep -q '^flambda: true' || COMPILER="$COMPILER, flambda"
    record() {
        cp "$1" "$TRACES"
        packages=heaptap.memtrace.auto
        ! grep -q 'Str\.' "$1" || packages=$packages,str
        inside env OCAMLPATH="$OCAML_BUILD/install/default/lib" ocamlfind ocamlopt -g -linkall \
            -package $packages -linkpkg "$(basename "$1")" -o program >log 2>&1 &&
            inside env MEMTRACE="$2" MEMTRACE_RATE="$RATE" ./program >/dev/null
    }
    ;;
cpp)
    COMPILER=${COMPILER:-g++}
    command -v "$COMPILER" >/dev/null || exec echo "1..0 # SKIP there is no $COMPILER"
    record() {
        compiler=$COMPILER standard=-std=c++17
        [ "${1%.c}" = "$1" ] || compiler=$(echo "$COMPILER" | sed 's/clang++/clang/; s/g++/gcc/') standard=-std=gnu11
        "$compiler" $standard -g -O2 -o program "$1" >log 2>&1 && "$HEAPTAP" record --all -q -o "$2" -- ./program >/dev/null 2>&1
    }
    ;;
python)
    COMPILER=${COMPILER:-/usr/bin/python3}
    if [ "$COMPILER" = python3.13 ]; then # of a Debian 13 (scripts/debian), with its own C library
        root=$("$SOURCE/scripts/debian" 13 2>"$TMP/why") || exec echo "1..0 # SKIP $(tail -n 1 "$TMP/why")"
        COMPILER=$TMP/python3.13
        echo '#!/bin/sh' >"$COMPILER"
        echo "exec $root/usr/lib64/ld-linux-x86-64.so.2 --library-path $root/usr/lib/x86_64-linux-gnu --argv0 $root/usr/bin/python3.13 $root/usr/bin/python3.13 \"\$@\"" >>"$COMPILER"
        chmod +x "$COMPILER"
        export PYTHONPYCACHEPREFIX="$TMP/compiled" # else modules would be compiled at each import
        unset PYTHONDONTWRITEBYTECODE
    fi
    "$COMPILER" --version >/dev/null 2>&1 || exec echo "1..0 # SKIP there is no $COMPILER"
    record() { # without the site's modules, but where they are imported from
        sites=-S
        ! grep -q numpy "$1" || sites=
        # shellcheck disable=SC2086
        [ -z "${PYTHONPYCACHEPREFIX:-}" ] || "$COMPILER" $sites "$1" >/dev/null 2>&1
        # shellcheck disable=SC2086
        "$HEAPTAP" memtracer -q -o "$2" -- "$COMPILER" $sites "$1" >log 2>&1
    }
    ;;
lua)
    COMPILER=${COMPILER:-lua5.4}
    command -v "$COMPILER" >/dev/null || exec echo "1..0 # SKIP there is no $COMPILER"
    record() {
        "$HEAPTAP" memtracer -q -o "$2" -- "$COMPILER" "$1" >log 2>&1
    }
    ;;
esac
cd "$TMP" || exit 1
PROGRAMS=$SOURCE/tests/programs/advice/$LANGUAGE

# record_as FILE TRACE: records the program at the rate that it names; says so where that fails.
record_as() {
    RATE=$(sed -n 's/.*rate: \([0-9.e-]*\).*/\1/p' "$1")
    RATE=${RATE:-1}
    rm -f "$TRACES/$2"
    record "$1" "$2" || sed 's/^/# /' log
}

# try NAME BEFORE [AFTER]
try() {
    if grep -q 'import numpy' "$2" && ! "$COMPILER" -c 'import numpy' 2>/dev/null; then
        printf '%s\n' "# $1 is left out: there is no NumPy here"
        return
    fi
    record_as "$2" before.ctf
    [ -z "${3:-}" ] || record_as "$3" after.ctf
    verdict=right
    "$SOURCE/tests/helpers/check_advice.py" "$2" "$TRACES/before.ctf" ${3:+"$TRACES/after.ctf"} >says 2>&1 || verdict=wrong
    [ $verdict = right ]
    ok $? "$1: $(head -n 1 says)"
    sed 1d says
    [ -z "${RESULTS:-}" ] || printf '%s\t' "$LANGUAGE" "$(basename "$COMPILER")" "$1" $verdict "$(head -n 1 says)" | sed 's/\t$/\n/' >>"$RESULTS"
}

if [ -n "${UNSEEN:-}" ]; then
    for program in "$UNSEEN/$LANGUAGE"/*; do
        [ -f "$program" ] || continue
        try "$(basename "$program")" "$program"
    done
    done_testing
    exit
fi
for before in "$PROGRAMS"/*/before.*; do
    after=
    if [ -f "$(dirname "$before")/after.diff" ]; then
        after=$TMP/after.${before##*.}
        changed "$(dirname "$before")" after "$after"
    fi
    try "$(basename "$(dirname "$before")")" "$before" "$after"
done
for well in "$PROGRAMS"/well_*; do
    try "$(basename "$well")" "$well"
done

# Each row of the table has its pair.
name=$(echo "$LANGUAGE" | sed 's/ocaml/OCaml/; s/cpp/C and C++/; s/python/Python/; s/lua/Lua/')
"$HEAPTAP" advice --rules | sed -n "s/^\([a-z-]*\)  *$name: .*/\1/p" | sort >rules
for before in "$PROGRAMS"/*/before.*; do
    [ ! -f "$(dirname "$before")/after.diff" ] || sed -n 's/.*\(here\|also\): \([a-z-]*\).*/\2/p' "$before"
done | sort -u >tried
is "$(comm -23 rules tried | tr '\n' ' ')" "" "each rule has a pair of programs"
done_testing
