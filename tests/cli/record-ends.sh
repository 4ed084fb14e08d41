#!/bin/sh
# A recording that ends before the program does says so: when, and why.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

# 300000 blocks of 100 bytes; with an argument in 0.6 s or more.
cat >many.c <<'EOF'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < 600; i++) {
        for (int j = 0; j < 500; j++)
            free(malloc(100));
        if (argc > 1)
            nanosleep(&pause, NULL);
    }
}
EOF
gcc -O1 -g -fno-builtin many.c -o many || exit 1
json() { # FILE KEY...: what info says in JSON
    file=$1
    shift
    "$HEAPTAP" info --json "$file" 2>/dev/null | /usr/bin/python3 -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1:]:
    value = value[int(key) if key.isdigit() else key]
print(json.dumps(value))' "$@"
}

run "$HEAPTAP" record --all -o whole.ctf -- ./many
has err "allocated 300 k objects; exact" "to the end: all is recorded"
lacks err "Recorded " "... and nothing is said of an end"
is "$(json whole.ctf trace complete) $(json whole.ctf ended_early)" "true []" "... nor by info"

run "$HEAPTAP" record --all --duration 0.2 -o time.ctf -- ./many slowly
is "$STATUS" 0 "--duration: the program goes on"
ok "$(grep -qE '^Recorded    only the first 2[0-9][0-9] ms: the time limit was reached$' err; echo $?)" "... the answer says what was recorded"
has err " objects; the file lacks a part" "... and of which part its figures are"
is "$(grep -c 'ended early' err)" 0 "... once"
is "$(json time.ctf trace complete) $(json time.ctf ended_early 0 reason)" 'false "the time limit was reached"' "... info: JSON"
ok "$([ "$(json time.ctf ended_early 0 time_us)" -ge 200000 ]; echo $?)" "... and when"
run "$HEAPTAP" info time.ctf
ok "$(grep -qE '^Note +recording ended early, after 2[0-9][0-9] ms: the time limit was reached$' out; echo $?)" "... info: text"
is "$(cat out err | grep -c 'ended early')" 1 "... once"
for command in top leaks hotspots; do
    run "$HEAPTAP" $command time.ctf
    has err "time.ctf: note: recording ended early, after 2" "... $command has a note"
done
run "$HEAPTAP" hotspots --format json time.ctf
has out '"complete": false' "... hotspots in JSON"
run "$HEAPTAP" top --json time.ctf
has out '"complete": false' "... top in JSON"
"$HEAPTAP" file convert -o copy.ctf.gz time.ctf && "$HEAPTAP" file strip -o bare.ctf copy.ctf.gz
is "$(json bare.ctf ended_early)" "$(json time.ctf ended_early)" "... copies keep it"

run "$HEAPTAP" record --all --max-size 100k -o size.ctf -- ./many
is "$STATUS" 0 "--max-size: the program goes on"
has err "size.ctf: the size limit was reached; the recording ends here" "... told when it happens, as what it is"
ok "$(grep -qE '^Recorded    only the first .*s: the size limit was reached$' err; echo $?)" "... and in the answer"
is "$(json size.ctf trace complete) $(json size.ctf ended_early 0 reason)" 'false "the size limit was reached"' "... info"

# The file can't grow: as on a full disk, but for the word.
cat >limit.sh <<'EOF'
ulimit -f 200
exec ./many
EOF
run "$HEAPTAP" record --all --no-symbols -o 'full.%e.ctf' -- sh limit.sh
is "$STATUS" 0 "no room: the program goes on"
is "$(json full.many.*ctf trace complete) $(json full.many.*ctf ended_early 0 reason)" 'false "File too large"' "... info says why"

run "$HEAPTAP" record --all --duration 0.2 -o time.pb.gz -- ./many slowly
has err "Recorded    only the beginning: the time limit was reached" "a profile: the answer"
"$HEAPTAP" pprof -o made.pb.gz time.ctf 2>/dev/null
for file in time made; do
    is "$(zcat $file.pb.gz | grep -aoE 'recording ended early: the time limit was reached' | head -1)" \
        "recording ended early: the time limit was reached" "... a comment: $file.pb.gz"
done
# What lacks a part is called complete by no report.
"$HEAPTAP" pprof -o whole.pb.gz whole.ctf
"$HEAPTAP" record -q --all -o all.pb.gz -- ./many
for file in whole.ctf whole.pb.gz all.pb.gz time.ctf time.pb.gz made.pb.gz; do
    for command in hotspots top leaks flamegraph; do
        "$HEAPTAP" $command --json $file >json 2>err
        case $file in
        whole* | all*) has json '"complete": true' "$command $file: complete" ;;
        *) has json '"complete": false' "$command $file: not complete" ;;
        esac
    done
done
# Recording that a signal stops and starts has an unknown part of it.
run "$HEAPTAP" record --all --toggle -o toggled.ctf -- ./many
has err "Recorded    only while SIGUSR2 had recording on" "--toggle: it isn't said that all was recorded"

# A trace that somebody cuts: what follows from that is said.
cat >cut.c <<'EOF'
#include <stdlib.h>
int main(int count, char **arguments)
{
    void *volatile block = malloc(10);
    free(block);
    if (system(arguments[1]) != 0)
        return 3;
    for (int i = 0; count > 2 && i < 1000; i++)
        block = malloc(10);
    return 7;
}
EOF
cc -O0 -o cut cut.c || exit 1
run "$HEAPTAP" record --all --no-follow -o cut.ctf -- ./cut ': >cut.ctf' more
is "$STATUS" 7 "a trace that is cut: the program goes on"
has err "cut.ctf: cut short by another program; the recording ends here" "... is said"
run "$HEAPTAP" record --all --no-follow -o cut.ctf -- ./cut 'mv cut.ctf moved.ctf' more
is "$STATUS" 7 "a trace that is renamed: the program goes on"
has err "cut.ctf: a trace was begun here, but is missing: it was removed or renamed" "... is said"
is "$("$HEAPTAP" dump moved.ctf | grep -c ' len=10 ')" 1001 "... and what was recorded is there, by its new name"

# A shell whose limit on stacks is small.
for kilobytes in 64 128 1000; do
    (ulimit -s $kilobytes; "$HEAPTAP" record --all -o stack.ctf -- sh -c 'ulimit -s; exit 3') >out 2>err
    is "$? $(cat out)" "3 $kilobytes" "with stacks of $kilobytes kB: the command has that limit, and its status is told"
    has err " objects; exact" "... and heaptap answers"
    (ulimit -s $kilobytes; "$HEAPTAP" advice stack*.ctf) >out 2>err
    is "$?" 0 "... and goes on with it"
done

# Whoever reads the answer reads a line of it, or none: the status is the program's, and the trace is whole.
for lines in 0 1; do
    for output in p.ctf p.pb.gz; do
        rm -f $output
        { "$HEAPTAP" record --all -o $output -- sh -c 'exit 7' 2>&1; echo $? >status; } | head -n $lines >/dev/null
        is "$(cat status)" 7 "$lines lines are read, $output: the status is the program's"
        "$HEAPTAP" info $output >out 2>err
        is "$? $(cat err)" "0 " "... and what was recorded is there"
    done
done
"$HEAPTAP" record -q -o p.ctf -- sh -c 'grep ^SigIgn: /proc/self/status' >with
sh -c 'grep ^SigIgn: /proc/self/status' >without
same with without "the program ignores no signal for it"
{ "$HEAPTAP" record -q -o p.ctf -- yes; echo $? >status; } | head -n 1 >out
is "$(cat status) $(cat out)" "141 y" "a program that SIGPIPE ends is ended by it"
done_testing
