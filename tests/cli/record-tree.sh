#!/bin/sh
# heaptap record on several processes: which of them the answer is of, what is listed, what files are called.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

# N blocks of 1000 bytes for each argument N, each but the first in a child; "daemon" goes on as one.
cat >tree.c <<'EOF'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    void *volatile block;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "daemon") == 0) {
            if (daemon(1, 1) != 0)
                return 1;
        } else if (i == 1 || strcmp(argv[i - 1], "daemon") == 0 || fork() == 0) {
            for (int j = atoi(argv[i]); j > 0; j--)
                block = malloc(1000);
            if (i > 1)
                sleep(strcmp(argv[i - 1], "daemon") == 0 ? 2 : 0), exit(0);
        } else {
            wait(NULL);
        }
    }
}
EOF
gcc -g -O0 -w tree.c -o tree || exit 1

run "$HEAPTAP" record --all -o few.ctf -- ./tree 100 300
ok "$(grep -qE '^2 processes: tree 293 kB \(few\.[0-9]+\.ctf\), tree 98 kB \(few\.ctf\)$' err; echo $?)" \
    "of several processes: what each has, the heaviest first"
run "$HEAPTAP" record --all -o one.ctf -- ./tree 100
ok "$(grep -qE '^tree \(pid [0-9]+\), ' err; echo $?)" "of one: none"

# Fourteen children; the heaviest two are named.
run "$HEAPTAP" record --all -o many.ctf -- ./tree 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150
is "$(sed -n 's/many[^)]*/F/g; 2p' err)" "15 processes: tree 146 kB (F), tree 137 kB (F); 13 more: 889 kB" "of many processes the heaviest are named, and what the others have"
ok "$(grep -qE "^Allocated +1.1 MB +100 % .*main .*tree.c" err; echo $?)" "... the answer is of all of them"
ok "$([ "$(wc -l <err)" -le 15 ]; echo $?)" "... on fifteen lines"

# No process's program is a library, wherever it lies; here it has neither lines nor names.
mkdir -p lib/gcc profiles traces && strip -o lib/gcc/compiler tree
run "$HEAPTAP" record --all -q -o traces/t.ctf -- sh -c './lib/gcc/compiler 100; :'
run "$HEAPTAP" record --all -q -o profiles/p.pb.gz -- sh -c './lib/gcc/compiler 100; :'
rm -f profiles/p.*.ctf
for files in traces profiles; do
    is "$("$HEAPTAP" hotspots --csv $files | sed -n '2s/+0x[0-9a-f]*//p' | grep -o "compiler,.*/lib/gcc/compiler")" "compiler,$PWD/lib/gcc/compiler" \
        "$files of a tree: a program below lib/gcc has functions of its own"
done

# A daemon: its parent's blocks are there though the parent ended within libc, and it is named itself.
run "$HEAPTAP" record --all -o d.ctf -- ./tree 100 daemon 300
is "$("$HEAPTAP" dump d.ctf | grep -c 'len=1000 ')" 100 "a daemon's parent: all that it allocated"
ok "$(grep -qE '^Running     tree \(pid [0-9]+\), d\.[0-9]+\.ctf' err; echo $?)" "... the daemon and its trace are named"
has err "1 process has ended: tree 98 kB (d.ctf)" "... and what the answer is of"

# Its trace can't be compressed while it writes it: that is said, with -q, too, and the trace is read all the same.
run "$HEAPTAP" record --all -q -o z.ctf.gz -- ./tree 100 daemon 300
daemon=$(echo z.*.ctf.gz)
is "$(cat err)" "heaptap record: $daemon: is not compressed, in spite of its name, because its process goes on writing it; heaptap reads it so, and \
when the process has ended, \`heaptap file symbolize -o $daemon $daemon\` compresses it" "a daemon's trace that should be compressed"
is "$("$HEAPTAP" info --json z.ctf.gz | grep -c '"compression": "gzip"')" 1 "... that of the command is"
while kill -0 "$(echo "$daemon" | tr -dc 0-9)" 2>/dev/null; do sleep 0.1; done
is "$("$HEAPTAP" dump "$daemon" | grep -c 'len=1000 ')" 300 "... the daemon's is read as it is"
"$HEAPTAP" file symbolize -o "$daemon" "$daemon"
is "$("$HEAPTAP" info --json "$daemon" | grep -c '"compression": "gzip"') $("$HEAPTAP" dump "$daemon" | grep -c 'len=1000 ')" "1 300" "... and compressed by what is proposed"
run "$HEAPTAP" record --all -q -o z.ctf.gz -- ./tree 100 300
is "$(cat err)" "" "where all have ended there is nothing to say"

# Children that have ended, of which nobody has asked how.
cat >unwaited.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    char *volatile block;
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            block = malloc(1000), exit(0);
    block = malloc(1000);
    sleep(1);
}
EOF
gcc -g -O0 -w unwaited.c -o unwaited || exit 1
run "$HEAPTAP" record --all -o u.ctf -- ./unwaited
is "$(grep -cE '^4 processes: unwaited ' err) $(grep -c Running err)" "1 0" "children that nobody waited for have ended"

# Names: as asked for, though a shell became the command; as it was called, though by a link.
cat >become.c <<'EOF'
#include <unistd.h>
int main(void)
{
    return execl("./tree", "tree", "5000", NULL);
}
EOF
gcc become.c -o become || exit 1
run "$HEAPTAP" record --rate 0.001 -o asked.ctf -- ./become
is "$(echo asked*.ctf) $("$HEAPTAP" dump asked.ctf | grep -E 'len=1000 ' | grep -o 'main@' | sort -u)" "asked.ctf main@" "the only trace has the name that was asked for"
# ... though it had allocated before: the name is that of what the process was at last, the other's that of a child.
cat >before.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words)
{
    for (int i = 0; i < 9; i++)
        ((char *volatile)malloc(7000))[0] = 1;
    return execvp(words[1], words + 1);
}
EOF
gcc -g -O0 -w before.c -o before || exit 1
sizes() { # FILE: of the blocks of one of these programs
    "$HEAPTAP" dump "$1" | grep -oE 'len=(1000|7000) ' | sort | uniq -c | tr -s ' \n' ' '
}
run "$HEAPTAP" record --all --json -o last.ctf -- ./before ./before ./tree 9
is "$(ls last*.ctf | sed 's/[0-9][0-9]*/PID/g' | tr '\n' ' ')" "last.PID-PID.ctf last.PID.ctf last.ctf " "three programs in one process"
is "$(sizes last.ctf)" " 9 len=1000 " "... the last of which has the name that was asked for"
is "$(sizes last.*-2.ctf)$(sizes last.[0-9]*[0-9].ctf)" " 9 len=7000  9 len=7000 " "... and the others have the other names"
is "$(python3 -c 'import json; print([p["program"] for p in json.load(open("out"))["processes"]])')" "['tree', 'before', 'before']" "... and it comes first in the answer"
run "$HEAPTAP" record --all -q -o shell.ctf -- bash -c 'kept=$(echo {1..2000}); exec ./tree 9'
is "$(sizes shell.ctf)" " 9 len=1000 " "a shell that becomes a program"
run "$HEAPTAP" record --all -q -o shell.ctf -- bash -c 'kept=$(echo {1..2000}); ./tree 9; true'
is "$("$HEAPTAP" info --json shell.ctf | python3 -c 'import json, sys; print(json.load(sys.stdin)["trace"]["executable"].split("/")[-1])')" bash "... not one that starts it"
run "$HEAPTAP" record --all -q -o last.pb.gz -- ./before ./tree 9
is "$("$HEAPTAP" top --json --sample=alloc_space last.pb.gz | grep -c '"before.c')" 0 "a profile, too"
ln -s tree otherwise
run "$HEAPTAP" record --all -o 'link.%e.ctf' -- ./otherwise 100
is "$(echo link.*.ctf)" link.otherwise.ctf "a program called by a link: the trace's name"
ok "$(grep -q '^otherwise (pid' err; echo $?)" "... and the answer's"
is "$("$HEAPTAP" dump link.otherwise.ctf | grep -m1 'len=1000 ' | grep -o 'main@[^:]*tree.c')" "main@$TMP/tree.c" "... with names and lines all the same"

# What malloc does not see.
cat >besides.c <<'EOF'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    size_t size = 100 << 20;
    memset(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size);
    return malloc(1000) == NULL;
}
EOF
gcc -g -O0 besides.c -o besides || exit 1
run "$HEAPTAP" record --all -o besides.ctf -- ./besides
ok "$(grep -qE "^Resident    1[0-2][0-9] MB at most: of that, malloc's blocks were 1000 B, heaptap's recorder [0-9.]+ [kM]B;" err; echo $?)" \
    "memory that isn't malloc's is told of"
run "$HEAPTAP" record --all -o one.ctf -- ./tree 100
lacks err "of that, malloc's blocks were" "... where there is much of it"

# The program's size contains the recorder, which says how much that is.  A process's own measure of itself: its peak, in kB.
cat >sized.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **arguments)
{
    static char text[8192];
    for (int i = 0; i < 300000; i++)
        memset(malloc(40), 1, 40);
    FILE *status = fopen("/proc/self/status", "r");
    text[fread(text, 1, sizeof text - 1, status)] = 0;
    FILE *to = fopen(arguments[1], "w");
    fprintf(to, "%ld\n", strtol(strstr(text, "VmHWM:") + 6, NULL, 10));
    fclose(to);
    if (count > 2)
        abort();
    return 0;
}
EOF
gcc -O1 sized.c -o sized 2>/dev/null || exit 1
./sized alone
sizes() { # WHAT OPTIONS...
    what=$1
    shift
    run "$HEAPTAP" record --json -o sized.ctf "$@" -- ./sized within
    is "$(/usr/bin/python3 -c '
import json, sys
recording = json.load(open("out"))
alone, size, own = int(open("alone").read()) << 10, recording["peak_resident_bytes"], recording["processes"][0]["recorder_resident_bytes"]
print(own > 500_000 and abs(size - own - alone) < 2_000_000 or (alone, size, own))')" True "$what: the size without the recorder's memory is that without a recorder"
}
sizes "every block"
sizes "every block, with holders" --all --holders
sizes "samples" --rate 1e-4
run "$HEAPTAP" record -o sized.ctf -- ./sized within
ok "$(grep -qE '^sized \(pid [0-9]+\), .* of memory at most, [0-9.]+ [kM]B of it heaptap.s recorder$' err; echo $?)" "... which text says"
run "$HEAPTAP" record -o sized.pb.gz -- ./sized within
ok "$(grep -qE '^sized \(pid [0-9]+\), .* of memory at most, heaptap.s recorder included$' err; echo $?)" "... or that it is not known, of a profile"

# A handler that forks, often in the middle of an event.
cat >forks.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
enum { FORKS = 30 };
static volatile int forks;
static void fork_one(int number)
{
    if (forks < FORKS && ++forks && fork() == 0) {
        char *volatile p = malloc(50);
        *p = 1;
        _exit(0);
    }
}
int main(void)
{
    struct itimerval often = {{0, 3000}, {0, 3000}};
    signal(SIGALRM, fork_one);
    setitimer(ITIMER_REAL, &often, NULL);
    while (forks < FORKS) {
        char *volatile p = malloc(100);
        *p = 1;
        free(p);
    }
    while (wait(NULL) > 0)
        ;
    return 0;
}
EOF
gcc -O1 -o forks forks.c || exit 1
for rate in --all "--rate 0.5" "--rate 1e-2" --budget; do
    options=$([ "$rate" = --budget ] || echo "$rate") # else a rate that falls as the trace grows
    rm -rf handled && mkdir handled
    run "$HEAPTAP" record -q $options -o handled/t.%p.ctf -- ./forks
    traces=$(ls handled | wc -l)
    ok "$([ "$STATUS" = 0 ] && { [ "$traces" = 31 ] || grep -q 'a child that a signal handler forked in the middle of an event' err; }; echo $?)" \
        "children forked within events, $rate: $traces of 31 traces, and what is missing is said"
    ok "$(grep -qv 'a child that a signal handler forked' err; [ $? = 1 ]; echo $?)" "... with no other reason"
done

# Names of children: their number stands before what a name ends in.
for end in .ctf .ctf.gz .ctf.zst .pb.gz .d; do
    rm -rf named && mkdir named
    run "$HEAPTAP" record -q -o named/a.b$end -- sh -c 'ls >/dev/null; ls >/dev/null'
    is "$(ls named | sed 's/[.][0-9][0-9]*/.PID/' | LC_ALL=C sort | tr '\n' ' ')" "a.b.PID$end a.b.PID$end a.b$end " "names of children, $end"
    begins=$(for one in named/*; do head -c2 "$one" | od -An -tx1; done | sort | uniq -c | tr -s ' ')
    case $end in
    *.gz) is "$begins" " 3 1f 8b" "... all compressed" ;;
    *.zst) is "$begins" " 3 28 b5" "... all compressed" ;;
    *) is "$begins" " 3 c1 1f" "... none compressed" ;;
    esac
    is "$(for one in named/*; do "$HEAPTAP" info "$one" | grep 'names = addresses'; done)" "" "... whose names have been looked up"
done

done_testing
