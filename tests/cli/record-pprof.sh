#!/bin/bash
# heaptap record -o x.pb.gz: a profile without a trace in between tells what the trace's profile does.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
gcc -O2 -g -pthread -Wl,--build-id "$SOURCE/tests/targets/allocates.c" -o allocates || exit 1

# The totals of a profile, and its stacks with the objects and bytes of each.
figures() {
    for type in alloc_objects alloc_space inuse_objects inuse_space; do
        "$HEAPTAP" flamegraph --sample=$type "$1" | sed "s/^/$type /" | sort
    done
    "$HEAPTAP" info --json "$1" | python3 -c '
import json, sys
for kind in json.load(sys.stdin)["sample_types"]:
    if kind["type"] != "lifetime":
        print(kind["type"], kind["unit"], kind["total"])'
}

for how in "" thread chdir; do
    run "$HEAPTAP" record -q --all -o t.ctf -- "./allocates" $how
    is "$STATUS" 5 "allocates $how: the trace, status 5"
    "$HEAPTAP" pprof t.ctf -o t.pb.gz
    run "$HEAPTAP" record -q --all -o p.pb.gz -- "./allocates" $how
    is "$STATUS" 5 "allocates $how: the profile, status 5"
    figures t.pb.gz >wanted
    figures p.pb.gz >got
    same got wanted "allocates $how: the same stacks and totals"
done
has got "main" "... with names"
is "$(ls)" "$(ls | grep -v -e new -e tmp)" "... and no other file is left"

run "$HEAPTAP" record --all -o p.pb.gz -- ./allocates
is "$STATUS" 5 "told: status 5"
has err "98 kB in 100 objects at the end" "... what is left"
has err "leaf  allocates.c:22" "... who allocated"
has err "heaptap hotspots p.pb.gz" "... and how to go on"
run "$HEAPTAP" hotspots --sample=inuse_objects p.pb.gz
has out "allocates.c:22" "the profile has lines"

run "$HEAPTAP" record --all --no-symbols -q -o raw.pb.gz -- ./allocates
run "$HEAPTAP" info raw.pb.gz
has out "without names of functions" "--no-symbols: addresses and mappings"
run "$HEAPTAP" top --granularity lines raw.pb.gz
has out "leaf" "... which a report looks up where the binary is there"
run "$HEAPTAP" symbolize raw.pb.gz -o named.pb.gz
is "$STATUS" 0 "symbolize: status 0"
figures p.pb.gz >wanted
figures named.pb.gz >got
same got wanted "... gives the same"
"$HEAPTAP" symbolize - <raw.pb.gz >piped.pb.gz
same piped.pb.gz named.pb.gz "... through a pipe too"
cp raw.pb.gz place.pb.gz
"$HEAPTAP" symbolize place.pb.gz
same place.pb.gz named.pb.gz "... and in place"

run "$HEAPTAP" record --all -q -o k.pb.gz -- ./allocates kill
is "$STATUS" 137 "killed: status 137"
is "$("$HEAPTAP" info --json k.pb.gz | grep -c '"samples": *0,')" 1 "killed at once: a whole profile, of nothing"
run "$HEAPTAP" record --all -q --toggle -o l.pb.gz -- ./allocates last
is "$STATUS" 137 "killed after a save: status 137"
is "$("$HEAPTAP" hotspots --json --sample=alloc_objects l.pb.gz | python3 -c '
import json, sys
print({site["function"]: site["value"] for site in json.load(sys.stdin)["sites"]}["leaf"])')" 151 "... the last saved profile is there"

run "$HEAPTAP" record --all -o f.pb.gz -- ./allocates fork
is "$(ls f*.pb.gz | wc -l)" 2 "a forked child has a profile of its own"
is "$(for f in f.*.pb.gz; do "$HEAPTAP" info --json "$f"; done | grep -c '"comments"')" 1 "... with the pid in its name"
has err "f.pb.gz" "... both are listed"

MEMTRACE=$TMP/alone.pb.gz HEAPTAP_ALL=1 LD_PRELOAD=$PRELOAD ./allocates
"$HEAPTAP" symbolize alone.pb.gz
figures alone.pb.gz >got
figures p.pb.gz >wanted
same got wanted "without the command: the library alone"

run "$HEAPTAP" record --max-size 1M -o m.pb.gz -- ./allocates
is "$STATUS" 2 "--max-size of a profile: wrong usage"
has err "--max-size is for traces" "... told why"
run "$HEAPTAP" record -o nowhere/m.pb.gz -- ./allocates
has err "nowhere" "a folder that is not there is told"
done_testing
