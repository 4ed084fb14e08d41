#!/bin/bash
# heaptap memtracer --every: a profile of each interval of an interpreter's program.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# blocks FOLDER NAME: what each profile has, in their order, of the blocks of a function: allocated and in use.
blocks() {
    for profile in "$1"/*; do
        for type in alloc_objects inuse_objects; do
            "$HEAPTAP" top --json -F "libraries=show focus=^make$" --granularity=functions --sample=$type "$profile" >top.json
            field top.json "sum(f['$3'] for f in d['nodes'] if f['name'] == '$2')"
        done | paste -sd' '
    done | paste -sd,
}

# live ROWS: what is alive at the ends of intervals, each figure once; where the machine is busy, the first may end before there is anything.  made ROWS: all that was allocated.
live() {
    tr ' ,' '\n\n' <"$1" | sed -n '2~2p' | grep -vx 0 | sort -nu | paste -sd' '
}
made() {
    tr ' ,' '\n\n' <"$1" | sed -n '1~2p' | /usr/bin/python3 -c 'import sys; print(sum(map(int, sys.stdin)))'
}

cat >phases.py <<'END'
import time
class Thing:
    __slots__ = ()
def make(n):
    return [Thing() for i in range(n)]
first = make(100)
time.sleep(3)
second = make(200)
del first
time.sleep(3)
END
run "$HEAPTAP" memtracer -q --every 1s -o python phases.py
is "$STATUS" 0 "--every of a program in Python"
blocks python Thing flat >rows
is "$(live rows)" "100 200" "each interval has what is alive at its end"
is "$(made rows)" 300 "... and all that was allocated is in one"
run "$HEAPTAP" memtracer --every 1s -o table phases.py
ok "$(grep -qE "^[5-9] profiles of 1 process in table" err; echo $?)" "... that is said, beside the table"
has out "phases.py" "... which is printed all the same"

cat >phases.lua <<'END'
local kept = {}
local function make(n) for i = 1, n do kept[#kept + 1] = {} end end
local function wait(seconds)
    local finish = os.time() + seconds
    while os.time() < finish do end
end
make(100)
wait(4)
make(200)
wait(4)
END
if has_program "--every of a program in Lua" lua5.4; then
    run "$HEAPTAP" memtracer -q --every 1s -o lua --interpreter lua5.4 phases.lua
    blocks lua table flat >rows
    is "$(live rows)" "100 300" "--every of a program in Lua: what is alive at each end"
    is "$(made rows)" 300 "... and all that was allocated, once"
fi

run "$HEAPTAP" memtracer --every 1s --report leaks -o x phases.py
has err "--every and --report exclude each other" "--report is for traces"
run "$HEAPTAP" memtracer --label a=b phases.py
has err "--label needs --push URL" "labels are for what is sent"
done_testing
