#!/bin/sh
# The OCaml library as it is given away: packed, unpacked elsewhere, built and installed as docs/ocaml.md says, and a
# program linked to it.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
git -C "$SOURCE" rev-parse --verify -q HEAD >/dev/null 2>&1 || skip_all "these sources are not in git"
cd "$WORK" || exit 1

name=$("$SOURCE/scripts/ocaml-release")
ok $? "the library is packed"
tar -xzf "$name"
cd "${name%.tar.gz}" || exit 1
is "$(find . -type l)" "" "no link leads out of it"
dune build -p heaptap >log 2>&1 && dune install --prefix "$WORK/installed" heaptap >>log 2>&1
status=$?
ok $status "it builds and installs by itself"
[ $status = 0 ] || sed 's/^/# /' log

mkdir "$WORK/program"
cd "$WORK/program" || exit 1
cat >dune-project <<'EOF'
(lang dune 2.9)
EOF
cat >dune <<'EOF'
(executable
 (name server)
 (libraries heaptap.memtrace))
EOF
cat >server.ml <<'EOF'
let () = Memtrace.trace_if_requested ()
let work n = List.init n (fun i -> Array.make 50 i)
let () = assert (List.length (work 100) = 100)
EOF
export OCAMLPATH="$WORK/installed/lib"
dune build ./server.exe >log 2>&1
status=$?
ok $status "a program is linked to it"
[ $status = 0 ] || sed 's/^/# /' log
MEMTRACE=server.ctf MEMTRACE_RATE=1 ./_build/default/server.exe
is "$?: $("$HEAPTAP" dump server.ctf | grep -c ' len=50 .*Server.work')" "0: 100" "... and traced"
done_testing
