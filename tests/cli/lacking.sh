#!/bin/sh
# What lacks a part of what the program did is nowhere called complete or exact, and no limit is said to hold for it.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
NO='"complete": false' YES='"complete": true'
complete() { # COMMAND ARGUMENT...: what an answer in JSON says of itself
    "$HEAPTAP" "$@" --json 2>/dev/null | grep -o '"complete": [a-z]*' | tail -1
}
matches() { # FILE PATTERN NAME
    grep -Eq "$2" "$1"
    ok $? "$3"
}

cat >many.c <<'EOF'
#include <stdlib.h>
__attribute__((noinline)) void *make(void) { return malloc(1000); }
int main(void)
{
    void *volatile kept[64] = {0};
    for (int i = 0; i < 100000; i++) {
        free(kept[i % 64]);
        kept[i % 64] = make();
    }
    for (int i = 0; i < 64; i++)
        free(kept[i]);
    return 0;
}
EOF
cc -O0 -g -o many many.c || exit 1
"$HEAPTAP" record --all --json --max-size 100k -o early.ctf -- ./many >said 2>log
[ -s early.ctf ] || {
    echo "1..0 # SKIP this build has no recorder"
    exit 0
}
"$HEAPTAP" record -q --all -o whole.ctf -- ./many
is "$(grep -c '"exact": false' said)" 1 "record: of a recording that ended early, not every block was recorded"

# ---- Limits ----
so_far='early.ctf: allocated .* keeps so far to 200 MB; a part of what the program did is missing'
run "$HEAPTAP" check early.ctf --max-allocated=200MB
is "$STATUS" 3 "check: a limit can't be said to hold"
matches out "^$so_far" "... and why"
run "$HEAPTAP" check early.ctf --max-allocated=1kB
is "$STATUS" 1 "... one that is exceeded is"
matches out "allocated .* is over " "... as always"
lacks out "missing" "... and nothing can change it"
run "$HEAPTAP" check early.ctf --max-live-at-end=1kB
is "$STATUS" 3 "... but what is left may still be freed"
matches out "live-at-end .* is perhaps over .*; a part of what the program did is missing" "... which is told"
run "$HEAPTAP" check early.ctf --expect-bytes=10G
is "$STATUS" 3 "... and too little may become as much as is expected"
run "$HEAPTAP" check early.ctf whole.ctf --max-allocated=200MB
is "$STATUS" 3 "... beside a file that keeps to its limit, too"
run "$HEAPTAP" check whole.ctf --base early.ctf --max-allocated=+5%
is "$STATUS" 3 "... and growth over it can't be told"
run "$HEAPTAP" check whole.ctf --max-allocated=200MB
is "$STATUS" 0 "a whole file keeps to its limit"
run "$HEAPTAP" check --json early.ctf --max-allocated=200MB
is "$STATUS" 3 "JSON: the same status"
has out '"verdict": "uncertain"' "... the limit does not hold for certain"
is "$(grep -c "$NO" out)" 2 "... neither its figures nor the answer are complete"
is "$(complete check whole.ctf --max-allocated=200MB)" "$YES" "... those of a whole file are"
is "$(complete check early.ctf whole.ctf --max-allocated=200MB)" "$NO" "... of both they aren't"
run "$HEAPTAP" check -f jsonl early.ctf whole.ctf --max-allocated=200MB
is "$STATUS $(sed 's/.*"complete": *//; s/[^a-z].*//' out | tr '\n' ' ')" "3 false true " "... line by line each has its own"
run "$HEAPTAP" check -f junit early.ctf --max-allocated=200MB
is "$STATUS" 3 "JUnit: the same status"
has out 'tests="1" failures="0" errors="1"' "... it is an error"
matches out "<error type=\"allocated\" message=\"$so_far" "... and why"
run "$HEAPTAP" check -f github early.ctf --max-allocated=200MB
is "$STATUS" 3 "GitHub: the same status"
matches out "^::error .*title=heaptap allocated::$so_far" "... it is an error"
run "$HEAPTAP" check -f sarif early.ctf --max-allocated=200MB
has out '"level": "error"' "SARIF: it is an error"

# ---- Reports ----
for command in summary top stats info diagnose "compare whole.ctf"; do
    is "$(complete $command early.ctf)" "$NO" "$command: not complete"
    is "$(complete $command whole.ctf)" "$YES" "... of a whole file it is"
done
is "$(complete compare early.ctf whole.ctf)" "$NO" "compare: not if the first is not complete"
if [ "${VIEWER:-}" = 1 ]; then # the page has it with the file
    missing='"remark":"a part of what the program did is missing"'
    for trace in early whole; do
        "$HEAPTAP" view -o $trace.html $trace.ctf 2>/dev/null
    done
    is "$(grep -c "$missing" early.html) $(grep -c "$missing" whole.html)" "1 0" "view: the page says so of the one that isn't whole"
fi
run "$HEAPTAP" diagnose early.ctf
lacks out "exact figures" "diagnose: the figures are not called exact"
has out "early.ctf; the file lacks a part of what the program did" "... and why"
run "$HEAPTAP" diagnose whole.ctf
has out "whole.ctf: exact figures" "... those of a whole file are"

# ---- Profiles made of it ----
"$HEAPTAP" pprof early.ctf -o made.pb.gz 2>log
for command in summary top diagnose "check --max-allocated=200MB"; do
    run "$HEAPTAP" $command made.pb.gz
    is "$(grep -c 'made.pb.gz: note: recording ended early: ' err)" 1 "$command of a profile made of it says once that it ended early"
done
is "$STATUS" 3 "... and no limit holds"
is "$(complete summary made.pb.gz)" "$NO" "... it is not complete"
run "$HEAPTAP" info made.pb.gz
is "$(cat out err | grep -c 'ended early')" 1 "info shows it as the comment that it is"
run "$HEAPTAP" summary made.pb.gz
has out "made.pb.gz: a profile of values by stack; the file lacks a part" "the summary's first line has it, too"
cp made.pb.gz again.pb.gz
run "$HEAPTAP" top made.pb.gz again.pb.gz
is "$(grep -c 'ended early' err)" 2 "of several, each says so"
"$HEAPTAP" record -q --all -o whole.pb.gz -- ./many 2>log
run "$HEAPTAP" summary whole.pb.gz
lacks err "note" "a profile of a whole recording says nothing"

# ---- Two traces, one behind the other ----
"$HEAPTAP" record -q --all -o other.ctf -- ./many
cat whole.ctf other.ctf >both.ctf
run "$HEAPTAP" summary both.ctf
has err "of another process (forked?) skipped" "two traces in one file: the second is skipped"
lacks out "exact" "... nothing is called exact"
for command in summary hotspots stats info diagnose; do
    is "$(complete $command both.ctf)" "$NO" "... $command: not complete"
done
run "$HEAPTAP" check both.ctf --max-allocated=200MB
is "$STATUS" 3 "... and no limit holds"

# ---- A file that somebody writes to while it is read ----
"$GENERATE_TRACE" large.ctf 1M >log
cp large.ctf small.ctf
"$HEAPTAP" dump large.ctf 2>err | {
    read -r _
    cat small.ctf >>large.ctf
    cat >/dev/null
}
has err "large.ctf: note: it was written to while it was read" "a file that was written to while it was read: it is said"
run "$HEAPTAP" summary small.ctf
lacks err "note" "... not where nobody did"
"$HEAPTAP" dump small.ctf 2>err | {
    read -r _
    cp large.ctf next.ctf && mv next.ctf small.ctf
    cat >/dev/null
}
lacks err "note" "... nor where another file took its place, as what is read is the one before"

# Of a trace that is being written, the first page alone says nothing of what it holds.
"$HEAPTAP" record -q --no-symbols --all -o going.ctf -- sh -c './many; sleep 3' &
going=$!
for _ in $(seq 100); do
    [ -s going.ctf ] && [ "$(wc -c <going.ctf)" -gt 50000 ] && break
    sleep 0.05
done
for bytes in 4096 8192 20480; do
    head -c $bytes going.ctf >page.ctf
    is "$(complete summary page.ctf)" "$NO" "the first $bytes bytes of a trace that is written are not complete"
    run "$HEAPTAP" check --max-allocated=1G page.ctf
    is "$STATUS" 3 "... and keep no limit"
done
wait $going

# Recorded into a pipe, where nothing can be changed later: a program that is killed leaves no end.
cat >dies.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words)
{
    void *volatile block;
    for (int i = 0; i < 20000; i++)
        block = malloc(100);
    if (words[1][0] == 'k')
        kill(getpid(), SIGKILL);
    if (words[1][0] == '_')
        _exit(0);
    return !block;
}
EOF
cc -O0 -g -w -o dies dies.c && mkfifo pipe || exit 1
for how in killed _exit returns; do
    (LD_PRELOAD=$PRELOAD MEMTRACE=pipe HEAPTAP_ALL=1 ./dies $how 2>/dev/null) &
    cat pipe >piped.ctf
    wait $!
    is "$(complete summary piped.ctf)" "$([ $how = killed ] && echo "$NO" || echo "$YES")" "into a pipe, $how"
    run "$HEAPTAP" check --max-allocated=1G piped.ctf
    is "$STATUS" "$([ $how = killed ] && echo 3 || echo 0)" "... and what is said of limits"
done

# Cut exactly between two packets, a finished trace is told to be cut: it announces its end, however it was made, and read as it is or as
# a stream.
sed 's/100000/10000/' many.c >ends.c && cc -O0 -g -o ends ends.c || exit 1
"$HEAPTAP" record -q --no-symbols --all -o bare.ctf -- ./ends
"$HEAPTAP" record -q --all -o named.ctf -- ./ends
"$HEAPTAP" file convert -o converted.ctf bare.ctf
"$HEAPTAP" file strip -o stripped.ctf named.ctf
"$HEAPTAP" file subsample -f 2 -o thinned.ctf named.ctf
"$HEAPTAP" file convert --to 2 -o two.ctf named.ctf
for trace in bare named converted stripped thinned two; do
    /usr/bin/python3 - $trace.ctf >got <<'EOF'
import json, os, subprocess, sys
HEAPTAP = os.environ["HEAPTAP"]
data = open(sys.argv[1], "rb").read()
begins = [at for at in range(1, len(data)) if data[at:at + 4] == b"\xc1\x1f\xfc\xc1"][1:]   # behind the trace info, which stands alone in an empty trace, too
wrong = []
for end in begins + [len(data)]:
    open("cut.ctf", "wb").write(data[:end])
    for words, told in (["summary", "--json", "cut.ctf"], None), (["summary", "--json", "-"], data[:end]):
        done = subprocess.run([HEAPTAP, *words], input=told, capture_output=True)
        if json.loads(done.stdout)["complete"] != (end == len(data)) or done.returncode != (0 if end == len(data) else 3):
            wrong.append((end, words[-1], done.returncode, done.stderr.decode()))
    if end < len(data) and subprocess.run([HEAPTAP, "check", "--max-allocated=1G", "cut.ctf"], capture_output=True).returncode != 3:
        wrong.append((end, "check"))
print(len(begins) > 3, wrong)
EOF
    is "$(cat got)" "True []" "$trace.ctf, cut between two packets: the end that it announces is missing"
done

done_testing
