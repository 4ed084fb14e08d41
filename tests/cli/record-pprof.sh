#!/bin/bash
# heaptap record -o x.pb.gz: a profile without a trace in between tells what the trace's profile does.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
gcc -O2 -g -pthread -Wl,--build-id "$SOURCE/tests/targets/allocates.c" -o allocates || exit 1

cat >mappings.py <<'EOF'
import gzip, sys
sys.path.insert(0, sys.argv[1])
from protobuf import message
top = message(gzip.open(sys.argv[2]).read())
for mapping in map(message, top[3]):
    one = lambda key: mapping.get(key, [0])[0]
    text = lambda key: top[6][one(key)].decode()
    print("mapping", text(5), one(3) - one(2), one(4), text(6), *map(one, range(7, 11)))
EOF

# The totals of a profile, its mappings, and its stacks with the objects and bytes of each.
figures() {
    python3 mappings.py "$SOURCE/tests/helpers" "$1" | sort
    for type in alloc_objects alloc_space inuse_objects inuse_space; do
        "$HEAPTAP" flamegraph --sample=$type "$1" | sed "s/^/$type /" | sort
    done
    "$HEAPTAP" info --json "$1" | python3 -c '
import json, sys
for kind in json.load(sys.stdin)["sample_types"]:
    if kind["type"] != "lifetime":
        print(kind["type"], kind["unit"], kind["total"])'
}

# both STATUS COMMAND...: its profile made from a trace (t.pb.gz) and recorded directly (p.pb.gz).
both() {
    local status=$1
    shift
    run "$HEAPTAP" record -q --all -o t.ctf -- "$@"
    is "$STATUS" "$status" "$*: the trace, status $status"
    "$HEAPTAP" pprof t.ctf -o t.pb.gz
    run "$HEAPTAP" record -q --all -o p.pb.gz -- "$@"
    is "$STATUS" "$status" "$*: the profile, status $status"
    figures t.pb.gz >wanted
    figures p.pb.gz >got
    same got wanted "$*: the same stacks, mappings and totals"
}

# With the debug files that are installed, and with none, as on most machines.
mkdir none debug
for debug in "" none; do
    export HEAPTAP_DEBUG_DIR=${debug:+$TMP/$debug}
    both 0 ls -l /
    for how in "" thread chdir; do
        both 5 ./allocates $how
    done
    has got "main" "... with names"
    lacks got ";0x" "... and no frame is an address"
done
is "$(grep '^alloc_space _start' got | grep -cv ';libc.so.6+0x[0-9a-f]*;main;')" 0 \
    "without debug files, main is called by a place in libc"

# A stack without its outer callers: the dynamic linker calls a library's constructor.
echo 'int main() {}' | g++ -x c++ - -Wl,--no-as-needed -o constructs
both 0 ./constructs
is "$("$HEAPTAP" hotspots --csv p.pb.gz | sed 1d | cut -d, -f1 | sort)" "$("$HEAPTAP" hotspots --csv t.pb.gz | sed 1d | cut -d, -f1 | sort)" "... and the same places"
is "$("$HEAPTAP" hotspots --csv p.pb.gz | grep -c '^<truncated>')" 0 "... none of them the mark of callers that are missing"

# What is named to go on with can be asked of the profile.
"$HEAPTAP" record --all -o go.pb.gz -- ./allocates >log 2>err
is "$(grep '^Go on' err)" "Go on with: heaptap hotspots go.pb.gz (or view, leaks)" "a profile: no report that needs single blocks"
for report in hotspots leaks; do
    run "$HEAPTAP" $report go.pb.gz
    is "$STATUS" 0 "... $report answers"
done

# A stripped program, whose debug file comes later.
id=$(readelf -n allocates | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/${id%"${id#??}"}"
objcopy --only-keep-debug allocates "debug/.build-id/${id%"${id#??}"}/${id#??}.debug"
cp allocates whole
strip allocates
both 5 ./allocates
has got "allocates+0x" "a stripped program: places in it"
lacks got ";main;" "... without names"
HEAPTAP_DEBUG_DIR=$TMP/debug
"$HEAPTAP" file symbolize t.pb.gz 2>err
"$HEAPTAP" file symbolize p.pb.gz 2>err
figures t.pb.gz >wanted
figures p.pb.gz >got
same got wanted "... symbolize finds its functions in the debug file that has come"
has got ";main;" "... with names"
both 5 ./allocates
has got ";main;" "... as recording does"
unset HEAPTAP_DEBUG_DIR
mv whole allocates
is "$(ls | grep -e new -e tmp)" "" "... and no other file is left"

run "$HEAPTAP" record --all -o p.pb.gz -- ./allocates
is "$STATUS" 5 "told: status 5"
ok "$(grep -q "^In use  *98 kB *100 % leaf .*allocates.c:22" err; echo $?)" "... what is left"
ok "$(grep -q "^Allocated  *195 kB *100 % leaf .*allocates.c:22" err; echo $?)" "... who allocated"
has err "Go on with: heaptap hotspots p.pb.gz (or view, leaks)" "... and how to go on"
run "$HEAPTAP" hotspots --sample=inuse_objects p.pb.gz
has out "allocates.c:22" "the profile has lines"

run "$HEAPTAP" record --all --no-symbols -q -o raw.pb.gz -- ./allocates
run "$HEAPTAP" info raw.pb.gz
ok "$(grep -Eq '^ *START +LIMIT NAMED BUILD ID +MAPPING$' out && grep -Eq ' no [0-9a-f]+ .*/allocates$' out; echo $?)" "--no-symbols: addresses and mappings"
run "$HEAPTAP" top --granularity lines raw.pb.gz
has out "leaf" "... which a report looks up where the binary is there"
run "$HEAPTAP" file symbolize raw.pb.gz -o named.pb.gz
is "$STATUS" 0 "symbolize: status 0"
figures p.pb.gz >wanted
figures named.pb.gz >got
same got wanted "... gives the same"
"$HEAPTAP" file symbolize - <raw.pb.gz >piped.pb.gz
same piped.pb.gz named.pb.gz "... through a pipe too"
cp raw.pb.gz place.pb.gz
"$HEAPTAP" file symbolize place.pb.gz
same place.pb.gz named.pb.gz "... and in place"

run "$HEAPTAP" record --all -q -o k.pb.gz -- ./allocates kill
is "$STATUS" 137 "killed: status 137"
"$HEAPTAP" info --json k.pb.gz >k.json
is "$(field k.json "[t['total'] for t in d['sample_types'] if t['type'] in ('alloc_objects', 'alloc_space')]")" "[150, 200000]" "killed at once: a whole profile, of all"
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
"$HEAPTAP" file symbolize alone.pb.gz
figures alone.pb.gz >got
figures p.pb.gz >wanted
same got wanted "without the command: the library alone"

run "$HEAPTAP" record --max-size 1M -o m.pb.gz -- ./allocates
is "$STATUS" 2 "--max-size of a profile: wrong usage"
has err "--max-size is for traces" "... told why"
run "$HEAPTAP" record -o nowhere/m.pb.gz -- ./allocates
has err "nowhere" "a folder that is not there is told"
# Sampled: how many samples, and bounds.
run "$HEAPTAP" record --rate 0.1 -o s.pb.gz -- ./allocates
ok "$(grep -Eq '^Recorded    .* objects; estimates from [0-9]+ samples; 95 % bounds: [0-9.]+ [kM]?B to [0-9.]+ [kM]?B allocated, ' err; echo $?)" "a sampled profile has bounds, and samples" err
run "$HEAPTAP" record --all -o e.pb.gz -- ./allocates
lacks err "sample" "... which an exact one has not"

# Of several processes all are counted.
cat >four.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile kept;
static void keep(int count)
{
    while (count-- > 0)
        kept = malloc(1000);
}
int main(void)
{
    keep(10);
    for (int child = 0; child < 3; child++)
        if (fork() == 0) {
            keep(100);
            return 0;
        }
    while (wait(NULL) > 0)
        ;
    return 0;
}
EOF
cc -g -O0 -o four four.c
run "$HEAPTAP" record --all -o four.pb.gz ./four
has err "Recorded    310 objects; exact" "the blocks of all processes"

# env has a recording of its own before it becomes the interpreter, whose process has one name.
cat >lines.py <<'EOF'
#!/usr/bin/env python3
kept = [bytearray(1000) for _ in range(300)]
EOF
chmod +x lines.py
(PATH=/usr/bin:/bin; export PATH; exec "$HEAPTAP" record --all -o lines.pb.gz -- ./lines.py) >out 2>err
is "$("$HEAPTAP" info --json lines.pb.gz | grep -c '"language: Python"')" 1 "a script that env starts: the profile is of its lines"

done_testing
