#!/bin/sh
# Runs one of the OCaml test programs, which print TAP: run.sh NAME
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
inside "$OCAML_TESTS/$1.exe"
