#!/bin/sh
# The OCaml library as an opam package: the release's archive, from a repository on this machine, built in opam's sandbox,
# with what its depexts name; a program linked to it.
#   OCAML_BIN   a folder with another OCaml's ocamlc and ocamlopt, to be tried instead of the one in PATH
# The compiler and dune are those that are there: opam gets empty packages for them.  With OCaml 5.3, as Debian 13 has it:
#   scripts/bare trixie sh -c 'scripts/setup --tests && meson setup build && meson test -C build "ocaml4 opam"'
. "$SOURCE/tests/cli/tap.sh"
skip_all() {
    echo "opam: SKIPPED: $1" >&2
    echo "1..0 # SKIP $1"
    exit 0
}
for program in opam bwrap dune ocamlfind rsync; do
    command -v $program >/dev/null || skip_all "there is no $program (scripts/setup --tests installs it)"
done
bwrap --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all "bubblewrap, opam's sandbox, does not work here"
git -C "$SOURCE" rev-parse --verify -q HEAD >/dev/null 2>&1 || skip_all "these sources are not in git"
[ -z "${OCAML_BIN:-}" ] || PATH=$OCAML_BIN:$PATH
cd "$TMP" || exit 1
export HOME=$TMP OPAMROOT=$TMP/opam OPAMYES=1 OPAMCOLOR=never OPAMROOTISOK=1 DUNE_CACHE=disabled
unset OPAMSWITCH OPAM_SWITCH_PREFIX OCAMLPATH

archive=$("$SOURCE/scripts/ocaml-release")
version=${archive#heaptap-ocaml-}
version=${version%.tar.gz}
ocaml=$(ocamlc -version)

# package NAME VERSION [LINE]: one for what is there already
package() {
    mkdir -p "repository/packages/$1/$1.$2"
    printf 'opam-version: "2.0"\nmaintainer: "-"\nsynopsis: "-"\n%s\n' "${3:-}" >"repository/packages/$1/$1.$2/opam"
}
mkdir repository
echo 'opam-version: "2.0"' >repository/repo
package ocaml "$ocaml"
package dune "$(dune --version)"
package base-unix base
package base-threads base
mkdir -p "repository/packages/heaptap/heaptap.$version"
{
    tar -xzOf "$archive" "${archive%.tar.gz}/heaptap.opam" | grep -v -e '^version:' -e '^name:'
    printf 'url {\n  src: "file://%s"\n  checksum: "sha256=%s"\n}\n' "$TMP/$archive" "$(sha256sum "$archive" | cut -d' ' -f1)"
} >"repository/packages/heaptap/heaptap.$version/opam"

opam init --bare --no-setup local "$TMP/repository" >log 2>&1 && opam switch create test --empty >>log 2>&1
ok $? "opam has the repository (OCaml $ocaml)"
grep -q 'sandbox.sh' opam/config
ok $? "... and builds in its sandbox"
is "$(opam show -f depexts heaptap 2>>log | grep -o 'libxxhash-dev' | head -n 1)" libxxhash-dev \
    "the package names the Debian package that it needs"
opam install heaptap >>log 2>&1
status=$?
ok $status "it builds and installs"
[ $status = 0 ] || sed 's/^/# /' log
is "$(opam list --installed --columns=version --short heaptap)" "$version" "... and opam says so"

mkdir program
cd program || exit 1
echo '(lang dune 2.9)' >dune-project
printf '(executable\n (name server)\n (modes exe byte)\n (libraries heaptap.memtrace))\n' >dune
cat >server.ml <<'EOT'
let () = Memtrace.trace_if_requested ()
let work n = List.init n (fun i -> Array.make 50 i)
let () = assert (List.length (work 100) = 100)
EOT
OCAMLPATH=$(opam var lib)
CAML_LD_LIBRARY_PATH=$OCAMLPATH/stublibs
export OCAMLPATH CAML_LD_LIBRARY_PATH
dune build ./server.exe ./server.bc >../log 2>&1
status=$?
ok $status "a program is linked to it"
[ $status = 0 ] || sed 's/^/# /' ../log
for kind in exe bc; do
    MEMTRACE=$kind.ctf MEMTRACE_RATE=1 ./_build/default/server.$kind
    is "$?: $("$HEAPTAP" dump $kind.ctf | grep -c ' len=50 .*Server.work')" "0: 100" "... and traced: .$kind"
done
done_testing
