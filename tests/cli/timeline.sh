#!/bin/sh
# heaptap timeline: series of a hand-made recording, whose times and sizes are told line by line.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
# a: 1000 bytes from 0 to 40 ms; b: 3000 from 20 to 30 ms, and 500 from 60 ms on; the last event is at 99 ms.
cat >t <<'EOF'
v 10400 3
X ./prog
s 1 a
s 1 b
s 3 t.c
i 10 0 1 3 1
i 20 0 2 3 2
t 1 0
t 2 0
a 3e8 1
a bb8 2
a 1f4 2
+ 0
c 14
+ 1
c 1e
- 1
c 28
- 0
c 3c
+ 2
c 63
+ 2
EOF
run "$HEAPTAP" timeline --steps 10 --csv t
is "$STATUS" 0 "status 0"
cat >wanted <<'EOF'
from_us,live_bytes,live_objects,allocated_bytes,allocated_objects,collected_bytes,collected_objects
0,1000,1,1000,1,0,0
9900,1000,1,0,0,0,0
19800,4000,2,3000,1,0,0
29700,1000,1,0,0,3000,1
39600,0,0,0,0,1000,1
49500,0,0,0,0,0,0
59400,500,1,500,1,0,0
69300,500,1,0,0,0,0
79200,500,1,0,0,0,0
89100,1000,2,500,1,0,0
EOF
same out wanted "CSV: each step's figures"
run "$HEAPTAP" timeline --steps 4 --json t focus=b
/usr/bin/python3 - >got <<'EOF'
import json
report = json.load(open("out"))
for name in "series", "whole":
    series = report[name]
    print(name, series["from_us"], series["to_us"], series["peak_us"], series["peak"]["bytes"],
          [step["live"]["bytes"] for step in series["steps"]], [step["from_us"] for step in series["steps"]])
EOF
cat >wanted <<'EOF'
series 0 99001 20000 3000 [0, 0, 500, 1000] [0, 24750, 49500, 74250]
whole 0 99001 20000 4000 [4000, 0, 500, 1000] [0, 24750, 49500, 74250]
EOF
sed -i 's/\[0, 0, 500/[3000, 0, 500/' wanted
same got wanted "JSON: the filtered series and all of it"

# The same steps in all forms.
run "$HEAPTAP" timeline --steps 4 --json "$GOLDEN/valid/irmin-replay-v2.ctf" focus=rev
cp out steps.json
run "$HEAPTAP" timeline --steps 4 --csv "$GOLDEN/valid/irmin-replay-v2.ctf" focus=rev
/usr/bin/python3 - >got <<'EOF'
import csv, json
rows, series = list(csv.DictReader(open("out"))), json.load(open("steps.json"))["series"]
for row, step in zip(rows, series["steps"], strict=True):
    for key, text in row.items():
        of, _, what = key.partition("_")
        value = step["from_us"] if of == "from" else step[of][what]
        if abs(float(text) - value) > 1e-3:
            print(key, text, value)
print(len(rows), "steps")
EOF
is "$(cat got)" "4 steps" "JSON and CSV have the same figures"
run "$HEAPTAP" timeline --markdown --steps 12 t
sed -n '/^```/,/^```/p' out | sed '/^```/d' >charts
"$HEAPTAP" timeline --steps 12 t | tail -n +3 >wanted
same charts wanted "Markdown: the charts of text"
is "$(head -1 out)" "t: 4.9 kB allocated in 99 ms; 3.9 kB live at the peak, after 20 ms; 1000 B at the end" "... and its sentence"

run "$HEAPTAP" timeline t
cat >wanted <<'EOF'
t: 4.9 kB allocated in 99 ms; 3.9 kB live at the peak, after 20 ms; 1000 B at the end

live
                         ▼ peak 3.9 kB at 20 ms
    3.9 kB │             ███████
           │             ███████
           │             ███████
           │             ███████
           │             ███████
           │             ███████
    2.0 kB │             ███████
           │             ███████
           │             ███████
           │███████████████████████████                                        █
           │███████████████████████████              ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄█
           │███████████████████████████              ███████████████████████████
       0 B └────────────────────────────────────────────────────────────────────
EOF
head -17 out >got
same got wanted "text, 80 columns in a file"
! grep -q ' $' out
ok $? "... without spaces at the ends of lines"
tail -n +3 out >chart
is "$(widest chart)" 80 "... of which none is wider"
LC_ALL=C run "$HEAPTAP" timeline t
! LC_ALL=C grep -q '[^ -~]' out
ok $? "plain characters where the locale has no others"
has out "v peak 3.9 kB at 20 ms" "... and the peak marked"
on_terminal 60 "$HEAPTAP" timeline t
tail -n +3 out >chart
is "$(widest chart)" 60 "as wide as the terminal"
grep -q '\[36m' out
ok $? "... in colour"
NO_COLOR=1 on_terminal 60 "$HEAPTAP" timeline t
! grep -q '\[36m' out
ok $? "... but not with NO_COLOR"
on_terminal 10 "$HEAPTAP" timeline t
is "$STATUS" 0 "a terminal that is too narrow does no harm"
run "$HEAPTAP" timeline -s alloc_objects t
has out "4 objects allocated in 99 ms; 2 live at the peak" "objects instead of bytes"
run "$HEAPTAP" timeline t focus=a
has out "····" "with a filter, the whole is dotted"
has out "Filter: focus=a" "... and the filter named"

# By function: shares of bytes times time are 40, 30 and 19.5 of 89.5; what is below libraries counts for the caller
run "$HEAPTAP" timeline --by-function 9 --steps 4 --json t
/usr/bin/python3 - >got <<'EOF'
import json
for function in json.load(open("out"))["functions"]:
    print(function["function"], function["file"], round(function["share"], 4), function["live_bytes"], function["live_objects"])
EOF
cat >wanted <<'EOF'
a t.c 0.4469 [1000, 0, 0, 0] [1, 0, 0, 0]
b t.c 0.5531 [3000, 0, 500, 1000] [1, 0, 1, 2]
EOF
sort got -o got
same got wanted "--by-function: what each function holds"
run "$HEAPTAP" timeline --by-function 1 --steps 4 --json t
/usr/bin/python3 -c 'import json; print([one["function"] for one in json.load(open("out"))["functions"]])' >got
has got "['b']" "... and the heaviest alone"
run "$HEAPTAP" timeline --by-function 2 t
has out "LIVE OVER TIME" "... as text below the charts"
run "$HEAPTAP" timeline --by-function 3 --steps 5 --json --from 200ms "$GOLDEN/valid/ocamlopt-small-v3.ctf" focus=Typemod
cp out part
run "$HEAPTAP" timeline --by-function 16 --steps 5 --json --from 200ms "$GOLDEN/valid/ocamlopt-small-v3.ctf" focus=Typemod
/usr/bin/python3 - >got <<'EOF'
import json
some, more = json.load(open("part")), json.load(open("out"))
print(some["functions"] == more["functions"][:3], len(more["functions"]),
      all(sum(function["live_bytes"][i] for function in more["functions"]) <= step["live"]["bytes"] for i, step in enumerate(more["series"]["steps"])))
EOF
has got "True 16 True" "... of a part of the run, under a filter, sampled: no more than all"

run "$HEAPTAP" timeline t -o t.svg
is "$STATUS" 0 "SVG by the output's name"
/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as x; x.parse("t.svg")'
ok $? "... is well-formed"
has t.svg "peak 3.9 kB at 20 ms" "... with the peak"
run "$HEAPTAP" timeline t --json -o t.json
is "$STATUS $(wc -c <out) $(head -c 1 t.json)" "0 0 {" "... and what is no picture in a file"
run "$HEAPTAP" timeline --svg t 'focus=<b>'
has out "focus=&lt;b&gt;" "... and the filter, escaped"

# The peak is what a walk over all events finds, one by one: the time of the highest point; and the samples of each half of
# them while the other half's curve is at its highest, when most of them are alive; or the end, where more is left.
trace=$GOLDEN/valid/ocamlopt-small-v3.ctf
"$HEAPTAP" dump --format=csv --order=true "$trace" >events
"$HEAPTAP" info --json "$trace" >info.json
for words in 1 2 5 9 40; do
    run "$HEAPTAP" timeline --json "$trace" "size>=${words}w"
    /usr/bin/python3 - $words >wanted <<'EOF'
import csv, json, sys
MASK = 2**64 - 1
def mixed(value):
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & MASK
    value = (value ^ value >> 27) * 0x94d049bb133111eb & MASK
    return value ^ value >> 31
info = json.load(open("info.json"))["trace"]
own = mixed(mixed(info["start_us"] ^ mixed(info["pid"])) % 256)
def bits(block):
    return mixed(own + block + 0x9e3779b97f4a7c15 & MASK)
def halves(block, samples):
    assert samples < 64
    first = bin(bits(block) & (1 << samples) - 1).count("1")
    return (first, samples - first)
changes, alive = [], {}
for event in csv.DictReader(open("events")):
    time, change = int(event["time_us"]), (0, 0)
    if event["event"] == "alloc" and int(event["length"]) >= int(sys.argv[1]):
        change = alive[event["id"]] = halves(int(event["id"]), int(event["samples"]))
    elif event["event"] == "collect":
        change = tuple(-count for count in alive.pop(event["id"], (0, 0)))
    changes.append((time, change))
curve, level = [], (0, 0)
for _, change in changes:
    level = (level[0] + change[0], level[1] + change[1])
    curve.append(level)
sums = [sum(level) for level in curve]
at = sums.index(max(sums))
peak = 0
for half in (0, 1):
    other = [level[1 - half] for level in curve]
    last = first = other.index(max(other)) if max(other) > 0 else at
    while max(other) > 0 and last + 1 < len(changes) and not changes[last + 1][1][1 - half]:
        last += 1
    peak += max(level[half] for level in curve[first:last + 1])
if sum(level) > peak:  # what is left at the end
    print(changes[-1][0], sum(level))
else:
    print(changes[at][0], peak)
EOF
    /usr/bin/python3 -c 'import json
report = json.load(open("out"))
print(report["series"]["peak_us"], round(report["series"]["peak"]["bytes"] * report["sample_rate"] / 8))' >got
    same got wanted "the peak of size>=${words}w"
done

printf 'v 10400 3\nX ./p\n' >empty
run "$HEAPTAP" timeline empty
is "$STATUS" 0 "no events at all"
run "$HEAPTAP" timeline empty --svg
! grep -qE 'nan|inf' out
ok $? "... also as a picture"
printf 'heap_v2/1\n@ 0x1\n  t*: 1: 8 [0: 0]\n' >j.heap
run "$HEAPTAP" timeline j.heap
is "$STATUS" 3 "a profile without times: status 3"
has err "it has no single blocks and times" "... says why"
for wrong in --steps=0 --steps=x --steps=99999999; do
    run "$HEAPTAP" timeline $wrong t
    is "$STATUS" 2 "$wrong is wrong usage"
done
run "$HEAPTAP" timeline t -o no/such/folder.svg
is "$STATUS" 4 "an output that can't be written: status 4"
has err "no/such/folder.svg: there is no folder no/such" "... is named"
{ head -c 200 t; echo '?'; } >cut
run "$HEAPTAP" timeline cut
is "$STATUS" 3 "a damaged recording: status 3"
head -c 20000 "$GOLDEN/valid/irmin-replay-v2.ctf" >ends.ctf
run env HEAPTAP_WHOLE_MODEL=0 "$HEAPTAP" timeline ends.ctf 'size>=4w'
is "$STATUS $(grep -c 'the trace ends here' err)" "3 1" "what is read several times is complained of once"
# A part of the run.
run "$HEAPTAP" timeline --steps 4 --from 20ms --to 0.04s --csv t
cat >wanted <<'EOF'
from_us,live_bytes,live_objects,allocated_bytes,allocated_objects,collected_bytes,collected_objects
20000,4000,2,3000,1,0,0
25000,4000,2,0,0,0,0
30000,1000,1,0,0,3000,1
35000,1000,1,0,0,0,0
EOF
same out wanted "--from and --to"
run "$HEAPTAP" timeline --steps 4 --from 20ms --to 40ms t focus=b
is "$(head -n 1 out)" "t: 2.9 kB allocated in 20 ms; 2.9 kB live at the peak, after 20 ms; 0 B at the end" "... of what passes a filter"
run "$HEAPTAP" timeline --steps 2 --from 50ms --json t
has out '"from_us": 50000' "... to the end of the run"
has out '"to_us": 99001' "... whose time is told"
run "$HEAPTAP" timeline --steps 2 --to 200ms --csv t
is "$(tail -n 1 out)" "100000,1000,2,0,0,0,0" "... and beyond it"
for wrong in "--from=20ms --to=20ms|--from has to be before --to" "--from=soon|takes a time such as 1.5s or 20ms, not 'soon'" "--from=2s|the run ends before --from"; do
    # shellcheck disable=SC2086 # words
    run "$HEAPTAP" timeline ${wrong%%|*} t
    is "$STATUS" 2 "${wrong%%|*} is wrong usage"
    has err "${wrong#*|}" "... says why"
done
# Estimates.
run "$HEAPTAP" timeline "$GOLDEN/valid/ocamlopt-v1.ctf"
is "$(head -n 1 out)" "ocamlopt-v1.ctf: 645 MB (640 MB to 649 MB) allocated in 935 ms; 43 MB (41 MB to 44 MB) live at the peak, after 840 ms; 42 MB (41 MB to 43 MB) at the end" "totals have bounds"
# ... and so does the curve, whose top is above the estimate of the peak.
few=$GOLDEN/valid/irmin-replay-v2.ctf
for utf8 in C.UTF-8 C; do
    LC_ALL=$utf8 run "$HEAPTAP" timeline --steps 60 "$few"
    [ $utf8 = C ] && band="=~" || band="▒░"
    has out "live ($band 95 % bounds)" "$utf8: the curve has its band, and says what it is"
    ok "$([ "$(grep -c "[${band}]" out)" -gt 8 ]; echo $?)" "... in its rows"
    has out "peak 168 MB at 8.21 s; samples reach 252 MB" "... and tells the estimate from the samples"
done
run "$HEAPTAP" timeline --svg "$few"
/usr/bin/python3 - "$HEAPTAP" "$few" <<'EOF2' >got
import json, re, subprocess, sys
svg = open("out").read()
ticks = {float(y): float(value) for y, value in re.findall(r'y="([0-9.]+)" text-anchor="end">([0-9]+) MB<', svg)}
low, high = min(ticks, key=ticks.get), max(ticks, key=ticks.get)
bytes_of = lambda y: ((ticks[high] - ticks[low]) * (low - 4 - float(y)) / (low - high) + ticks[low]) * 2**20
series = json.loads(subprocess.check_output([sys.argv[1], "timeline", "--json", sys.argv[2]]))["series"]
top, bottom = sorted(map(bytes_of, re.search(r'class="bound" x1="[^"]*" y1="([^"]*)" x2="[^"]*" y2="([^"]*)"', svg).groups()))
point = bytes_of(re.search(r'class="dot" cx="[^"]*" cy="([^"]*)"', svg).group(1))
for got, wanted in ((point, series["peak_bytes"]), (top, series["peak_bytes_low"]), (bottom, series["peak_bytes_high"])):
    print(abs(got - wanted) < 0.01 * series["peak_bytes_high"])
print(svg.count('class="band"'))
EOF2
is "$(tr '\n' ' ' <got)" "True True True 1 " "SVG: the estimate stands where its axis has it, with its bounds; and there is the band"
run "$HEAPTAP" timeline --svg t
lacks out 'class="band"' "... of an exact trace there is none"
lacks out 'class="bound"' "... nor bounds of its peak"
run "$HEAPTAP" timeline --csv --steps 2 "$GOLDEN/valid/lists-and-sets-v1.ctf"
cat >wanted <<'EOF'
from_us,live_bytes,live_objects,allocated_bytes,allocated_objects,collected_bytes,collected_objects,live_samples,allocated_samples,collected_samples
0,896000,33157.724,992000,37157.724,96000,4000,112,124,12
6447,8000,24.39,5072000,130400,5960000,163533.333,1,634,745
EOF
same out wanted "... and steps the samples that they rest on"
run "$HEAPTAP" timeline --json --steps 2 "$GOLDEN/valid/lists-and-sets-v1.ctf"
has out '"samples": 634' "... in JSON"
has out '"peak_objects_low"' "... with bounds of the peak in objects"

# A terminal can be told to be of any width.
for columns in 99999999999 2147483647; do
    COLUMNS=$columns on_terminal 80 "$HEAPTAP" timeline t
    is "$STATUS" 0 "COLUMNS=$columns: there is memory for it"
    lacks "$TMP/out" "out of memory" "... and nothing is wrong"
done

done_testing
