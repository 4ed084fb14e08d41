#!/bin/sh
# Several traces, or a folder of them, as one: every figure is the sum, the peak that of the sum.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
figure() { # FILE PATH: a member of an answer in JSON
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for part in sys.argv[2].split("."):
    value = value[int(part) if part.isdigit() else part]
print(round(value, 6) if isinstance(value, float) else value)' "$1" "$2"
}

# A process that keeps 100 blocks, waits for a child that keeps 300 and ends, and then for one that keeps 200: at most 400 are alive.
cat >tree.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void __attribute__((noinline)) keep(int count)
{
    void *volatile block;
    while (count-- > 0)
        block = malloc(1000);
}
int main(void)
{
    keep(100);
    if (fork() == 0)
        keep(300), _exit(0);
    wait(NULL);
    usleep(2000);
    if (fork() == 0)
        keep(200), exit(0);
    wait(NULL);
    execl("./other", "other", NULL);
}
END
cat >other.c <<'END'
#include <stdlib.h>
int main(void)
{
    void *volatile block;
    for (int i = 0; i < 50; i++)
        block = malloc(1000);
    free(block);
    free(malloc(5000));
}
END
gcc -g -O0 -w tree.c -o tree && gcc -g -O0 -w other.c -o other || exit 1
mkdir run
run "$HEAPTAP" record -q --all -o 'run/%e.%p.ctf' -- ./tree
is "$STATUS $(ls run | wc -l)" "0 4" "four programs, as one became another, four traces"
echo "not a trace" >run/notes.txt
run "$HEAPTAP" info --json run
cp out info.json
is "$(figure info.json allocated.bytes) $(figure info.json allocated.objects)" "655000 651" "a folder of traces: what they allocated in all"
is "$(figure info.json live_at_end.bytes)" 649000 "... what was alive as each ended"
is "$(figure info.json peak.bytes)" 400000 "... and the peak of the sum, in which those that have ended have no part"
is "$(python3 -c 'import json; print(sorted((p["executable"].split("/")[-1], p["allocated_bytes"]) for p in json.load(open("info.json"))["processes"]))')" \
    "[('other', 55000), ('tree', 100000), ('tree', 200000), ('tree', 300000)]" "... with each process"
run "$HEAPTAP" info run/*.ctf --json
is "$(figure out allocated.bytes) $(figure out peak.bytes)" "655000 400000" "the same of several that are named"
has out 'and 3 more"' "... the name of which says how many"
run "$HEAPTAP" timeline --json run
is "$(figure out series.peak_bytes)" 400000 "timeline: the peak of the sum"
run "$HEAPTAP" top --json run live-at=peak
is "$(figure out selected)" 400000 "live-at=peak: what is alive then"
run "$HEAPTAP" top --json run live-at=end
is "$(figure out selected)" 649000 "live-at=end: what is alive as its process ends"
run "$HEAPTAP" leaks --json run
is "$(figure out selected)" 649000 "leaks: the same"
run "$HEAPTAP" flamegraph run --format folded
is "$(grep -c ';keep ' out)" 1 "places of one program are one, wherever the processes had it in memory"
is "$(sed -n 's/.*;keep //p' out)" 600000 "... with what all of them allocated there"
run "$HEAPTAP" types --json run program='/other$'
is "$(figure out selected)" 55000 "a program's part"
run "$HEAPTAP" tags run
has out "53.7kB ( 8.40%): other" "tags: programs and what each allocated"
for report in info hotspots top tree traces types tags leaks advice timeline stats graph summary; do
    run "$HEAPTAP" $report --json run
    is "$STATUS" 0 "$report takes a folder"
    cp out whole
    HEAPTAP_WHOLE_MODEL=0 "$HEAPTAP" $report --json run >folded
    same whole folded "... and answers the same from folded rows"
done
run "$HEAPTAP" compare --json run run
is "$STATUS" 0 "compare takes two folders"

# A file and a copy of it: twice the figures.
trace=$(ls run/tree*.ctf | head -1)
cp "$trace" copy.ctf
run "$HEAPTAP" hotspots --json "$trace"
cp out once
run "$HEAPTAP" hotspots --json "$trace" copy.ctf
is "$(figure out sites.0.bytes)" "$((2 * $(figure once sites.0.bytes)))" "a trace and its copy: twice its bytes"
golden=$GOLDEN/valid/ocamlopt-small-v3.ctf
cp "$golden" copy.ctf
"$HEAPTAP" flamegraph "$golden" --format folded >once
"$HEAPTAP" flamegraph "$golden" copy.ctf --format folded >twice
sed 's/ [0-9]*$//' once >a
sed 's/ [0-9]*$//' twice >b
same a b "a trace of OCaml's heap and its copy: the same stacks"
is "$(awk '{ sum += $NF } END { print sum }' twice)" "$(awk '{ sum += $NF } END { print 2 * sum }' once)" "... of twice the bytes"

# Where one goes on after all others have ended, and allocates nothing more, what these left is not alive at the end.
cat >waits.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *kept[4];
int main(int count, char **words)
{
    kept[0] = malloc(1000);
    for (int i = 1; i < 4; i++)
        if (fork() == 0)
            kept[i] = malloc(50000), usleep(100000), _exit(0);
        else if (words[1][0] == 'a')
            wait(NULL);
    while (wait(NULL) > 0)
        ;
    usleep(300000);
}
EOF
gcc -g -O0 -w waits.c -o waits || exit 1
for how in after beside; do
    mkdir "$how"
    run "$HEAPTAP" record -q --all -o "$how/%e.%p.ctf" -- ./waits $how
    run "$HEAPTAP" timeline --json "$how"
    /usr/bin/python3 - >got <<'EOF'
import json
answer = json.load(open("out"))
series = answer["series"]
print(series["steps"][-1]["live"]["bytes"], series["peak_bytes"])
EOF
    is "$(cat got)" "1000 $([ $how = after ] && echo 51000 || echo 151000)" "processes that ended one $how the other: what they left is not alive while another goes on"
    run "$HEAPTAP" leaks "$how"
    has out "147 kB in 4 objects left as their processes ended, the last after" "... but left"
    run "$HEAPTAP" summary "$how"
    ok "$(grep -qE '^At the peak .*█.*▁ ' out; echo $?)" "... and so the bars say"
done

# A file that is called like a trace, and is none that can be read, is not passed over without a word, nor is a copy of one.
mkdir lost && "$HEAPTAP" record -q --all -o 'lost/%e.%p.ctf' -- ./tree
"$HEAPTAP" summary --json lost >whole.json
last=$(ls lost/*.ctf | tail -1)
cp "$last" kept.ctf
echo "no trace" >lost/notes.txt
for how in empty short zeros damaged garbage; do
    case $how in
    empty) : >"$last" ;;
    short) printf abc >"$last" ;;
    zeros) head -c 20000 /dev/zero >"$last" ;;
    damaged) { printf x && tail -c +2 kept.ctf; } >"$last" ;;
    garbage) seq 5000 >"$last" ;;
    esac
    run "$HEAPTAP" check lost --max-allocated=1G
    is "$STATUS:$(grep -c "$last: it is called like a trace, and is none that can be read: it is left out" err)" 3:1 "$how: it is named, and no limit is said to hold"
    run "$HEAPTAP" summary --json lost
    is "$(grep -o '"complete": [a-z]*' out)" '"complete": false' "... nor is the answer complete"
    run "$HEAPTAP" summary lost
    lacks out "exact" "... or exact"
done
cp kept.ctf "$last"
run "$HEAPTAP" summary --json lost
is "$(grep -v '"trace":' out | diff - whole.json | grep -c complete):$(cat err)" 0: "whole again: nothing is said"
cp kept.ctf lost/zz.ctf
run "$HEAPTAP" summary lost
has err "lost/zz.ctf: note: it is of the same process as $last, and of the same time: if it is a copy, its blocks count twice" "a copy is told"

# A process that goes on after `heaptap record`: while it runs and when it has ended, its functions are found by their names.
cat >outlives.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
static void *volatile block;
__attribute__((noinline)) static void parent_holds(void) { block = malloc(1000); }
__attribute__((noinline)) static void child_holds(void) { block = malloc(2000); }
int main(void)
{
    char byte;
    int ends[2];
    parent_holds();
    if (pipe(ends) == 0 && fork() == 0) {
        child_holds();
        (void)!write(ends[1], "", 1);
        usleep(1500000);
        _exit(0);
    }
    return read(ends[0], &byte, 1) != 1;
}
EOF
gcc -g -O0 -w outlives.c -o outlives && mkdir outlives.d || exit 1
run "$HEAPTAP" record -q --all -o 'outlives.d/%e.%p.ctf' -- ./outlives
for when in running ended; do
    run "$HEAPTAP" check outlives.d -v focus=child_holds --max-allocated=1
    is "$STATUS:$(sed 's/.*focus=child_holds: //' out)" "1:2.0 kB child_holds $TMP/outlives.c:5" "$when: the limit of a function is judged"
    run "$HEAPTAP" summary outlives.d
    case $when in
    running) is "$(grep -c 'still being written' err):$(grep -c 'had after 0 us' err)" 1:0 "... and it is said what time it had reached" ;;
    ended) is "$(cat err)" "" "... and nothing is left to be said" ;;
    esac
    for _ in $(seq 50); do
        "$HEAPTAP" summary outlives.d 2>&1 >/dev/null | grep -q 'still being written' || break
        sleep 0.1
    done
done

# Programs of Python and Lua, one after another: each has ended before the next one begins, however it ends.
cat >child.py <<'END'
import os, sys
end, size = sys.argv[1], int(sys.argv[2])
kept = [bytes(1000000) for i in range(size)]
if end == "_exit":
    os._exit(0)
if end == "abort":
    os.abort()
if end == "exec":
    os.execv("/bin/true", ["true"])
if end == "execve":
    os.execve(os.open("/bin/true", os.O_RDONLY), ["true"], {})
END
cat >main.py <<'END'
import os, subprocess, sys
for size, end in enumerate(sys.argv[1:]):
    subprocess.run([sys.executable, "-I", "-S", "child.py", end, str(size + 5)], check=end != "abort")
if os.fork() == 0:
    kept = [bytes(1000000) for i in range(9)]
    os._exit(0)
os.wait()
END
cat >child.lua <<'END'
local kept = {}
for i = 1, tonumber(arg[2]) do
  kept[i] = ("x"):rep(1000000 + i)
end
if arg[1] == "exit" then
  os.exit(0)
end
END
cat >main.lua <<'END'
for i, how in ipairs { "return", "exit", "return" } do
  assert(os.execute("exec lua5.4 child.lua " .. how .. " " .. i + 3))
end
END
# Of the traces in a folder but that of the first process: how many have ended, and whether the peak of the sum is that of the largest.
in_turn() { # FOLDER
    python3 -c '
import glob, json, subprocess, sys
def info(*files):
    return json.loads(subprocess.run([sys.argv[1], "info", "--json", *files], stdout=subprocess.PIPE).stdout)
names = sorted(glob.glob(sys.argv[2] + "/*.ctf"), key=lambda name: int(name.split(".")[-2]))
peaks = [info(name)["peak"]["bytes"] for name in names[1:]]
whole = info(*names[1:])["peak"]["bytes"]
print(len(peaks), whole == max(peaks), 4000000 < whole < 20000000)' "$HEAPTAP" "$1"
}
mkdir python lua
run "$HEAPTAP" record -q --all -o 'python/%e.%p.ctf' -- /usr/bin/python3 -I -S main.py exit _exit abort
is "$STATUS $(in_turn python)" "0 4 True True" "programs of Python in turn: the peak of the sum is that of the largest"
for end in exec execve; do
    mkdir python-$end
    run "$HEAPTAP" record -q --all -o "python-$end/%e.%p.ctf" -- /usr/bin/python3 -I -S main.py $end $end
    rm -f python-$end/true.*
    is "$STATUS $(in_turn python-$end)" "0 3 True True" "... that become another program by $end"
done
if command -v lua5.4 >lua.txt; then
    run "$HEAPTAP" record -q --all -o 'lua/%e.%p.ctf' -- lua5.4 main.lua
    rm -f lua/dash.* lua/sh.*
    is "$STATUS $(in_turn lua)" "0 3 True True" "... of Lua"
else
    skip "Lua" "there is no lua5.4 here"
fi

# Rates: the lowest holds for all, and what is exact is thinned.
run "$HEAPTAP" record -q --rate 0.03125 -o low.ctf -- ./other
run "$HEAPTAP" info --json low.ctf run
is "$(figure out trace.sample_rate)" "$("$HEAPTAP" info --json low.ctf | python3 -c 'import json, sys; print(round(json.load(sys.stdin)["trace"]["sample_rate"], 6))')" "the lowest of their rates"
ok "$(python3 -c 'import json; a = json.load(open("out"))["allocated"]; exit(not a["bytes_low"] <= 710000 <= a["bytes_high"])'; echo $?)" \
    "... with the truth within the bounds"

# What can't be.
run "$HEAPTAP" top "$golden" "$trace"
is "$STATUS" 2 "words of different sizes"
has err "has words of 64 bits, and $trace of 8: they can't be read as one" "... are told"
mkdir none
run "$HEAPTAP" top none
is "$STATUS" 3 "an empty folder"
has err "none: this folder has no traces and no profiles" "... is told"
head -c 1000 "$trace" >cut.ctf
run "$HEAPTAP" top cut.ctf "$trace"
is "$STATUS" 3 "one that is cut"
has err "cut.ctf: " "... is named"
has out "keep" "... and the rest is answered"
run "$HEAPTAP" file strip -o x.ctf run
is "$STATUS" 3 "a command that changes a file takes no folder"

# ---- The same file twice ----
# It counts once, whatever it is called, and a note says so.
mkdir linked profiles
cp "$trace" one.ctf
ln one.ctf linked/hard.ctf
ln -s ../one.ctf linked/symbolic.ctf
"$HEAPTAP" pprof one.ctf -o profiles/one.pb.gz
once() { # NOTE FILE...
    note=$1
    shift
    run "$HEAPTAP" info --json "$1"
    figure out allocated.bytes >once
    run "$HEAPTAP" info --json "$@"
    is "$STATUS $(figure out allocated.bytes) $(cat err)" "0 $(cat once) heaptap info: $note" "twice: $*"
    is "$(figure out remark)" "$(basename "${note%%: note*}"): ${note#*: note: }" "... also in JSON"
}
once "one.ctf: note: is named more than once, and counts once" one.ctf one.ctf
once "./one.ctf: note: is the same file as one.ctf, and counts once" one.ctf ./one.ctf
once "linked/hard.ctf: note: is the same file as one.ctf, and counts once; the same holds for 2 more" one.ctf linked one.ctf
run "$HEAPTAP" leaks one.ctf linked/symbolic.ctf
is "$STATUS $(cat err)" "0 heaptap leaks: linked/symbolic.ctf: note: is the same file as one.ctf, and counts once" "leaks of a link to it"
run "$HEAPTAP" top linked
is "$STATUS $(cat err)" "0 heaptap top: linked/symbolic.ctf: note: is the same file as linked/hard.ctf, and counts once" "a folder with a link"
run "$HEAPTAP" pprof -o twice.pb.gz profiles/one.pb.gz profiles
is "$STATUS $(cat err)" "0 heaptap pprof: profiles/one.pb.gz: note: is named more than once, and counts once" "profiles, and the folder in which they are"
for file in profiles/one.pb.gz twice.pb.gz; do
    "$HEAPTAP" info --json "$file" >"$(basename "$file").json"
done
is "$(figure twice.pb.gz.json sample_types.0.total)" "$(figure one.pb.gz.json sample_types.0.total)" "... count once"
"$HEAPTAP" info --json - - <one.ctf >out 2>err
is "$? $(figure out allocated.bytes) $(cat err)" "0 $(cat once) heaptap info: standard input: note: is named more than once, and counts once" "standard input"
run "$HEAPTAP" compare one.ctf one.ctf
is "$STATUS $(cat err)" "0 " "a comparison may be of a file with itself"
done_testing
