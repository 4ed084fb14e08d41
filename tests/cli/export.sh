#!/bin/sh
# heaptap export: the same stacks for each tool, of a hand-made recording.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
# a (called by main) allocates 100 bytes twice, of which one is freed at 20 ms; b, called by a, 30.
cat >t <<'EOF'
v 10400 3
X ./prog --all
s 4 main
s 1 a
s 1 b
s 4 t.cc
i 10 0 1 4 1
i 20 0 2 4 2
i 30 0 3 4 3
t 1 0
t 2 1
t 3 2
a 64 2
a 1e 3
+ 0
c a
+ 0
+ 1
c 14
- 0
c 1e
- 1
EOF
run "$HEAPTAP" export -f folded t
is "$STATUS" 0 "folded"
is "$(cat out)" "main (t.cc:1);a (t.cc:2) 200
main (t.cc:1);a (t.cc:2);b (t.cc:3) 30" "... the stacks"
run "$HEAPTAP" export -f folded -g functions -s inuse_space t
is "$(cat out)" "main;a 100" "... of what is in use, by functions"
run "$HEAPTAP" export -f speedscope t -o t.json
is "$STATUS" 0 "speedscope"
/usr/bin/python3 - >got <<'EOF'
import json
document = json.load(open("t.json"))
names = [frame["name"] for frame in document["shared"]["frames"]]
profile, = document["profiles"]
print(document["$schema"], profile["type"], profile["unit"], profile["endValue"])
for stack, weight in zip(profile["samples"], profile["weights"]):
    print([names[frame] for frame in stack], weight)
EOF
cat >wanted <<'EOF'
https://www.speedscope.app/file-format-schema.json sampled bytes 230
['main', 'a'] 200
['main', 'a', 'b'] 30
EOF
same got wanted "... its stacks, callers first"
run "$HEAPTAP" export -f dhat t
/usr/bin/python3 - >got <<'EOF'
import json
document = json.load(open("out"))
print(document["dhatFileVersion"], document["te"], document["tg"], document["cmd"])
for point in document["pps"]:
    print([document["ftbl"][frame] for frame in point["fs"]],
          [point[key] for key in ("tb", "tbk", "tl", "mb", "mbk", "gb", "gbk", "eb", "ebk")])
EOF
cat >wanted <<'EOF'
2 30000 10000 ./prog
['a (t.cc:2)', 'main (t.cc:1)'] [200, 2, 40000, 200, 2, 200, 2, 100, 1]
['b (t.cc:3)', 'a (t.cc:2)', 'main (t.cc:1)'] [30, 1, 20000, 30, 1, 30, 1, 0, 0]
EOF
same got wanted "dhat: totals, lifetimes, the most, the peak and the end, sites first"
run "$HEAPTAP" export -f dhat "$GOLDEN/valid/irmin-replay-v2.ctf"
is "$(field out 'sum(p["tbk"] for p in d["pps"])') $(field out 'sum(p["ebk"] for p in d["pps"])')" \
    "$("$HEAPTAP" top --json -s alloc_objects "$GOLDEN/valid/irmin-replay-v2.ctf" >top; field top 'round(d["total"])') $(
        "$HEAPTAP" top --json -s inuse_objects "$GOLDEN/valid/irmin-replay-v2.ctf" >top; field top 'round(d["total"])')" "dhat: blocks add up to what there are"
is "$(/usr/bin/python3 -c 'import json
stacks = [tuple(point["fs"]) for point in json.load(open("out"))["pps"]]
print(len(stacks) > 100, len(stacks) - len(set(stacks)))')" "True 0" "... each stack once, which dh_view insists on"
run "$HEAPTAP" export -f callgrind t
cat >wanted <<'EOF'
# callgrind format
version: 1
creator: heaptap
cmd: ./prog
positions: line
events: alloc_space
summary: 230

fl=t.cc
fn=a
2 200
cfi=t.cc
cfn=b
calls=1 3
2 30

fl=t.cc
fn=b
3 30

fl=t.cc
fn=main
1 0
cfi=t.cc
cfn=a
calls=1 2
1 230

totals: 230
EOF
same out wanted "callgrind: own values and calls"
if command -v callgrind_annotate >/dev/null; then
    cp out t.callgrind
    run callgrind_annotate --auto=no --inclusive=yes t.callgrind
    is "$STATUS $(cat err)" "0 " "... which callgrind_annotate reads"
    has out "230 (100.0%)  t.cc:main" "... with what comes through a function"
    has out "30 (13.04%)  t.cc:b" "... and its own"
fi
# Costs flow: what a function costs is its own and its calls', nothing comes to more than all, and what is
# called less than it costs are the programs' beginnings, which come to all together.
cat >flow.py <<'EOF'
import collections, re, sys
own, calls, key = collections.Counter(), collections.defaultdict(collections.Counter), {}
called = None
for line in open(sys.argv[1]):
    name, _, value = line.rstrip("\n").partition("=")
    if name in ("fl", "fn", "cfi", "cfn"):
        key[name] = value
    elif name == "calls":
        called = (key["cfi"], key["cfn"])
    elif re.fullmatch(r"\d+ -?\d+\n", line):
        cost, function = int(line.split()[1]), (key["fl"], key["fn"])
        if called:
            calls[function][called] += cost
        else:
            own[function] += cost
        called = None
    elif line.startswith("totals: "):
        total = int(line.split()[1])
cost = {function: own[function] + sum(calls[function].values()) for function in list(own)}
into = collections.Counter()
for function in list(calls):
    for callee, weight in calls[function].items():
        into[callee] += weight
state = {}
sys.setrecursionlimit(100000)
def circle(function):
    if function in state:
        return state[function] == 1
    state[function] = 1
    found = any([circle(callee) for callee in calls.get(function, ())])
    state[function] = 2
    return found
print(sum(own.values()) == total, max(cost.values()) <= total, all(into[f] <= cost[f] for f in cost),
      sum(cost[f] - into[f] for f in cost) == total, any([circle(f) for f in cost]), total > 0)
EOF
/usr/bin/python3 - "$SOURCE" >circles <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/helpers")
from make_trace import Writer
writer = Writer()
for code, name in enumerate((b"main", b"a", b"b", b"c"), 1):
    writer.locate(code, (name, b"x.c", code))
for stack in ([1, 2, 3, 2, 3, 2], [1, 3, 2, 4], [1, 2, 2, 2, 2], [2, 3, 4, 3], [3, 2, 4, 2, 3], [1], [4, 1, 2, 3]):
    writer.allocate(3, stack)
sys.stdout.buffer.write(writer.data())
EOF
for trace in circles "$GOLDEN/valid/irmin-replay-v2.ctf" "$GOLDEN/valid/lists-and-sets-v1.ctf"; do
    run "$HEAPTAP" export -f callgrind "$trace"
    is "$(/usr/bin/python3 flow.py out)" "True True True True False True" "callgrind of ${trace##*/}: costs flow, no circle"
done
run "$HEAPTAP" export -f callgrind circles
ok "$(grep -cE "^cfn=[abc]'2$" out | grep -c '^0$')" "... a call against the order goes a level deeper"
"$HEAPTAP" pprof t -o t.pb.gz
run "$HEAPTAP" export -f folded -g functions t.pb.gz -s alloc_space
is "$(cat out)" "main;a 200
main;a;b 30" "of a pprof profile"
run "$HEAPTAP" export -f dhat t.pb.gz
is "$STATUS" 3 "a profile has no lifetimes for dhat"
run "$HEAPTAP" export t
is "$STATUS" 2 "without a format: wrong usage"
has err "no format given: use --format with speedscope, callgrind, dhat, folded, heapprofile or sqlite" "... is said so, with the formats"
run "$HEAPTAP" export t -o t.db
is "$STATUS $(grep -c "'t.db' ends as no format's files do: give --format with speedscope, " err)" "2 1" "... that the file's name doesn't tell, either"
run "$HEAPTAP" export t -o t.svg
is "$STATUS $(grep -c "'t.svg': export draws no pictures; graph, flamegraph and tree do" err)" "2 1" "... where a picture is wanted"
run "$HEAPTAP" export -f svg t
has err "takes speedscope, callgrind, dhat, folded, heapprofile or sqlite, not 'svg'" "a wrong format"

# ---- Chrome's
run "$HEAPTAP" export t -o t.heapprofile
/usr/bin/python3 - >got <<'EOF'
import json
def show(node, depth):
    frame = node["callFrame"]
    print(" " * depth + frame["functionName"], frame["url"], frame["lineNumber"], node["selfSize"], node["id"])
    for child in node["children"]:
        show(child, depth + 1)
show(json.load(open("t.heapprofile"))["head"], 0)
EOF
is "$(cat got)" "(root)  -1 0 1
 main t.cc 0 0 2
  a t.cc 1 200 3
   b t.cc 2 30 4" "heapprofile: the tree, its lines from 0"
run "$HEAPTAP" export -f folded t.heapprofile
is "$(cat out)" "main (t.cc:1);a (t.cc:2) 200
main (t.cc:1);a (t.cc:2);b (t.cc:3) 30" "... heaptap reads it back"
"$HEAPTAP" export "$GOLDEN/valid/ocamlopt-small-v3.ctf" -f folded >wanted
"$HEAPTAP" export "$GOLDEN/valid/ocamlopt-small-v3.ctf" -o v3.heapprofile
"$HEAPTAP" export v3.heapprofile -f folded >got
is "$(awk '{ sum += $NF } END { print sum }' got)" "$(awk '{ sum += $NF } END { print sum }' wanted)" "... a real trace: as many bytes"

# ---- The table of formats
"$HEAPTAP" export --help | sed -n 's/^  \([a-z]*\)  *\(\.[a-z.]*\)  .*/\1 \2/p' >formats
[ "$(wc -l <formats)" -ge 5 ]
ok $? "--help has the formats"
while read -r name suffix; do
    rm -f "by-name$suffix" chosen
    "$HEAPTAP" export t -o "by-name$suffix" && "$HEAPTAP" export -f "$name" t -o chosen
    if [ "$name" = sqlite ]; then
        is "$(head -c 15 "by-name$suffix")" "SQLite format 3" "a name that ends in $suffix means $name"
    else
        same "by-name$suffix" chosen "a name that ends in $suffix means $name"
    fi
    grep -A1 "^\.I $name\$" "$SOURCE/man/heaptap-export.1" | grep -qF "$suffix"
    ok $? "... the manual says so"
    "$HEAPTAP" export --complete | grep -q "^--format.*\b$name\b"
    ok $? "... and completion knows it"
done <formats
run "$HEAPTAP" export -f folded t -o t.speedscope.json
is "$(head -n 1 t.speedscope.json)" "main (t.cc:1);a (t.cc:2) 200" "--format counts before the name"
done_testing
