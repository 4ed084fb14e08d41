#!/bin/sh
# docs/sessions.md, whole: sessions.sh ocaml, or the others.
. "$SOURCE/tests/cli/tap.sh"
names="readings index memo records"
if [ "$1" = ocaml ]; then
    . "$SOURCE/tests/ocaml/dune.sh"
    export OCAMLPATH="$OCAML_BUILD/install/default/lib"
    names="ledger report"
fi
command -v c++ >/dev/null || exec echo "1..0 # SKIP there is no C++ compiler"
# shellcheck disable=SC2086
"$SOURCE/tests/helpers/sessions.py" "$HEAPTAP" $names --compare "$SOURCE/docs/sessions.md"
