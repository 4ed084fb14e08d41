#!/bin/bash
# Whatever ends a program, every block that it got before is in its profile, or in its last interval's: by its own count.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
mkdir temporary
export TMPDIR=$TMP/temporary
gcc -O1 -g -fno-builtin "$SOURCE/tests/targets/die.c" -o die -pthread || exit 1
gcc -O2 -g "$SOURCE/tests/targets/phases.c" -o phases || exit 1

counted() { # what the program counted
    od -An -tu8 -N8 counter | tr -d ' '
}
# recorded FILE...: the blocks of 3001 bytes.
recorded() {
    /usr/bin/python3 - "$@" <<'EOF'
import gzip, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf import message, varint
total = 0
for path in sys.argv[1:]:
    for sample in map(message, message(gzip.decompress(open(path, "rb").read())).get(2, [])):
        if message(sample[3][0]).get(3) == [3001]:
            total += varint(sample[2][0], 0)[0]
print(total)
EOF
}

is_complete() { # FILE
    "$HEAPTAP" summary --json "$1" 2>err | grep '"complete"' | tr -d ' ,'
}

# A block may have been recorded, and the program ended before it counted it.
agrees() { # NAME GOT
    local count
    count=$(counted)
    [ "$count" -gt 0 ] && [ "$2" -ge "$count" ] && [ "$2" -le $((count + 2)) ]
    ok $? "$1 (counted $count, recorded $2)"
}

for how in exit _exit exit_group SIGTERM SIGKILL SIGSEGV abort exec crash_in_malloc thread burst sleep \
    busy-_exit busy-exit busy-quick_exit busy-exit_group busy-SIGKILL; do
    rm -rf p*.pb.gz d counter
    "$HEAPTAP" record -q --no-symbols --no-follow --all -o p.pb.gz -- ./die "$how" counter >output 2>&1
    agrees "$how, a profile" "$(recorded p.pb.gz)"
    is "$(is_complete p.pb.gz)" '"complete":true' "... which is complete"
    "$HEAPTAP" record -q --no-symbols --no-follow --all --every 1s -o d -- ./die "$how" counter >output 2>&1
    agrees "$how, intervals" "$(recorded d/*)"
done
is "$(find . -name '*.sums')$(ls -A "$TMPDIR")" "" "nothing is left behind"

# heaptap dies first, the program afterwards.
rm -rf p.pb.gz counter
("$HEAPTAP" record -q --no-symbols --all -o p.%p.pb.gz -- ./die SIGKILL counter too >output 2>&1) 2>/dev/null
sleep 0.5
left=$(ls p.*.pb.gz)
is "$(is_complete "$left")" '"complete":false' "a profile is not complete while its process runs, nor when a signal ends that and heaptap"
has err "note: the process was still running when this was written" "... which is said"
run "$HEAPTAP" check --max-objects=1000000 "$left"
is "$STATUS" 3 "... and no limit is said to hold"
run "$HEAPTAP" record -q --no-symbols --all -o p.%p.pb.gz -- true
agrees "what a killed heaptap left is saved by the next one" "$(recorded "$left")"
is "$(is_complete "$left")" '"complete":true' "... and complete"
is "$(find . -name '*.sums')" "" "... and then is gone"
if [ "$(id -u)" = 0 ]; then
    rm -f p.*.pb.gz counter
    ("$HEAPTAP" record -q --no-symbols --all -o p.%p.pb.gz -- ./die SIGKILL counter too >output 2>&1) 2>/dev/null
    sleep 0.5
    left=$(ls p.*.pb.gz)
    rm "$left"
    echo before >victim
    ln -s victim "$left" && chown -h nobody "$left"
    run "$HEAPTAP" record -q --no-symbols --all -o r.pb.gz -- true
    is "$(cat victim)" before "somebody else's link in its place is not followed"
    rm "$left"
    : >"$left"
    run "$HEAPTAP" record -q --no-symbols --all -o r.pb.gz -- true
    agrees "... and the data are there until it is gone" "$(recorded "$left")"
fi
rm -rf d counter
("$HEAPTAP" record -q --no-symbols --all --every 1s -o d -- ./die SIGKILL counter too >output 2>&1) 2>/dev/null
sleep 0.5
run "$HEAPTAP" record --all --every 1s -o e -- ./phases 0.1 1
has err "$TMPDIR/heaptap-" "a folder of intervals that nobody takes is named by the next recording"
has err "1 profile of a recording whose heaptap was killed" "... with what lies there"
agrees "... whole" "$(recorded "$TMPDIR"/heaptap-*/*.pb.*)"
rm -rf "$TMPDIR"/heaptap-*
run "$HEAPTAP" record -q --all --every 1s -o e -- ./phases 0.1 1
is "$(cat err)" "" "... as long as it is there"

# What is done to the profiles, or to what lies beside them, is done to no program.
cat >sites.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void deep(unsigned path, int left)
{
    if (left == 0) {
        void *volatile block = malloc(100);
        free(block);
    } else if (path & 1) {
        deep(path >> 1, left - 1);
    } else {
        deep(path >> 1, left - 1);
        __asm__("");
    }
}
int main(int count, char **arguments)
{
    deep(0, 13);
    if (system(arguments[1]) != 0)
        return 9;
    for (unsigned i = 0; i < 8192; i++)
        deep(i, 13);
    if (count > 2)
        kill(getpid(), SIGKILL);
    return 7;
}
EOF
cc -O0 -o sites sites.c || exit 1
for end in "" killed; do
    status=$([ "$end" ] && echo 137 || echo 7)
    for done in 'for f in .s.* s.pb.gz; do : >"$f"; done' 'rm -f .s.* s.pb.gz' 'mv s.pb.gz away'; do
        rm -f s.pb.gz away
        run "$HEAPTAP" record --no-symbols --no-follow --all -o s.pb.gz -- ./sites "$done" $end
        is "$STATUS" $status "$done ${end:+of a program that is killed}: the status"
        has err " 8.2 k objects; exact" "... and nothing is lost"
    done
    for done in 'mv "$TMPDIR"/heaptap-*/.s.pb.gz.sums away' 'rm -f "$TMPDIR"/heaptap-*/.s.*.sums'; do
        rm -f s.pb.gz away
        run "$HEAPTAP" record --no-symbols --no-follow --all -o s.pb.gz -- ./sites "$done" $end
        is "$STATUS" $status "$done ${end:+of a program that is killed}: the status"
        has err "/.s.pb.gz.sums: the data gathered here for $PWD/s.pb.gz were removed or renamed" "... is said"
        lacks err " 8.2 k objects; exact" "... and the profile isn't called whole"
    done
done
is "$(find . -name '*.sums')$(ls -A "$TMPDIR")" "" "nothing is left behind"

# Where heaptap's folder can't be made or has no room, it is kept beside the profile.
cat >killed.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
void *volatile kept[2000];
int main(void)
{
    for (int i = 0; i < 2000; i++)
        kept[i] = malloc(3001);
    kill(getpid(), SIGKILL);
}
EOF
cc -O0 -o killed killed.c || exit 1
mkdir full small
for place in /no/such/folder /proc full; do
    if [ $place = full ]; then
        mount -t tmpfs -o size=200k heaptap-test full 2>/dev/null || continue
        trap 'umount -l "$TMP/full"' EXIT
        head -c 204800 /dev/zero >full/fill
        place=$TMP/full
    fi
    rm -f q*.pb.gz
    TMPDIR=$place run "$HEAPTAP" record --no-symbols --all -o q.pb.gz -- ./killed
    is "$(recorded q.pb.gz)" 2000 "TMPDIR=$place: a killed program's profile is whole"
    rm -f q*.pb.gz
    TMPDIR=$place run "$HEAPTAP" record --no-symbols --all -o q.pb.gz -- sh -c './killed; exit 0'
    is "$(recorded q*.pb.gz)" 2000 "... that of a child, too"
    is "$(grep 'heaptap record' err)$(find . -name '*.sums')" "" "... and nothing is said, or left behind"
done
rm -rf p*.pb.gz counter
(TMPDIR=/no/such/folder "$HEAPTAP" record -q --no-symbols --all -o p.%p.pb.gz -- ./die SIGKILL counter too >output 2>&1) 2>/dev/null
sleep 0.5
left=$(ls p.*.pb.gz)
run "$HEAPTAP" record -q --no-symbols --all -o p.%p.pb.gz -- true
agrees "what a killed heaptap left beside a profile is saved by the next one" "$(recorded "$left")"

# Where there is no room there either, what is lost is said.
if mountpoint -q full; then
    mount -t tmpfs -o size=12k heaptap-test small
    trap 'umount -l "$TMP/full" "$TMP/small"' EXIT
    export TMPDIR=$TMP/full
    run "$HEAPTAP" record --all -o small/q.pb.gz -- ./killed
    has err "$TMPDIR/heaptap-" "no room for anything: the place is named"
    has err "No space left on device; if a signal ends the process, what was recorded since its profile was last written is lost" \
        "... with the reason, and what is lost"
    has err "Recorded    only the beginning: what came then was in the process's memory alone" "... the answer says so"
    lacks err "no allocation was recorded before a signal" "... and not that there was none"
    rm -f small/*
    run "$HEAPTAP" record --all --no-symbols -o small/q.pb.gz -- sh -c './killed; exit 0'
    is "$(grep -c 'exact$' err)" 0 "... nor is a recording exact that lacks a child's"
    # Intervals go through TMPDIR: without room there, all would be lost.
    run "$HEAPTAP" record --every 1s -o intervals -- sh -c 'echo ran >&2'
    is "$STATUS $(grep -c '^ran$' err)" "4 0" "intervals: no room in TMPDIR is said before the command runs"
    has err "$TMPDIR: No space left on device; profiles are put together there: name a folder that has room with TMPDIR=" "... with what to do"
    is "$(ls -A "$TMPDIR")" fill "... and nothing is left there"
    export TMPDIR=$TMP/temporary

    # Room for what is gathered, and none for the profile.
    rm -f small/*
    cat /dev/zero >small/fill 2>/dev/null
    run "$HEAPTAP" record --no-symbols --all -o small/q.pb.gz -- ./die exit counter
    has err "small/q.pb.gz: No space left on device" "no room for the profile: that is the reason"
    lacks err "another program truncated it" "... and no other is given"
    rm -rf small/* "$TMPDIR"/heaptap-*
fi

# Whatever TMPDIR is, the profile of a program that ends well is whole.
TMPDIR=/no/such/folder "$HEAPTAP" record -q --no-symbols --all -o q.pb.gz -- ./die exit counter >output 2>&1
agrees "no folder for it" "$(recorded q.pb.gz)"
(ulimit -f 8; "$HEAPTAP" record -q --no-symbols --all -o r.pb.gz -- ./die exit counter >output 2>&1)
agrees "a limit on files" "$(recorded r.pb.gz)"
done_testing
