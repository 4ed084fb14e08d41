#!/bin/bash
# heaptap record --every: a profile of each interval.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
mkdir temporary
export TMPDIR=$TMP/temporary
gcc -O2 -g "$SOURCE/tests/targets/phases.c" -o phases || exit 1

# totals FOLDER TYPE: what each profile of a folder has of a type, in their order.
totals() {
    for profile in "$1"/*; do
        "$HEAPTAP" info --json "$profile" >"$TMP/info.json"
        field "$TMP/info.json" "[t['total'] for t in d['sample_types'] if t['type'] == '$2'][0]"
    done | paste -sd' '
}
sum() {
    /usr/bin/python3 -c 'import sys; print(sum(map(int, sys.argv[1].split())))' "$1"
}

run "$HEAPTAP" record --all --every 1s -o whole -- ./phases 1.2 3
is "$STATUS" 0 "--every"
cp err said
has said "4 profiles of 1 process in whole" "... says what there is"
is "$(ls whole | wc -l)" 4 "... a profile for each second, and one for the rest"
is "$(ls whole | sed 's/^[0-9]*-[0-9]*-phases\.[0-9]*\./N./' | paste -sd' ')" \
    "N.000001.pb.gz N.000002.pb.gz N.000003.pb.gz N.000004.pb.gz" "... whose names are in the order of time"
is "$(sum "$(totals whole alloc_objects)")" 636 "all intervals together: every block of the run"
is "$(sum "$(totals whole alloc_space)")" $((600 * 64 + 36 * 7)) "... and all bytes"
for profile in whole/*; do
    for type in alloc_objects inuse_objects; do
        "$HEAPTAP" top --json --sample=$type "$profile" >top.json
        field top.json "sum(f['flat'] for f in d['nodes'] if f['name'] == 'make_blocks')"
    done | paste -sd' '
done >blocks
is "$(paste -sd, blocks)" "100 50,200 150,300 300,0 300" "each interval has what was allocated in it, and what is alive at its end"
is "$(for profile in whole/*; do "$HEAPTAP" info --json "$profile" >info.json
    field info.json "'%d %d' % (d['time_ns'] // 1000, (d['time_ns'] + d['duration_ns']) // 1000)"; done | /usr/bin/python3 -c '
import sys
spans = [list(map(int, line.split())) for line in sys.stdin]
print(all(abs(a[1] - b[0]) <= 1 for a, b in zip(spans, spans[1:])), all(b - a < 2_500_000 for a, b in spans))')" \
    "True True" "one interval begins where the last one ended"
"$HEAPTAP" tree --json --sample=alloc_objects whole/*2.pb.gz >tree.json
ok $(grep -q '"phases.c\|make_blocks' tree.json; echo $?) "the second profile has names, too"
is "$(ls "$TMPDIR")" "" "nothing is left behind"

run "$HEAPTAP" record --all --every 1s -o exec -- ./phases 1.2 1 exec
is "$(sum "$(totals exec alloc_objects)")" $((2 * (100 + 12))) "a program that becomes another: both are there"
is "$(ls exec | grep -c -- '-2\.0')" 2 "... by names that tell them apart"

run "$HEAPTAP" record --all --every 1s -o killed -- ./phases 1.2 1 kill
is "$STATUS" 137 "a program that is killed"
is "$(ls killed | wc -l)" 2 "... leaves all of its intervals"
is "$(sum "$(totals killed alloc_objects)")" 112 "... with all that it allocated"

run "$HEAPTAP" record --all --every 1s -o forks -- ./phases 1.2 1 fork
is "$(ls forks | wc -l)" 2 "forks do not cut intervals short"
is "$(sum "$(totals forks alloc_objects)")" 112 "... and nothing is counted twice"

run "$HEAPTAP" record --all --every 1s -o shell -- sh -c './phases 1.2 1 & ./phases 1.2 1 & wait'
is "$(ls shell | grep phases | cut -d. -f2 | sort -u | wc -l)" 2 "processes that run at the same time have profiles of their own"
mkdir of-phases && mv shell/*-phases.* of-phases/
is "$(sum "$(totals of-phases alloc_objects)")" $((2 * 112)) "... with all that they allocated"

run "$HEAPTAP" record --rate 1e-9 --every 1s -o quiet -- ./phases 0.1 1
has err "nothing was sampled" "a program of which nothing is sampled"
is "$STATUS" 0 "... is no fault"

run "$HEAPTAP" record --every 0.5s -o x -- true
has err "--every takes a time from 1s to 24hrs, such as 60s, not '0.5s'" "too short an interval"
run "$HEAPTAP" record --every 10s -- true
has err "--every needs -o FOLDER" "no place for profiles"
is "$STATUS" 2 "... is refused"
run "$HEAPTAP" record --every 10s --max-size 1M -o x -- true
has err "--every and --max-size exclude each other" "--max-size is for traces"
touch file
run "$HEAPTAP" record --every 10s -o file -- true
has err "file: cannot keep profiles there: Not a directory" "a file is no folder"
is "$STATUS" 4 "... and the command is not run"

# Profiles are counted that are there, and what is said of none is so.
cat >few.c <<'EOF'
#include <stdlib.h>
int main(void)
{
    for (int i = 0; i < 100; i++)
        if (!malloc(1000))
            return 1;
    return 7;
}
EOF
cc -O0 -o few few.c || exit 1
run "$HEAPTAP" record --no-symbols --all --every 1s -o few.d -- ./few
is "$STATUS $(grep -c '^1 profile of 1 process in few.d$' err) $(ls few.d | wc -l)" "7 1 1" "one profile"
rm -rf few.d
run "$HEAPTAP" record --no-symbols --all --every 1s -o few.d -- sh -c 'rm -rf few.d; exec ./few'
is "$STATUS" 7 "a folder that is removed meanwhile: the status"
has err "were lost" "... profiles are"
lacks err " in few.d" "... and none is said to be there"
run "$HEAPTAP" record --no-symbols --rate 1e-9 --every 1s -o few.d -- ./few
has err "no profile was written: nothing was sampled in ./few" "none, as nothing was sampled"
run "$HEAPTAP" record --no-symbols --all --every 1s -o few.d -- ./few
mkdir -p "$TMP/tmp/heaptap-others"
: >"$TMP/tmp/heaptap-others/.owner"
echo other >"$TMP/tmp/heaptap-others/.p.pb.gz.sums"
ln -s "$PWD/p.pb.gz" "$TMP/tmp/heaptap-others/.p.pb.gz.of"
for output in "--every 1s -o few.d" "-o few.pb.gz"; do
    run env TMPDIR="$TMP/tmp" "$HEAPTAP" record -q --no-symbols --all $output -- ./few
    is "$STATUS $(cat err)" "7 " "$output: what another heaptap left, of a version that isn't known, is left alone"
done
is "$(ls -A "$TMP/tmp/heaptap-others" | wc -l)" 3 "... and there"

# A daemon goes on when the command has ended: that it is recorded no more is missing data, and said with -q, too.
cat >daemon.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    void *volatile block = malloc(1000);
    if (daemon(1, 1) != 0)
        return 1;
    block = malloc(1000);
    sleep(3);
}
EOF
cc -O0 -w -o daemon daemon.c || exit 1
for quiet in "" -q; do
    run "$HEAPTAP" record $quiet --no-symbols --all --every 1s -o daemon.d -- ./daemon
    has err "heaptap record: 1 process is still running, and recorded no more" "a daemon ${quiet:-that goes on}"
done
run "$HEAPTAP" record -q --no-symbols --all --every 1s -o few.d -- ./few
is "$(cat err)" "" "where all have ended there is nothing to say"
done_testing
