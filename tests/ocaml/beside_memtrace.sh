#!/bin/sh
# One program, traced at rate 1 by this library and by memtrace: the same events in the same order, each block with its
# size and stack.  And memtrace's reader finds in our trace what ours finds.  Skipped where ocamlfind knows no memtrace
# (OCAMLPATH may say where it is).
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
ocamlfind query memtrace >/dev/null 2>&1 || skip_all "no memtrace here"
cd "$WORK" || exit 1
tests=$SOURCE/bindings/ocaml/test
theirs=${OCAMLPATH:-}
ours=$OCAML_BUILD/install/default/lib

# compile OCAMLPATH PACKAGE PROGRAM FILES...
compile() {
    path=$1 package=$2 program=$3
    shift 3
    OCAMLPATH=$path ocamlfind ocamlopt -w -a -g -thread -package "$package" -linkpkg "$@" -o "$program" >log 2>&1
}

must() {
    "$@" && return
    sed 's/^/# /' log
    echo "Bail out! $4 does not compile"
    exit 1
}

cp "$tests/workload.ml" .
echo 'let () = Memtrace.trace_if_requested (); Workload.run ()' >main.ml
cat >dump.ml <<'EOF'
open Memtrace.Trace

let () =
  let t = Reader.open_ ~filename:Sys.argv.(1) in
  let put (l : Location.t) = Printf.printf "\t%s %s:%d:%d-%d" l.defname l.filename l.line l.start_char l.end_char in
  Reader.iter t (fun _ event ->
    match event with
    | Alloc a ->
      Printf.printf "%d: %d words, %d samples, %b" (a.obj_id :> int) a.length a.nsamples (a.source = External);
      for i = 0 to a.backtrace_length - 1 do
        List.iter put (Reader.lookup_location_code t a.backtrace_buffer.(i))
      done;
      print_newline ()
    | Promote (ID) -> Printf.printf "%d promoted\n" (id :> int)
    | Collect (ID) -> Printf.printf "%d ended\n" (id :> int))
EOF
sed 's/(ID)/(id, _)/' dump.ml >with_domain.ml
sed 's/(ID)/id/' dump.ml >without_domain.ml

must compile "$ours" heaptap.memtrace ours.exe workload.ml main.ml
must compile "$ours" heaptap.memtrace our_dump.exe with_domain.ml
must compile "$theirs" memtrace theirs.exe workload.ml main.ml
compile "$theirs" memtrace their_dump.exe with_domain.ml ||
    must compile "$theirs" memtrace their_dump.exe without_domain.ml

# The minor heap is so large that it is collected when the program says so only.
for who in ours theirs; do
    OCAMLRUNPARAM=s=8M MEMTRACE=$who.ctf MEMTRACE_RATE=1 ./$who.exe
    ./our_dump.exe $who.ctf >$who
done
ok "$([ "$(grep -c samples ours)" -gt 20000 ]; echo $?)" "twenty thousand blocks and more"
same ours theirs "the program's trace is that of memtrace, event by event: sizes, stacks, promotions and ends"
./their_dump.exe ours.ctf >read_by_memtrace
same ours read_by_memtrace "memtrace's reader finds the same in it"
ok "$([ "$(wc -c <ours.ctf)" -le "$(wc -c <theirs.ctf)" ]; echo $?)" "it is not larger"
done_testing
