# Builds the OCaml library and its test programs: with the machine's own OCaml, or where $OCAML is 5 with that of a
# Debian 13 to chroot into (scripts/debian).  Source it after tap.sh.  It sets
#   $OCAML_TESTS   the folder of the programs, as they see it
#   $OCAML_ROOT    what to put before a file's name to see it from here: empty, or the folder of the chroot
#   $WORK          a folder for their files, as they see it
#   inside COMMAND...  runs a command where they run, in $WORK
# or skips the script, where there is no such OCaml.
skip_all() {
    echo "ocaml: SKIPPED: $1" >&2
    echo "1..0 # SKIP $1"
    exit 0
}

build_with() {
    mkdir -p "$OCAML_ROOT$OCAML_BUILD"
    inside dune build --root "$1" --build-dir "$OCAML_BUILD" --profile release @install @test/all \
        ./examples/boxing_before.exe ./examples/boxing_after.exe $OCAML_MORE \
        >"$TMP/dune.log" 2>&1 || {
        sed 's/^/# /' "$TMP/dune.log"
        echo "Bail out! the OCaml library does not build"
        exit 1
    }
    rm -f "$TMP/dune.log"
}

# The sources are copied into the chroot, with what their links lead to.
copy_sources() {
    rm -rf "$OCAML_ROOT$1"
    mkdir -p "$OCAML_ROOT$1"
    tar -C "$SOURCE/bindings/ocaml" -chf - --exclude=_build . | tar -C "$OCAML_ROOT$1" -xf -
}

export DUNE_CACHE=disabled
OCAML_MORE=
if [ "${OCAML:-}" = 5 ]; then
    OCAML_ROOT=$("$SOURCE/scripts/debian" 13 2>"$TMP/debian.log") || skip_all "$(tail -n 1 "$TMP/debian.log")"
    place=/srv/$(printf %s "$BUILD" | cksum | cut -d' ' -f1)
    OCAML_BUILD=$place/build
    WORK=$place/work.$$
    trap 'rm -rf "$TMP" "$OCAML_ROOT$WORK"' EXIT
    inside() {
        chroot "$OCAML_ROOT" /usr/bin/env -C "$WORK" HOME=/root PATH=/usr/bin:/bin "$@"
    }
else
    command -v ocamlfind >/dev/null && command -v dune >/dev/null ||
        skip_all "no OCaml here (scripts/setup --tests installs it)"
    OCAML_ROOT=
    ! ocamlfind query alcotest >/dev/null 2>&1 || OCAML_MORE="./examples/one_test.exe ./examples/limits.exe"
    place=$BUILD/ocaml
    OCAML_BUILD=$place/build
    WORK=$TMP
    inside() {
        (cd "$WORK" && "$@")
    }
fi
mkdir -p "$OCAML_ROOT$place" "$OCAML_ROOT$WORK"
exec 9>"$OCAML_ROOT$place/lock"
flock 9
if [ "${OCAML:-}" = 5 ]; then
    copy_sources "$place/source"
    build_with "$place/source"
else
    build_with "$SOURCE/bindings/ocaml"
fi
flock -u 9
OCAML_TESTS=$OCAML_BUILD/default/test
