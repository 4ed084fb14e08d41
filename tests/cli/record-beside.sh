#!/bin/sh
# Two recordings that write into one folder at the same time, by one pattern of names: neither takes the other's traces for its own.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cat >waits.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 5000; i++)
        free(malloc(100));
    while (argc > 1 && access(argv[1], F_OK) != 0)
        usleep(10000);
}
EOF
cc -O1 -g -fno-builtin -o waits waits.c || exit 1
cp waits beside
cat >waits.py <<'EOF'
import os, sys, time
kept = [str(i) * 10 for i in range(20000)]
while len(sys.argv) > 1 and not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
EOF
cp waits.py beside.py

# The programs that a recording tells of.
programs() {
    /usr/bin/python3 -c 'import json, sys
print(*(process["program"] for process in json.load(open(sys.argv[1]))["processes"]))' "$1"
}
# The program of a trace.
programs_of() {
    "$HEAPTAP" info --json "$1" | sed -n 's/^ *"executable": "\(.*\)",/\1/p'
}
# beside WHAT OPTIONS WAITING OTHER: a recording of a command that waits, and one that begins and ends meanwhile.
beside() {
    rm -f x* go
    # shellcheck disable=SC2086
    "$HEAPTAP" record --json $2 -- $3 go >waiting 2>err &
    for _ in $(seq 500); do
        ls x* >/dev/null 2>&1 && break
        sleep 0.02
    done
    # shellcheck disable=SC2086
    "$HEAPTAP" record --json $2 -- $4 >meanwhile 2>err
    touch go
    wait
    is "$(programs waiting)" "${5:-waits}" "$1: the one that was there first has its own"
    is "$(programs meanwhile)" "${5:-beside}" "... and so has the one that came"
}
beside "traces" "--all -o x.%p.ctf" ./waits ./beside
beside "traces without names" "--all --no-symbols -o x.%p.ctf" ./waits ./beside
beside "profiles" "--all -o x.%p.pb.gz" ./waits ./beside
beside "traces of Python" "-o x.%p.ctf" "/usr/bin/python3 waits.py" "/usr/bin/python3 beside.py" "$(basename "$(readlink -f /usr/bin/python3)")"
beside "profiles of Python" "-o x.%p.pb.gz" "/usr/bin/python3 waits.py" "/usr/bin/python3 beside.py" "$(basename "$(readlink -f /usr/bin/python3)")"
if unshare -p -f --mount-proc true 2>/dev/null; then
    rm -f x*
    run "$HEAPTAP" record --json --all -o x.pb.gz -- unshare -p -f --mount-proc ./beside
    is "$(programs out)" "unshare beside" "a process that sees other processes is of the recording"
fi
for name in x.ctf link.ctf folder/x.ctf; do
    rm -rf go x* link.ctf folder
    ln -s x.ctf link.ctf
    ln -s . folder
    "$HEAPTAP" record -q --all -o x.ctf -- ./waits go &
    while [ ! -s x.ctf ]; do sleep 0.02; done
    run "$HEAPTAP" record -q --all -o $name -- ./beside
    is "$STATUS" 4 "one file, by the name of $name, has one recording"
    touch go
    wait
    is "$(programs_of x.ctf)" "$PWD/waits" "... which goes on"
done
run "$HEAPTAP" record -q --all -o x.ctf -- ./beside
is "$("$HEAPTAP" info --json x.ctf | grep -c '"recording"')" 1 "a trace says which recording it is of"
done_testing
