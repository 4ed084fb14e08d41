#!/bin/bash
# heaptap memtracer's table, its intervals and its trace, of programs that end without a word: what they had allocated by then is
# all there, by their own count.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

cat >dies.py <<'END'
import ctypes, gc, os, resource, signal, sys
gc.disable() # a trace has the type that a block had at once: of one, a collection comes between
class Thing:
    __slots__ = ()
def make(n):
    return [Thing() for _ in range(n)]
way, kept = sys.argv[1], make(777)
print(len(kept), flush=True)
if way == "raw": ctypes.CDLL(None).syscall(231 if os.uname().machine == "x86_64" else 94, 3)
elif way == "_exit": os._exit(3)
elif way == "abort": os.abort()
elif way == "segv": ctypes.string_at(0)
elif way == "exec": os.execv("/bin/false", ["false"])
elif way == "cpu":
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    while True: pass
elif way != "exit":
    if way != "SIGKILL": signal.signal(getattr(signal, way), signal.SIG_DFL) # nohup ignores SIGHUP
    os.kill(os.getpid(), getattr(signal, way))
END

# died WAY STATUS
died() {
    run "$HEAPTAP" memtracer --json --output-file table.json -- /usr/bin/python3 -S dies.py "$1"
    is "$STATUS $(head -n 1 out)" "$2 777" "$1: the program ends as without heaptap"
    is "$(field table.json "sum(r['count'] for r in d['processes'][0]['rows'] if r['type'] == 'Thing')")" 777 "$1: its table has each block"
    rm -rf every
    run "$HEAPTAP" memtracer -q --every 1h -o every -- /usr/bin/python3 -S dies.py "$1"
    "$HEAPTAP" top --json --sample=alloc_objects -F "libraries=show focus=^make$" --granularity=functions every/* >top.json
    is "$STATUS $(field top.json "sum(f['flat'] for f in d['nodes'] if f['name'] == 'Thing')")" "$2 777" "$1: and so has the interval in which it died"
    run "$HEAPTAP" memtracer -q -o died.ctf -- /usr/bin/python3 -S dies.py "$1"
    "$HEAPTAP" top --json --sample=alloc_objects -F "libraries=show focus=^make$" --granularity=functions died.ctf >top.json
    is "$STATUS $(field top.json "sum(f['flat'] for f in d['nodes'] if f['name'] == 'Thing')")" "$2 777" "$1: and so has its trace"
    is "$(/usr/bin/python3 "$SOURCE/tests/helpers/decode_trace.py" died.ctf 2>&1 >decoded | head -n 3)" "" "$1: ... which is a trace as of old"
}

if /usr/bin/python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' && [ -n "${PYTHON_ADAPTER:-}" ]; then
    ulimit -c 0
    died exit 0
    died raw 3
    died _exit 3
    died exec 1
    died SIGKILL 137
    died SIGTERM 143
    died SIGHUP 129
    died SIGUSR1 138
    died abort 134
    died segv 139
    died cpu 152

    # Children that outlive the command, fork on and run other programs while it reads what there is.
    cat >outlive.py <<'END'
import os, sys, time
for k in range(6):
    if os.fork() == 0:
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        for i in range(40):
            if os.fork() == 0:
                if i % 3 == 0:
                    os.execv(sys.executable, [sys.executable, "-c", "x = [str(n) for n in range(100)]"])
                x = [str(n) for n in range(100)]
                os._exit(0)
            time.sleep(0.002)
        os._exit(0)
time.sleep(float(sys.argv[1]))
END
    for delay in 0.03 0.06 0.09; do
        run "$HEAPTAP" memtracer -- /usr/bin/python3 outlive.py $delay
        is "$STATUS $(cat err)" "0 " "children that outlive the command: reports that are just being made are none ($delay s)"
        is "$(sed -n 's/^Process \([0-9]*\),.*/\1/p' out | sort | uniq -d)" "" "... and each process is told once"
    done

    # A trace for which there is no room.
    echo 'x = [str(n) for n in range(1000)]' >simple.py
    run "$HEAPTAP" memtracer -o /dev/full -- /usr/bin/python3 simple.py
    is "$STATUS $(cat err)" "4 heaptap memtracer: /dev/full: the trace can't be written" "-o /dev/full: status 4"
    has out "note: there is no trace: it can't be written" "... which the table says"
    has out "simple.py:1 || 1000 || " "... that is there all the same"
    mkdir small
    if mount -t tmpfs -o size=4k none small 2>/dev/null; then
        head -c 4096 /dev/zero >small/full
        run "$HEAPTAP" memtracer -o small/t.ctf -- /usr/bin/python3 simple.py
        is "$STATUS $(grep -c '^simple.py:1 || 1000 || ' out)" "4 1" "... as on a full disk"
        umount small
    else
        skip "a full disk" "nothing can be mounted here"
    fi
else
    skip "programs in Python that die" "there is no Python that heaptap knows here"
fi

cat >dies.lua <<'END'
local kept = {}
for i = 1, 777 do kept[i] = {} end
io.stdout:write(#kept, "\n")
io.stdout:flush()
local self = io.open("/proc/self/stat"):read("n")
os.execute("kill -" .. arg[1] .. " " .. math.tointeger(self))
while true do end
END
if [ -z "${LUA_ADAPTER:-}" ]; then
    skip "programs in Lua that are killed" "this build has no recorder for them"
elif has_program "programs in Lua that are killed" lua5.4; then
    for way in KILL TERM SEGV; do
        run "$HEAPTAP" memtracer --json --output-file table.json -- lua5.4 dies.lua "$way"
        is "$(head -n 1 out) $(field table.json "max(r['count'] for r in d['processes'][0]['rows'] if r['type'] == 'table')")" "777 777" \
            "Lua, SIG$way: its table has each block"
        run "$HEAPTAP" memtracer -q -o died.ctf -- lua5.4 dies.lua "$way"
        ok "$("$HEAPTAP" top --json --sample=alloc_objects -F libraries=show --granularity=functions died.ctf >top.json
            field top.json "max(f['flat'] for f in d['nodes'] if f['name'] == 'table') >= 777" | grep -qi true; echo $?)" "... and so has its trace"
    done
fi
done_testing
