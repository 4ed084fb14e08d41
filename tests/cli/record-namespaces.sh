#!/bin/sh
# Programs in a namespace of processes of their own, as in containers, where the first is number 1: each has a trace of its own, and is
# known to have ended, however it did, and to be still there.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
if ! unshare -p -f true 2>/dev/null; then
    skip "namespaces of processes" "none can be made here"
    done_testing
    exit
fi
# 5000 blocks of 100 bytes, then: an end (exit, raw, killed), or a while (wait); fork: a child has 5000 of 200.
cat >inside.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void allocate(size_t size)
{
    for (int i = 0; i < 5000; i++)
        free(malloc(size));
}
int main(int argc, char **argv)
{
    allocate(100);
    if (!strcmp(argv[1], "raw"))
        syscall(SYS_exit_group, 5);
    if (!strcmp(argv[1], "killed"))
        *(volatile int *)0 = 0;
    if (!strcmp(argv[1], "wait"))
        sleep(20);
    if (!strcmp(argv[1], "fork") && fork() == 0) {
        allocate(200);
        syscall(SYS_exit_group, 5);
    }
    wait(NULL);
    return 5;
}
EOF
cc -O1 -g -fno-builtin -w -o inside inside.c || exit 1

# The processes that are of the program: number and bytes.
listed() {
    /usr/bin/python3 -c '
import json
for p in json.load(open("out"))["processes"]:
    if p["program"] == "inside":
        print(p["pid"], "inside running" if p["running"] else f"{p['"'bytes'"'] / 1024:.0f} kB inside")'
}
for output in x.ctf x.pb.gz; do
    for end in exit raw killed; do
        rm -f x*
        run "$HEAPTAP" record --all --json -o $output -- unshare -p -f ./inside $end
        is "$(listed)" "1 488 kB inside" "-o $output: number 1, $end: it has ended, and its trace is read"
    done
    rm -f x*
    run "$HEAPTAP" record --all --json -o $output -- sh -c 'unshare -p -f ./inside fork & unshare -p -f ./inside raw; wait'
    is "$(listed | sort)" "1 488 kB inside
1 488 kB inside
2 977 kB inside" "-o $output: two namespaces, and a child: each by itself"
    rm -f x*
    run "$HEAPTAP" record --all --json -o $output -- sh -c 'unshare -p -f --kill-child ./inside wait & echo $! >waiting; sleep 0.5; unshare -p -f ./inside raw'
    is "$(listed | sort)" "1 488 kB inside
1 inside running" "-o $output: of two with one number the one that is there is said to be, and the other is read"
    kill "$(cat waiting)"
done
mkdir every
run "$HEAPTAP" record --all --every 60 -o every -- unshare -p -f ./inside raw
is "$(for profile in every/*inside.1*; do "$HEAPTAP" top --json "$profile" | /usr/bin/python3 -c '
import json, sys
print(json.load(sys.stdin)["total"])'; done)" "500000" "--every: the last interval of number 1 is there"
lacks err "still running" "... and it is not said to run"
run unshare -p -f --mount-proc "$HEAPTAP" record --all -o x.ctf -- ./inside raw
has err "allocated 5.0 k objects; exact" "heaptap itself in one"
run unshare -p -f "$HEAPTAP" record --all -o x.ctf -- ./inside raw
has err "allocated 5.0 k objects; exact" "... where /proc is another namespace's"
done_testing
