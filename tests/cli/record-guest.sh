#!/bin/bash
# heaptap record of an interpreter: the lines of its program, with --native the interpreter itself; and of what else is started.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD MEMTRACE_RATE PYTHONPATH PYTHONMALLOC
PYTHON=$(readlink -f /usr/bin/python3)

cat >leaf.py <<'EOT'
import sys


def leaf(n):
    return bytes(n)


def few():
    return leaf(10000)


def many(n):
    kept = []
    for i in range(n):
        kept.append(leaf(10000))
    return kept


kept = many(97), few(), few(), few()
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
EOT
cat >leaf.lua <<'EOT'
local function leaf(i)
  return {i}
end

local kept = {}
for i = 1, 100 do
  kept[i] = leaf(i)
end
EOT
# ask EXPRESSION [FILE]: of `d`, the JSON of the file, and `p`, its first process.  site(NAME): bytes, line and caller of a function.
ask() {
    /usr/bin/python3 -c '
import json, os, subprocess, sys
d = json.load(open(sys.argv[2]))
p = d["processes"][0] if d.get("processes") else None
def site(name, of=None):
    shown = subprocess.run([os.environ["HEAPTAP"], "hotspots", "--json", "-s", "alloc_space", "-n", "0", (of or p)["file"]], stdout=subprocess.PIPE, check=True).stdout
    return [(s.get("bytes", s.get("value")), s["places"][0]["line"], s["callers"][0]["function"] if s["callers"] else None) for s in json.loads(shown)["sites"] if s["function"] == name]
print(eval(sys.argv[1]))' "$1" "${2:-out}"
}
record() { # OPTION... -- COMMAND...
    run "$HEAPTAP" record "$@"
}
# Is every one of the COMMAND's lines there, with its bytes?  Python's bytes are 33 larger than what is in them.
lines() { # NAME LANGUAGE COMMAND...
    name=$1 language=$2
    shift 2
    record --all --json -o "$name.ctf" -- "$@"
    is "$(ask 'p["recorded"], p["otherwise"], p["exact"]')" "('$language', 'heaptap record --native', True)" "$name: $language is recorded"
    if [ "$language" = Python ]; then
        is "$(ask 'site("leaf")')" "[(1003300, 5, '<module>')]" "... its lines, to the byte"
    else
        is "$(ask 'site("leaf")')" "[(7200, 2, '(main)')]" "... its lines, to the byte"
    fi
}

# ---- Interpreters ----------------------------------------------------------------------------

lines path Python "$PYTHON" -I -S leaf.py
lines link Python /usr/bin/python3 -I -S leaf.py
lines env Python env A=b /usr/bin/python3 -I -S leaf.py
{ echo '#!/usr/bin/python3 -IS' && cat leaf.py; } | sed '2d' >script
chmod +x script
lines script Python ./script
{ echo '#!/usr/bin/env -S python3 -IS' && cat leaf.py; } | sed '2d' >through-env
chmod +x through-env
PATH=/usr/bin:/bin lines through-env Python ./through-env
/usr/bin/python3 -c 'import venv; venv.create("venv", with_pip=False)'
lines venv Python venv/bin/python -I -S leaf.py
mkdir shims && printf '#!/bin/bash\nexec /usr/bin/python3 "$@"\n' >shims/python3 && chmod +x shims/python3
record --all --json -o shim.ctf -- shims/python3 -I -S leaf.py
is "$(ask '[(p["program"], p["file"], p["recorded"], site("leaf", p)) for p in d["processes"] if p["recorded"] != "malloc"]')" \
    "[('${PYTHON##*/}', 'shim.ctf', 'Python', [(1003300, 5, '<module>')])]" "a script of a version manager in its place"
printf '#!/usr/bin/env bash\nexec shims/second "$@"\n' >shims/python3
printf '#!/usr/bin/env bash\nset -e\nkept=$(echo {1..2000})\nexec "%s" "$@"\n' "$PYTHON" >shims/second
chmod +x shims/second
record --all --json -o shims.ctf -- shims/python3 -I -S leaf.py
is "$(ask 'p["program"], p["file"], p["recorded"], site("leaf")')" \
    "('${PYTHON##*/}', 'shims.ctf', 'Python', [(1003300, 5, '<module>')])" "... and one that leads to another"
record --all --json --native -o shims-native.ctf -- shims/python3 -I -S leaf.py
is "$(ask 'p["program"], p["file"], p["recorded"]')" "('${PYTHON##*/}', 'shims-native.ctf', 'malloc')" "... and the interpreter itself"
record --json -o default.ctf -- "$PYTHON" -I -S leaf.py
is "$(ask 'p["recorded"], p["exact"], site("leaf")')" "('Python', True, [(1003300, 5, '<module>')])" "a small program is recorded exactly without --all"
if command -v lua5.4 >/dev/null; then
    lines lua Lua lua5.4 leaf.lua
    record --json -o small.ctf -- lua5.4 leaf.lua
    is "$(ask 'p["exact"], site("leaf")')" "(True, [(7200, 2, '(main)')])" "... Lua, too"
    record --json -o e.ctf -- lua5.4 -E leaf.lua
    is "$(ask 'p["recorded"]')" malloc "lua -E: the interpreter itself"
    has err "lua5.4: the interpreter itself is recorded, as with --native: with -E Lua ignores LUA_INIT, which lines need" "... said"
else
    skip "Lua" "there is no lua5.4 here"
fi

# ---- What the answer says ---------------------------------------------------------------------

record --all -o text.ctf -- "$PYTHON" -I -S leaf.py
has err "Heap        Python's, by lines of the program; --native records what the interpreter itself takes from malloc" "text says which was chosen, and how to get the other"
has err " objects; exact" "... with its figures"
is "$(sed -n 's/^Allocated .* % [^a-z]*leaf *//p' err | tr -s ' ')" "many $PWD/leaf.py:5" "... and lines with their callers"
lacks err "malloc doesn't show" "... and nothing of malloc"
record --all --markdown -o text.ctf -- "$PYTHON" -I -S leaf.py
has out "Python's, by lines of the program" "Markdown, too"
record --all --json --native -o native.ctf -- "$PYTHON" -I -S leaf.py
is "$(ask 'p["recorded"], p["otherwise"], site("leaf")')" "('malloc', 'heaptap record -- python3 SCRIPT, without --native (CPython 3.11 to 3.13)', [])" "--native: the interpreter itself"
is "$(ask '1000000 < p["bytes"] < 3000000')" True "... in bytes of malloc"
record --native -o native.ctf -- "$PYTHON" -I -S leaf.py
has err "is a Python program: malloc doesn't show which lines of Python allocate" "... said in text"
has err "What does: heaptap record -- python3 SCRIPT, without --native" "... with the way to its lines"
record --json -o native.ctf -- "$TARGETS/exits-dynamic" 
is "$(ask 'p["recorded"], p["otherwise"]')" "('malloc', None)" "a program that is no interpreter"
record -q -o quiet.ctf -- "$PYTHON" -I -S leaf.py
is "$(cat out err)" "" "-q"

# ---- Files ------------------------------------------------------------------------------------

mkdir names && cd names || exit 1
record -q -- "$PYTHON" -I -S ../leaf.py
is "$(ls | sed 's/[0-9]*\.ctf/PID.ctf/')" "heaptap.${PYTHON##*/}.PID.ctf" "the default name"
cd .. || exit 1
record -q -o '100%%-%e.ctf' -- "$PYTHON" -I -S leaf.py
ok "$([ -f "100%-${PYTHON##*/}.ctf" ]; echo $?)" "a pattern of a name"
record --all -q --context 'of a test' -o packed.ctf.gz -- "$PYTHON" -I -S leaf.py
"$HEAPTAP" info --json packed.ctf.gz >out
is "$(ask 'd["trace"]["context"], d["trace"]["complete"]')" "('of a test', True)" "a compressed trace, with its context"
is "$(od -An -tx1 -N2 packed.ctf.gz)" " 1f 8b" "... which is compressed"
for name in whole.pb.gz whole.pb; do
    record --all --json -o $name -- "$PYTHON" -I -S leaf.py
    is "$(ask 'p["recorded"], p["file"], p["exact"], site("leaf")')" "('Python', '$name', True, [(1003300, 5, '<module>')])" "$name: a profile"
done
record --all --json -o killed.pb.gz -- "$PYTHON" -I -S -c "
import os, signal
def leaf(n): return bytes(n)
kept = [leaf(10000) for i in range(100)]
os.kill(os.getpid(), signal.SIGKILL)"
is "$STATUS $(ask 'p["live_bytes"] > 1003300')" "137 True" "a profile of a program that is killed has everything"
record --all --json -o killed.ctf -- "$PYTHON" -I -S -c "
import os, signal
def leaf(n): return bytes(n)
kept = [leaf(10000) for i in range(100)]
os.kill(os.getpid(), signal.SIGKILL)"
is "$STATUS $(ask 'site("leaf"), p["live_bytes"] > 1003300')" "137 ([(1003300, 3, '<listcomp>')], True)" "... and a trace"

# ---- Options ----------------------------------------------------------------------------------

for option in --callstack-size=9 --no-follow --duration=9 --max-size=1M --toggle --paused; do
    record $option -o refused.ctf -- "$PYTHON" -I -S leaf.py
    is "$STATUS $(cat err)" "2 heaptap record: ${option%%=*} is not for lines of Python: leave it out, or add --native to record the interpreter itself" "$option"
    lacks err "Traceback" "... and nothing is run"
    record --native -q $option -o refused.ctf -- "$PYTHON" -I -S leaf.py
    is "$STATUS" 0 "... with --native it is taken"
done
record --rate 1 --json -o rate.ctf -- "$PYTHON" -I -S leaf.py
is "$(ask 'p["exact"], site("leaf")')" "(True, [(1003300, 5, '<module>')])" "--rate 1"
record --rate 1e-3 --json -o rate.ctf -- "$PYTHON" -I -S leaf.py
is "$(ask 'p["exact"], 50 <= p["samples"] < 1000')" "(False, True)" "--rate 1e-3: a block of 8 kB has a sample"
record -q --all --expect-bytes 3M -o expect.ctf -- "$PYTHON" -I -S leaf.py
is "$STATUS" 0 "--expect-bytes"
record -q --all --expect-peak 1k -o expect.ctf -- "$PYTHON" -I -S leaf.py
is "$STATUS" 1 "--expect-peak, which is wrong"
record -q --no-symbols -o symbols.ctf -- "$PYTHON" -I -S leaf.py 7
is "$STATUS" 7 "the exit status; --no-symbols has nothing to leave out"
"$HEAPTAP" list symbols.ctf '^leaf$' >out 2>&1
has out "return bytes(n)" "... as names are there"

# ---- The rate as a budget ---------------------------------------------------------------------

cat >large.py <<'EOT'
def small(i):
    return [i]


def many(n):
    for i in range(n):
        kept[i % 1000] = small(i), bytes(1000)


kept = {}
many(200000)
EOT
record --json -o large.ctf -- "$PYTHON" -I -S large.py
is "$(ask 'p["exact"], 10000 <= p["samples"] <= 21000')" "(False, True)" "a large program is sampled"
cp out sampled.json
record --all --json -o large-all.ctf -- "$PYTHON" -I -S large.py
cp out all.json
# Bounds of 95 % hold 19 times of 20: beyond them there is room for five standard errors in all.
is "$(/usr/bin/python3 -c '
import json
a, s = (json.load(open(n + ".json"))["processes"][0] for n in ("all", "sampled"))
within = lambda key, slack: s[key + "_low"] * (1 - slack) <= a[key] <= s[key + "_high"] * (1 + slack)
print(within("bytes", 0.02), within("objects", 0.1), abs(s["bytes"] / a["bytes"] - 1) < 0.05, abs(s["peak_bytes"] / a["peak_bytes"] - 1) < 0.2)')" \
    "True True True True" "... and its figures are those of every block"
is "$("$HEAPTAP" info --json large.ctf | /usr/bin/python3 -c '
import json, math, sys
d = json.load(sys.stdin)
t = d["trace"]
print(t["complete"], math.log2(t["sample_rate"]).is_integer(), t["sample_rate"] < 0.01)')" "True True True" "... at a rate that was halved"
is "$(/usr/bin/python3 -c '
import os
print(os.path.getsize("large.ctf") < 2000000 < os.path.getsize("large-all.ctf"))')" True "... in a small file"
record --json -o large.pb.gz -- "$PYTHON" -I -S large.py
is "$(ask 'p["exact"], abs(p["bytes"] / '"$(ask 'p["bytes"]' all.json)"' - 1) < 0.05')" "(False, True)" "... a profile as well"
cat >forks.py <<'EOT'
import os
kept = [bytes(1000) for i in range(30000)]
if os.fork() == 0:
    more = [bytes(2000) for i in range(30000)]
    os._exit(0)
os.wait()
more = [bytes(3000) for i in range(30000)]
EOT
record --all --json -o forks-all.ctf -- "$PYTHON" -I -S forks.py
every=$(ask '[p["bytes"] for p in d["processes"]]')
record --json -o forks.ctf -- "$PYTHON" -I -S forks.py
is "$(ask "[(p['recorded'], abs(p['bytes'] / b - 1) < 0.06, 10000 <= p['samples'] <= 21000) for p, b in zip(d['processes'], $every)]")" \
    "[('Python', True, True), ('Python', True, True)]" "a fork's child has a budget of its own"

# ---- What a program starts --------------------------------------------------------------------

cat >shells.py <<'EOT'
import os, subprocess
os.system("true")
subprocess.run(["sh", "-c", "exit 3"])
subprocess.run(["sh", "-c", "true & wait"])
if os.fork() == 0:
    os.execv("/bin/sh", ["sh", "-c", "true"])
os.wait()
EOT
for how in --all "--rate 1e-3" "-o shells.pb.gz"; do
    STATUS=0
    timeout 60 "$HEAPTAP" record -q -o shells.%p.ctf $how -- "$PYTHON" -I -S shells.py >out 2>&1 || STATUS=$?
    is "$STATUS" 0 "shells of a recorded program end: $how"
done

cat >tree.py <<'EOT'
import os, subprocess, sys
subprocess.run([sys.argv[1]])
subprocess.run([sys.executable, "-I", "-S", "leaf.py"])
if os.fork() == 0:
    kept = [bytes(100000) for i in range(10)]
    os._exit(0)
os.wait()
os.execv(sys.argv[1], sys.argv[1:2])
EOT
cat >native.c <<'EOT'
#include <stdlib.h>
int main(void) { for (int i = 0; i < 1000; i++) { char *volatile p = malloc(1000); *p = 1; free(p); } return 0; }
EOT
gcc -O1 -g native.c -o native || exit 1
for name in tree.ctf tree.pb.gz; do
    record --all --json -o $name -- "$PYTHON" -I -S tree.py ./native
    is "$(ask 'sorted((q["program"], q["recorded"], q["bytes"] // 10000 if q["recorded"] == "malloc" else len(site("leaf", q))) for q in d["processes"])')" \
        "[('native', 'malloc', 100), ('native', 'malloc', 100), ('${PYTHON##*/}', 'Python', 0), ('${PYTHON##*/}', 'Python', 0), ('${PYTHON##*/}', 'Python', 1)]" \
        "$name: each process in its way"
    is "$(ask 'p["file"], p["program"]')" "('$name', 'native')" "... what the command's process was at last under the name that was given"
done
for how in "sh -c" "bash -c"; do
    # shellcheck disable=SC2086
    record --all --json -o shell.ctf -- $how "$PYTHON -I -S leaf.py; true"
    is "$(ask '[q["recorded"] for q in d["processes"]]' | tr -d '[]' | tr -s ', ' '\n' | sort -u)" "'malloc'" "$how: natively, as all that a native program starts"
    record -o shell.ctf -- ${how} "$PYTHON -I -S leaf.py; true"
    has err "What does: heaptap record -- python3 SCRIPT, without --native" "... with the way to lines"
done
is "$(cat /proc/sys/kernel/random/uuid >/dev/null; ls -d /dev/shm/heaptap-guest-* 2>/dev/null | while read -r folder; do [ -O "$folder" ] && find "$folder" -newer leaf.py -name '*.report'; done | head -1)" "" "nothing is left in shared memory"

cat >embeds.c <<'EOT'
#include <stdlib.h>
int Py_Main(int count, int **words);
int main(void) { char *volatile p = malloc(123456); *p = 1; return p == NULL || (getenv("NOT_SET") && Py_Main(0, NULL)); }
EOT
cat >others.py <<'EOT'
import subprocess, sys
subprocess.run([sys.executable, "-I", "-S", "leaf.py"], env={})
subprocess.run([sys.executable, "-I", "-S", "leaf.py"], env={"A": "b"})
if len(sys.argv) > 1:
    subprocess.run([sys.argv[1]])
EOT
library=$(find /usr/lib -name 'libpython3.1[123].so.1.0' | head -1)
[ -n "$library" ] && gcc -O1 embeds.c -o embedder "$library"
record --all --json -o others.ctf -- "$PYTHON" -I -S others.py ${library:+./embedder}
is "$(ask 'sorted((q["program"], q["recorded"]) for q in d["processes"])')" \
    "[${library:+('embedder', 'malloc'), }('${PYTHON##*/}', 'Python'), ('${PYTHON##*/}', 'malloc'), ('${PYTHON##*/}', 'malloc')]" \
    "with another environment, or merely with Python in it: natively, once"

# ---- Forks that can't write -------------------------------------------------------------------

cat >lowered.py <<'EOT'
import os, sys
kept = [bytes(1000) for i in range(1000)]
try:
    os.setuid(65534)
except PermissionError:
    sys.exit(77)
for how in "fork", "exec":
    if os.fork() == 0:
        if how == "exec":
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "print()"])
        more = [bytes(1000) for i in range(1000)]
        os._exit(0)
os.wait(), os.wait()
EOT
for name in lowered.ctf lowered.pb.gz; do
    record --json -o $name -- "$PYTHON" -I -S lowered.py
    if [ "$STATUS" = 77 ]; then
        skip "forks that can't write: $name" "nobody can be somebody else here"
        continue
    fi
    is "$(ask 'len(d["processes"]), d["complete"], d["lacks"].count(": Permission denied; the program runs without being recorded")')" "(1, False, 2)" "forks that can't write are named: $name"
    is "$(grep -cE "^heaptap record: ${PYTHON##*/} \(pid [0-9]+\): /.*: Permission denied; the program runs without being recorded$" err)" 2 "... and told of: $name"
done

# ---- What adapters allocate in programs that have no interpreter --------------------------------

printf '#include <locale.h>\n#include <stdlib.h>\nint main(void) { setlocale(LC_ALL, "C.UTF-8"); return !malloc(77); }\n' |
    gcc -g -x c - -o localized || exit 1
rows() { # FILE...: functions and their figures
    "$HEAPTAP" hotspots --csv --callers=0 "$@" | cut -d, -f3- | sort
}
record --all -o alone.ctf -- ./localized
rows alone.ctf >alone
below() { # LANGUAGE COMMAND...: a program that is started by a recorded interpreter has the blocks that it has alone
    language=$1
    shift
    record --all -o 'below.%p.ctf' -- "$@"
    for file in below.*.ctf; do
        ! "$HEAPTAP" info "$file" | grep -q localized || rows "$file" >below
    done
    rm below.*.ctf
    same below alone "below a recorded $language a program has the blocks that it has alone"
    grep -E 'heaptap|attach|src/tap' below >out
    is "$(cat out)" "" "... and no function of heaptap"
}
printf 'import subprocess\nsubprocess.run(["./localized"])\n' >starts.py
printf 'os.execute("./localized")\n' >starts.lua
below Python "$PYTHON" -I -S starts.py
! command -v lua5.4 >/dev/null || below Lua lua5.4 starts.lua
has below "main," "... what libc's setlocale allocates is of its caller"

# ---- Intervals --------------------------------------------------------------------------------

record --every 1s -o every -- "$PYTHON" -I -S -c "
import subprocess, time
def leaf(n): return bytes(n)
kept = []
for i in range(22):
    kept.append(leaf(1000000))
    time.sleep(0.1)
subprocess.run(['./native'])"
has err " of 2 processes in every" "profiles of intervals, of a native program that is started, too"
for file in every/*"${PYTHON##*/}"*; do
    "$HEAPTAP" top --json --sample=alloc_space "$file" 2>/dev/null
done | grep -c '"leaf"' >out
ok "$([ "$(cat out)" -ge 2 ]; echo $?)" "... with lines"

# ---- Interpreters that lines can't be recorded of ------------------------------------------------

fake() { # NAME HEX
    printf '#include <stdlib.h>\nconst unsigned long Py_Version = %s;\nvoid PyMem_SetAllocator(void) {}\nvoid Py_BytesMain(void) {}\nint main(void) { return malloc(10) == 0; }\n' "$2" |
        gcc -w -O0 -x c - -o "$1" -Wl,-E || exit 1
}
fake python3.10 0x030A00F0
fake python3.14 0x030E00F0
for name in python3.10 python3.14; do
    record --all --json -o old.ctf -- ./$name
    is "$STATUS $(ask 'p["recorded"]')" "0 malloc" "$name is recorded natively"
    is "$(cat err)" "heaptap record: ./$name: the interpreter itself is recorded, as with --native: lines are recorded of CPython 3.11, 3.12 and 3.13, with a global lock" "... said in a sentence"
    record --all -q --duration 5 -o old.ctf -- ./$name
    is "$STATUS $(cat err)" "0 " "... with all options"
    record --all --native -o old.ctf -- ./$name
    lacks err "as with --native" "... not with --native"
done
fake embeds 0x030B00F0
record --all --json -o embeds.ctf -- ./embeds
is "$(ask 'p["recorded"]') $(cat err)" "malloc " "a program that has Python in it is none"
# A child that outlives the command: its profile is of what there was then, which is said.
cat >outlives.py <<'EOT'
import os, time
if os.fork():
    time.sleep(0.5)
    os._exit(0)
kept = [bytearray(100) for _ in range(1000)]
time.sleep(3)
EOT
record -q --all -o outlives.pb.gz -- "$PYTHON" -I -S outlives.py
has err "is still running, and what it allocates from now on is in no profile; a trace, -o FILE.ctf, goes on to its end" "a child that goes on, -q"

done_testing
