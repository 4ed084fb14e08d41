#!/bin/sh
# Several profiles in one command, and profiles into profiles: merged, and under a filter.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
export TZ=UTC

# The same library at another address; what both have is one.
heap() { # FILE START COUNTS
    printf 'heap profile: 1: 8 [9: 900] @ heapprofile\n' >"$1"
    for offset in 200:100 300:100; do
        printf '%s @ 0x%x 0x%x\n' "$3" $(($2 + 0x${offset%:*})) $(($2 + 0x${offset#*:})) >>"$1"
    done
    printf '\nMAPPED_LIBRARIES:\n%x-%x r-xp 00001000 fe:00 1 /bin/no such program\n' "$2" $(($2 + 0x2000)) >>"$1"
}
heap a.heap 0x400000 '2: 1536 [3: 2560]'
heap b.heap 0x7f0000 '1: 100 [1: 100]'
run "$HEAPTAP" flamegraph a.heap b.heap
is "$STATUS" 0 "two profiles in one command"
is "$(cat out)" "0x4000ff;0x4001ff 1636
0x4000ff;0x4002ff 1636" "... are added up, wherever the program was loaded"
for command in top tree traces hotspots graph leaks 'export -f folded'; do
    run "$HEAPTAP" $command a.heap b.heap b.heap
    is "$STATUS" 0 "$command takes several"
done
run "$HEAPTAP" peek a.heap such b.heap
is "$STATUS" 0 "peek takes others after the expression"
run "$HEAPTAP" tree --callers a.heap such b.heap
is "$STATUS" 0 "callers, too"
run "$HEAPTAP" pprof a.heap b.heap -o both.pb.gz
is "$STATUS" 0 "pprof writes the sum"
run "$HEAPTAP" flamegraph -s alloc_objects both.pb.gz
is "$(cat out)" "0x4000ff;0x4001ff 4
0x4000ff;0x4002ff 4" "... of each sample type"
run "$HEAPTAP" info both.pb.gz
has out "Samples     4," "... with samples told apart by their labels"
printf 'main;f 3\nmain;g 4\n' >a.folded
printf 'main;g 5\nh 6\n' >b.folded
run "$HEAPTAP" pprof a.folded b.folded -o both.pb.gz
run "$HEAPTAP" info both.pb.gz
has out "Samples     3," "... equal ones added up"
run "$HEAPTAP" flamegraph both.pb.gz
is "$(cat out)" "h 6
main;f 3
main;g 9" "... from folded stacks"

# Under a filter.
run "$HEAPTAP" pprof both.pb.gz focus=main hide='^f$' -o some.pb.gz
is "$STATUS" 0 "a profile of what a filter leaves of a profile"
run "$HEAPTAP" flamegraph some.pb.gz
is "$(cat out)" "main 3
main;g 9" "... with stacks as the filter leaves them"
run "$HEAPTAP" info some.pb.gz
has out "filter: focus=main hide=^f" "... and a comment that tells of it"
has out "in 2 functions" "... and no function that is left out"
run "$HEAPTAP" pprof a.heap tag:bytes=768 -o some.pb.gz
run "$HEAPTAP" info some.pb.gz
has out "Samples     2," "labels stay"
run "$HEAPTAP" pprof a.folded focus=nobody -o none.pb.gz
is "$STATUS" 0 "a filter that leaves nothing"
has err "the filter leaves nothing of it" "... is told"
run "$HEAPTAP" info none.pb.gz
has out "samples (count): 0 in all" "... and gives a profile of nothing"

# Names that a file of strings can't have as they are.
printf '{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}, {"name": ""}]}, "profiles": [' >nameless.json
printf '{"type": "sampled", "unit": "bytes", "samples": [[0, 1]], "weights": [5]}]}' >>nameless.json
run "$HEAPTAP" pprof nameless.json -o nameless.pb.gz
run "$HEAPTAP" flamegraph nameless.pb.gz
is "$(cat out)" "main; 5" "a function without a name is written so that it can be read"
printf 'ma\377in;f 5\n' >bytes.folded
run "$HEAPTAP" pprof bytes.folded -o bytes.pb.gz
run "$HEAPTAP" flamegraph bytes.pb.gz
is "$(cat out)" "$(printf 'ma\357\277\275in;f 5')" "what is no UTF-8 is replaced"

# What can't be.
run "$HEAPTAP" top a.heap a.folded
is "$STATUS" 2 "sample types have to agree"
has err "a.folded: it has no sample type alloc_objects in count, as the first file has" "... is said"
run "$HEAPTAP" top a.folded a.heap
has err "a.heap: it has no sample type samples in count" "... of the other file"
run "$HEAPTAP" top a.folded "$GOLDEN/valid/ocamlopt-small-v3.ctf"
is "$STATUS" 2 "profiles and traces are not merged"
has err "ocamlopt-small-v3.ctf: this is a trace: it can't be read as one with profiles, whose values have no times" "... is said"
run "$HEAPTAP" top "$GOLDEN/valid/ocamlopt-small-v3.ctf" a.folded
is "$STATUS" 2 "... nor the other way round"
has err "a.folded: this is a profile: it can't be read as one with traces, whose blocks have times" "... is said"
run "$HEAPTAP" top a.folded missing
is "$STATUS" 2 "a file that is not there"
has err "'missing' is neither a file nor a clause of a filter" "... is said"
run "$HEAPTAP" stats a.folded b.folded
is "$STATUS" 3 "profiles have no single blocks"
run "$HEAPTAP" pprof --with-events a.folded -o x.pb.gz
is "$STATUS" 2 "--with-events is for traces"
done_testing
