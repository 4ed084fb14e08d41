#!/bin/sh
# Runs one of the OCaml test programs, which print TAP: run.sh NAME [bytecode]
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
if [ "${2:-}" = bytecode ]; then
    inside env CAML_LD_LIBRARY_PATH="$OCAML_BUILD/default/src" ocamlrun "$OCAML_TESTS/$1.bc"
else
    inside "$OCAML_TESTS/$1.exe"
fi
