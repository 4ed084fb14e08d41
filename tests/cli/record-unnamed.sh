#!/bin/sh
# What looks up names when the command has ended may end itself, by a crash, or as memory runs out: the command's status and the
# answer are not touched by that.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cc -g -O1 -o blocks "$SOURCE/tests/targets/blocks.c" || exit 1

# heaptap itself under a limit: libdw ends whoever has too little.
for output in x.ctf x.pb.gz; do
    is "$(for limit in "-v 24000" "-v 26000" "-v 27000" "-v 28000" "-v 29000" "-v 30000" "-v 31000" "-v 32000" "-d 16500" "-d 20000"; do
        rm -f x.*
        sh -c "ulimit $limit; exec '$HEAPTAP' --version" >out 2>&1 || continue # it can't even be loaded
        run sh -c "ulimit $limit; exec '$HEAPTAP' record -o $output -- ./blocks"
        [ "$STATUS $(cat out)" = "7 0 failed" ] || echo "$limit: $STATUS $(cat out)"
        grep -qE 'blocks \(pid|runs without being recorded' err || echo "$limit: $(cat err)"
    done)" "" "heaptap under limits of memory, -o $output: the command's status, and an answer"
done

# What ends the lookup, wherever there is enough memory for all else.
cat >ends.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *dwfl_begin(const void *callbacks)
{
    const char *how = getenv("HOW");
    if (!strcmp(how, "exit"))
        exit(1);
    kill(getpid(), !strcmp(how, "kill") ? SIGKILL : SIGSEGV);
    abort();
}
EOF
cc -shared -fPIC -o ends.so ends.c || exit 1
for how in exit kill crash; do
    for output in x.ctf x.pb.gz x.ctf.gz; do
        rm -f x.*
        run env HOW=$how LD_PRELOAD="$TMP/ends.so" "$HEAPTAP" record -o $output -- ./blocks
        is "$STATUS $(cat out)" "7 0 failed" "the lookup ends by $how, -o $output: the command's status"
        has err "names could not be looked up: the process that did this ended early; try again with \`heaptap file symbolize $output\`" "... said"
        has err " 2.0 k objects; exact" "... and answered without names"
        lacks err "Names are missing" "... nothing false"
        "$HEAPTAP" file symbolize $output
        ok "$("$HEAPTAP" hotspots --json $output | grep -q '"main"'; echo $?)" "... they can be looked up afterwards"
    done
    run env HOW=$how LD_PRELOAD="$TMP/ends.so" "$HEAPTAP" record -q --expect-bytes 100M -o x.ctf -- sh -c './blocks; exit 0'
    is "$STATUS" 1 "... what was expected is judged"
done
# Profiles of intervals get their names while the command runs.
for how in exit kill crash; do
    rm -rf every
    run env HOW=$how LD_PRELOAD="$TMP/ends.so" "$HEAPTAP" record --every 1 -o every -- sh -c 'sleep 1.5; exec ./blocks'
    is "$STATUS $(cat out)" "7 0 failed" "the lookup ends by $how, --every: the command's status"
    is "$(grep -c 'names could not be looked up: the process that did this ended early; profiles have addresses' err)" 1 "... said once"
    is "$("$HEAPTAP" info --json every/*-blocks.* | grep -A2 '"alloc_objects"' | grep -o '"total": 200.')" '"total": 2001' "... and what was recorded is there"
done
rm -rf every
run "$HEAPTAP" record --every 1 -o every -- ./blocks
lacks err "names could not" "where it does not end, there are names"
is "$(zcat every/*-blocks.* | grep -ac blocks.c)" 1 "... of functions, files and lines"
is "$(find . -name '.heaptap-*')" "" "no file stays that was not finished"
done_testing
