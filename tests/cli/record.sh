#!/bin/sh
# heaptap record, as far as it goes without the recorder: the command, its signals and statuses, what
# the recorder is told, what cannot be recorded.  $STAND_IN is preloaded, and logs its environment.
. "$SOURCE/tests/cli/tap.sh"
export HEAPTAP_PRELOAD="$STAND_IN" STAND_IN_LOG="$TMP/log"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # where this is a build with sanitizers
told() { # NAME: the value that the recorder of the last run was told
    sed -n "/^HEAPTAP_ADDED=/,\$s/^$1=//p" "$TMP/log"
}

# Statuses.
run "$HEAPTAP" record -- "$TARGETS/signals"
is "$STATUS" 1 "the command's status"
run "$HEAPTAP" record sh -c 'exit 42'
is "$STATUS" 42 "... without --; the command's options are its own"
run "$HEAPTAP" record -- sh -c 'kill -KILL $$'
is "$STATUS" 137 "128 + the signal that killed it"
run "$HEAPTAP" record -- sh -c 'kill -SEGV $$'
is "$STATUS" 139 "... another one"
run "$HEAPTAP" record -- no-such-command
is "$STATUS" 127 "127: no such command"
is "$(cat err)" "heaptap record: no-such-command: command not found" "... in one line"
run "$HEAPTAP" record -- ./no-such-file
is "$STATUS" 127 "... nor file"
touch plain
run "$HEAPTAP" record -- ./plain
is "$STATUS" 126 "126: not executable"
is "$(cat err)" "heaptap record: ./plain: Permission denied" "... in one line"
run "$HEAPTAP" record -- "$TMP"
is "$STATUS" 126 "126: a folder"
printf '#!/no/such/interpreter\n' >orphan
chmod +x orphan
run "$HEAPTAP" record -q -- ./orphan
is "$STATUS" 127 "127: a script without its interpreter"
printf 'exit $(($1 + 3))\n' >bare
chmod +x bare
run "$HEAPTAP" record -q -- ./bare 5
is "$STATUS" 8 "a script without #! is the shell's"

# Options.
run "$HEAPTAP" record
is "$STATUS" 2 "no command: status 2"
has err "no command given" "... which one?"
for wrong in "--rate 0 true" "--rate 1.5 true" "--rate x true" "--rate 1e-3x true" "--all --rate 1 true" \
    "--callstack-size 0 true" "--callstack-size 99999 true" "--duration -1 true" "--max-size 3Q true" \
    "--no-such-option true" "-o - true" "-o t.%x.ctf true" "-o %p/t.ctf true" "-o folder/ true" \
    "--names long true" "--debug-dir /no/such/folder true"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" record $wrong
    is "$STATUS" 2 "wrong: $wrong"
done
mkfifo pipe
run "$HEAPTAP" record -o pipe -- sh -c 'touch ran'
is "$STATUS" 2 "a pipe: status 2"
has err "-o pipe: the name is not of a file, which the answer could be read from" "... told"
run "$HEAPTAP" record -o /no/such/folder/t.ctf -- sh -c 'touch ran'
is "$STATUS" 4 "a folder that isn't there: status 4"
has err "/no/such/folder/t.ctf: there is no folder /no/such/folder" "... told"
ok "$([ ! -e ran ]; echo $?)" "... before the command runs"
HEAPTAP_PRELOAD=/no/such/library.so run "$HEAPTAP" record -- true
is "$STATUS" 4 "a recorder that isn't there: status 4"
has err "/no/such/library.so: No such file or directory" "... told"
mkdir "a b"
cp "$STAND_IN" "a b/stand in.so" # a link would have the space, too
HEAPTAP_PRELOAD="a b/stand in.so" run "$HEAPTAP" record -- true
is "$STATUS" 4 "a recorder that can't be preloaded: status 4"
has err "can't be preloaded" "... told"

# Two recordings into one file.
mkfifo held
"$HEAPTAP" record -q -o one.ctf -- sh -c 'touch started; cat held' >first 2>&1 &
until [ -e started ]; do sleep 0.02; done
run "$HEAPTAP" record -o "$TMP/one.ctf" -- sh -c 'touch ran'
is "$STATUS" 4 "a file that another recording writes: status 4"
is "$(cat err)" "heaptap record: $TMP/one.ctf: another heaptap record is writing to it; wait until it ends, or give another name with -o" "... in one line"
ok "$([ ! -e ran ]; echo $?)" "... before the command runs"
run "$HEAPTAP" record -q -o one.%p.ctf -- sh -c 'exit 6'
is "$STATUS" 6 "... names with %p never meet"
run "$HEAPTAP" record -q -o two.ctf -- sh -c 'exit 7'
is "$STATUS" 7 "... another file is free"
echo >held
wait $!
run "$HEAPTAP" record -q -o one.ctf -- sh -c 'exit 8'
is "$STATUS" 8 "... and free again after its end"

# What the recorder is told.
rm -f log
run "$HEAPTAP" record -- "$TARGETS/exits-dynamic" 0
is "$(told LD_PRELOAD)" "$STAND_IN" "LD_PRELOAD"
is "$(told MEMTRACE)" "$(pwd)/heaptap.%e.%p.ctf" "the default name, absolute"
is "$(told HEAPTAP_FOLLOW)" 1 "children are followed"
is "$(told HEAPTAP_ALL)$(told MEMTRACE_RATE)$(told HEAPTAP_START)$(told HEAPTAP_CONTEXT)" "" "nothing else"
rm -f log
HEAPTAP_START=0 HEAPTAP_FOLLOWED=x MEMTRACE_RATE=0.5 run "$HEAPTAP" record -- "$TARGETS/exits-dynamic" 0
is "$(told HEAPTAP_START)$(told HEAPTAP_FOLLOWED)" "" "what was in the environment doesn't count"
is "$(told MEMTRACE_RATE)" 0.5 "... but the rate"
rm -f log
LD_PRELOAD=libm.so.6 run "$HEAPTAP" record -o t.%p.%t.%%.ctf --all --callstack-size 9 --no-follow --context 'a b' \
    --duration 1.5 --max-size 2k --paused -- "$TARGETS/exits-dynamic" 3
is "$STATUS" 3 "all options"
is "$(told LD_PRELOAD)" "$STAND_IN:libm.so.6" "what was preloaded stays"
is "$(told MEMTRACE)" "$(pwd)/t.%p.%t.%%.ctf" "... the name"
is "$(told HEAPTAP_ALL)" 1 "... --all"
is "$(told HEAPTAP_CALLSTACK_SIZE)" 9 "... --callstack-size"
is "$(told HEAPTAP_FOLLOW)" 0 "... --no-follow"
is "$(told HEAPTAP_CONTEXT)" "a b" "... --context"
is "$(told HEAPTAP_DURATION)" 1.5 "... --duration"
is "$(told HEAPTAP_MAX_SIZE)" 2048 "... --max-size"
is "$(told HEAPTAP_TOGGLE)$(told HEAPTAP_START)" 10 "... --paused"
rm -f log
run "$HEAPTAP" record --rate 1e-3 --toggle -- "$TARGETS/exits-dynamic" 0
is "$(told MEMTRACE_RATE)" 1e-3 "... --rate"
is "$(told HEAPTAP_TOGGLE)$(told HEAPTAP_START)" 1 "... --toggle"
mkdir '50%'
rm -f log
(cd '50%' && "$HEAPTAP" record -q -- "$TARGETS/exits-dynamic")
is "$(told MEMTRACE)" "$(pwd)/50%%/heaptap.%e.%p.ctf" "a % in the folder's name"

# Standard streams, and silence.
echo through | "$HEAPTAP" record -q -- cat >out 2>err
is "$(cat out)" through "standard input and output go through"
is "$(cat err)" "" "--quiet"
run "$HEAPTAP" record -- "$TARGETS/exits-dynamic" 0
is "$(cat out)" "" "nothing on standard output"
has err "no trace was written" "a missing trace is told"
run "$HEAPTAP" record --json -- "$TARGETS/exits-dynamic" 0
has out '"lacks": "no trace was written' "... in JSON, too"
for device in /dev/null /dev/zero; do
    run "$HEAPTAP" record --json -o $device -- "$TARGETS/exits-dynamic" 0
    has out "\"lacks\": \"the trace went to $device, which can't be read again" "-o $device: why the answer is not complete"
done

# Signals.
for name in INT HUP QUIT USR1 USR2 WINCH CONT; do
    rm -f pid
    "$HEAPTAP" record -q -- "$TARGETS/signals" pid >out 2>err &
    recorder=$!
    until [ -s pid ]; do sleep 0.02; done
    kill -$name $recorder
    until grep -q $name out; do sleep 0.02; done
    kill -TERM $recorder
    STATUS=0
    wait $recorder || STATUS=$?
    is "$STATUS $(paste -sd' ' out)" "7 $name TERM" "SIG$name and SIGTERM are passed on"
done
cat >stop.py <<'EOF2'
# Stops the recorder by SIGTSTP and continues it.  As in a shell, it has a process group of its own and a
# parent in the same session: members of an orphaned group don't stop.
import os, sys, time
os.setsid()
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    os.execvp(sys.argv[1], sys.argv[1:])
def wait_for(ready):
    for _ in range(500):
        if ready():
            return
        time.sleep(0.02)
def states():
    return "".join(open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()[0] for p in (pid, command))
wait_for(lambda: os.path.exists("pid") and os.path.getsize("pid"))
command = int(open("pid").read())
os.kill(pid, 20)
wait_for(lambda: states() == "TT")
print(states())
os.kill(pid, 18)
wait_for(lambda: states() == "SS")
print(states())
os.kill(pid, 15)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF2
rm -f pid
/usr/bin/python3 stop.py "$HEAPTAP" record -q -- "$TARGETS/signals" pid >out 2>err
is "$(grep -vE 'CONT|TERM' out | paste -sd' ')" "TT SS 7" "SIGTSTP stops both, SIGCONT lets both go on"
cat >interrupt.py <<'EOF2'
# Types ^C on a terminal on which the recorder runs a program: it must get one SIGINT, not two.
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while not os.path.exists("pid") or not os.path.getsize("pid"):
    time.sleep(0.02)
os.write(fd, b"\x03")
text = b""
while b"INT" not in text:
    text += os.read(fd, 100)
time.sleep(0.2)
os.kill(pid, 15)
while True:
    try:
        more = os.read(fd, 100)
    except OSError:
        break
    if not more:
        break
    text += more
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.count(b"INT"))
EOF2
rm -f pid
is "$(/usr/bin/python3 interrupt.py "$HEAPTAP" record -q -- "$TARGETS/signals" pid)" "7 1" "^C reaches the command once"
(trap '' HUP && exec "$HEAPTAP" record -q -- sh -c 'kill -HUP $$; exit 5')
is "$?" 5 "a signal that was ignored stays ignored, as under nohup"

# What can't be recorded runs all the same.
run "$HEAPTAP" record -- "$TARGETS/static-program" 9
is "$STATUS" 9 "a static program runs"
is "$(cat err)" "heaptap record: $TARGETS/static-program is linked statically, where no library can be preloaded: \
it runs without being recorded" "... and is told of, in one line"
run "$HEAPTAP" record -q -- "$TARGETS/static-program" 9
is "$STATUS $(cat err)" "9 heaptap record: $TARGETS/static-program is linked statically, where no library can be preloaded: \
it runs without being recorded" "... with --quiet, too: nothing was recorded"
printf '#!%s\n' "$TARGETS/static-program" >script
chmod +x script
run "$HEAPTAP" record -- ./script
has err "static-program is linked statically" "a script is judged by its interpreter"
printf '#!/usr/bin/env static-program\n' >script
PATH=$TARGETS:$PATH run "$HEAPTAP" record -- ./script
has err "static-program is linked statically" "... also behind env"
if [ "$(id -u)" = 0 ] && cp "$TARGETS/exits-dynamic" secure && chown nobody secure && chmod 4755 secure &&
    ! findmnt -no OPTIONS -T secure | grep -q nosuid; then
    rm -f log
    run "$HEAPTAP" record -- ./secure 6
    is "$STATUS" 6 "a set-user-ID program runs"
    has err "is set-user-ID, so its loader ignores preloaded libraries" "... and is told of"
fi
/usr/bin/python3 - "$TARGETS/exits-dynamic" <<'EOF2'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[18:20] = (243 if data[18] != 243 else 62).to_bytes(2, "little")
open("foreign", "wb").write(data)
EOF2
chmod +x foreign
run "$HEAPTAP" record -- ./foreign
has err "./foreign is built for another architecture: it runs without being recorded" "another architecture"
has err "./foreign: Exec format error" "... which can't be run here"
is "$STATUS" 126 "... status 126"

# A library that is not the recorder: one sentence, before anything is started.
wrong() { # FILE WHY
    run env HEAPTAP_PRELOAD="$1" "$HEAPTAP" record -q -o wrong.ctf -- sh -c 'echo started'
    is "$STATUS $(cat out)" "4 " "HEAPTAP_PRELOAD=$1: nothing is started"
    is "$(cat err)" "heaptap record: HEAPTAP_PRELOAD must name libheaptap-preload.so: $1: $2" "... and why is said, even to -q"
}
mkdir -p folder
echo text >text.so
recorder=$(find "$(dirname "$HEAPTAP")/.." -name libheaptap-preload.so | head -1)
wrong none.so "No such file or directory"
wrong folder "is no library"
wrong text.so "is no library"
wrong "$HEAPTAP" "is another file"
if [ "$recorder" ]; then
    for bytes in 5000 50000 100000; do
        head -c $bytes "$recorder" >cut.so
        wrong cut.so "is cut short"
    done
    { head -c 18 "$recorder" && printf '\003' && tail -c +20 "$recorder"; } >other.so
    wrong other.so "is for another machine"
    cp "$recorder" copy.so
    run env HEAPTAP_PRELOAD=copy.so "$HEAPTAP" record -q -o copy.ctf -- sh -c 'echo started'
    is "$STATUS $(cat out) $(ls copy.ctf)" "0 started copy.ctf" "a copy of the recorder, under another name"
fi
done_testing
