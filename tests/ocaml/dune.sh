# Builds the OCaml library and its test programs with the machine's own OCaml.  Source it after tap.sh: it sets
# $OCAML_TESTS, the folder of the programs, or skips the script where there is no OCaml.
command -v ocamlfind >/dev/null && command -v dune >/dev/null || {
    echo "1..0 # SKIP no OCaml here (scripts/setup --tests installs it)"
    exit 0
}
OCAML_BUILD=$BUILD/ocaml/native
mkdir -p "$OCAML_BUILD"
exec 9>"$OCAML_BUILD.lock"
flock 9
DUNE_CACHE=disabled dune build --root "$SOURCE/bindings/ocaml" --build-dir "$OCAML_BUILD" --profile release \
    @install @all >"$TMP/dune.log" 2>&1 9>&- || {
    sed 's/^/# /' "$TMP/dune.log"
    echo "Bail out! the OCaml library does not build"
    exit 1
}
rm -f "$TMP/dune.log"
exec 9>&-
OCAML_TESTS=$OCAML_BUILD/default/test
