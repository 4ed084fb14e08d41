#!/bin/sh
# heaptap compare --long, of hand-made recordings.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
. "$SOURCE/tests/helpers/changed.sh"
# base: same 100, grown 100, shrunk 200, gone 100; new: same 100, grown 300, shrunk 200, added 100, all allocated
run "$HEAPTAP" compare --long a b
is "$STATUS" 0 "status 0"
cat >wanted <<'EOF'
a (500 B) to b (700 B): +200 B of alloc_space, +40.0 %
4 of 4

CHANGE OF BASE  BASE   NEW    CUM STATE FUNCTION
+200 B +40.0 % 100 B 300 B +200 B grown grown
+100 B +20.0 %   0 B 100 B +100 B added added
-100 B -20.0 % 100 B   0 B -100 B gone  gone
   0 B  +0.0 %   0 B   0 B +200 B grown main
EOF
same out wanted "what was added, has gone and grown, whatever the addresses; what is the same isn't listed"
run "$HEAPTAP" compare --long --csv -s inuse_space a b
cat >wanted <<'EOF'
name,state,flat_change,flat_share,base_flat,new_flat,cum_change,base_cum,new_cum,verdict
grown,grown,200,0.4,100,300,200,100,300,larger
gone,gone,-100,-0.2,100,0,-100,100,0,smaller
shrunk,shrunk,-100,-0.2,200,100,-100,200,100,smaller
EOF
same out wanted "CSV, of what is in use"
run "$HEAPTAP" compare --long --markdown -n 1 a b
cat >wanted <<'EOF'
a (500 B) to b (700 B): +200 B of alloc\_space, +40.0 %

1 of 4

| CHANGE | OF BASE | BASE | NEW | CUM | STATE | FUNCTION |
|---:|---:|---:|---:|---:|---|---|
| +200 B | +40.0 % | 100 B | 300 B | +200 B | grown | grown |
EOF
same out wanted "Markdown"
run "$HEAPTAP" compare --long --json a b 'focus=grown|gone'
/usr/bin/python3 - >got <<'EOF'
import json
report = json.load(open("out"))
print(report["base_total"], report["new_total"], report["filter"], report["count"])
for row in report["rows"]:
    print(row["name"], row["state"], row["base_cum"], row["new_cum"], row["flat_share"])
EOF
cat >wanted <<'EOF'
200 300 focus=grown|gone 3
grown grown 100 300 1
gone gone 100 0 -0.5
main grown 200 300 0
EOF
same got wanted "JSON, with a clause for both"
run "$HEAPTAP" compare --long --normalize --csv a b
has out "grown,grown,114,0.228,100,214," "--normalize: 300 of 700 are 214 of 500"
run "$HEAPTAP" compare --long -n 1 a b
is "$(wc -l <out)" 5 "-n"
run "$HEAPTAP" compare --long a a
is "$(sed -n 1p out)" "a (500 B) to a (500 B): 0 B of alloc_space, +0.0 %" "nothing changed"

run "$HEAPTAP" compare --long --smallest=20% a b
has out "small: less than 140 B through the function (--smallest)." "what is small is stated"
is "$(awk '/^[-+]/ {print $NF, $(NF - 1)}' out | tr '\n' ';')" "grown grown;added small;gone small;" "... and not said to have changed"
run "$HEAPTAP" compare --long --smallest=x a b
is "$STATUS" 2 "--smallest takes a part"

# With profiles.
"$HEAPTAP" pprof a -o a.pb.gz
run "$HEAPTAP" compare --long --csv -s alloc_space a.pb.gz b
sed -n 2p out >first
has first "grown,grown,200,0.4,100,300" "a profile and a recording"
run "$HEAPTAP" compare --long -s alloc_space a b.no
is "$STATUS" 3 "a file that isn't there: status 3"
has err "b.no: cannot open" "... is named"
run "$HEAPTAP" compare --long a
is "$STATUS" 2 "one file is too few"
has err "two files are needed" "... is said so"
run "$HEAPTAP" compare --long a b -s alloc_spice
is "$STATUS" 2 "a wrong sample type"
run "$HEAPTAP" compare --long a b 'sise>3'
is "$STATUS" 2 "a wrong clause"

# Pictures.
run "$HEAPTAP" compare --long --graph a b
has out 'tooltip="main -> grown (200B)"' "graph: edges"
has out 'label="gone\n-100B (20.00%)"' "... what has gone"
# Green: the second part of a colour is the highest.
has out 'tooltip="gone (-100B)" color="#44b200"' "... in green"
has out 'tooltip="grown (200B)" color="#b22a00"' "... and what has grown in red"
run "$HEAPTAP" compare --long --flamegraph a b -o d.svg
is "$STATUS" 0 "flame graph"
/usr/bin/python3 -c 'import xml.etree.ElementTree as x; x.parse("d.svg")'
ok $? "... is well-formed"
has d.svg "100 B less" "... tells what has gone"
has d.svg "200 B more" "... and what is new"
has d.svg 'style="fill:rgb(78,198,72)"' "... the one green"
has d.svg 'style="fill:rgb(235,78,72)"' "... the other red"
is "$(grep -A2 '<title>all' d.svg | tr '\n' ' ' | sed 's/.*<title>//; s/<.*//')" "all 700 B, before 500 B 200 B more" "... and all as it is and was, though what came and went lie side by side"
# 5000 calls deep, as a pprof profile: what is outermost is there, what is too deep is named so.
/usr/bin/python3 - <<'EOF'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf_encode import field, varint as number
types = field(1, field(1, 1) + field(2, 2))
names = [b"", b"alloc_space", b"bytes", b"outest", b"inner"]
functions = b"".join(field(5, field(1, i) + field(2, i + 2)) for i in (1, 2))
locations = b"".join(field(4, field(1, i) + field(4, field(1, i))) for i in (1, 2))
for file, value in ("deep", 100), ("deeper", 300):
    sample = field(2, field(1, b"\2" * 5000 + b"\1") + field(2, number(value)))
    with open(file + ".pb", "wb") as out:
        out.write(types + sample + locations + functions + b"".join(field(6, name) for name in names))
EOF
run "$HEAPTAP" compare --long --flamegraph deep.pb deeper.pb
has out "outest" "a deep stack keeps its outermost call"
has out "&lt;deeper&gt;" "... and says what it has left out"
run "$HEAPTAP" compare --long --csv --cum -n 1 deep.pb deeper.pb
is "$(sed -n 2p out)" "inner,grown,200,2,100,300,200,100,300" "... however often one function stands there"
# Two builds in other folders.  Where no source file is known, the module's path stands for it: the programs are the same, whatever they
# are called, and so are libraries of one name; of several of one name, only that with the same path is.
/usr/bin/python3 - <<'EOF'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf_encode import field, varint as number
def write(name, value, modules):
    texts = ["", "alloc_space", "bytes", *modules, "_start", "inner", "other", "same"]
    out = field(1, field(1, 1) + field(2, 2))
    for i in range(1, 5):
        out += field(3, field(1, i) + field(2, i * 4096) + field(3, i * 4096 + 4096) + field(5, i + 2))
        out += field(5, field(1, i) + field(2, i + 6) + field(4, i + 2))
        out += field(4, field(1, i) + field(2, i) + field(3, i * 4096 + value) + field(4, field(1, i)))
    for inner in 2, 3, 4:
        out += field(2, field(1, number(inner) + number(1)) + field(2, number(value)))
    with open(name, "wb") as file:
        file.write(out + b"".join(field(6, text.encode()) for text in texts))
write("old.pb", 100, ["/old/app", "/old/lib/libx.so", "/a/libtwice.so", "/usr/lib/libc.so.6"])
write("new.pb", 300, ["/new/app2", "/new/libx.so", "/b/libtwice.so", "/usr/lib/libc.so.6"])
write("twice.pb", 300, ["/new/app2", "/new/libtwice.so", "/b/libtwice.so", "/usr/lib/libc.so.6"])
EOF
changes() {
    run "$HEAPTAP" compare --long --csv --granularity=filefunctions old.pb "$1" libraries=show
    cut -d, -f1,2,8,9 out | sed 1d | sort
}
is "$(changes new.pb)" "_start /new/app2,grown,300,900
inner /new/libx.so,grown,100,300
other /b/libtwice.so,grown,100,300
same /usr/lib/libc.so.6,grown,100,300" "modules in other folders: their functions are the same, with the path that they have now"
is "$(changes twice.pb | grep -v _start)" "inner /new/libtwice.so,added,0,300
inner /old/lib/libx.so,gone,100,0
other /a/libtwice.so,gone,100,0
other /b/libtwice.so,added,0,300
same /usr/lib/libc.so.6,grown,100,300" "... but not where two have the name"
run "$HEAPTAP" compare --long --flamegraph old.pb new.pb libraries=show
is "$(grep -A2 '<title>_start' out | tr '\n' ' ' | sed 's/.*<title>//; s/<.*//')" "_start (/new/app2) 900 B, before 300 B 600 B more" "... in a picture, too"
# Lines that moved within a file: the same where nothing was but added above them, or removed; not where one went and another came.
/usr/bin/python3 - <<'EOF'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from line_profile import write_lines
def write(name, value, functions):
    write_lines(name, [(function, "/src/shop.c", line, lines[line] if isinstance(lines, dict) else value)
                       for function, lines in functions.items() for line in lines])
write("old.pb", 100, {"all": [10, 11, 12], "below": [20, 25], "less": [40, 50], "same": [60, 61], "fewer": [70, 71], "mixed": [80, 90],
                      "turned": [100, 110, 120], "one": {130: 100, 131: 200}, "places": {140: 100, 141: 200}})
write("new.pb", 300, {"all": [11, 12, 13], "below": [20, 28], "less": [39, 45], "same": [60, 61], "fewer": [72], "mixed": [85, 88],
                      "turned": [100, 113, 122], "one": {132: 200, 133: 400}, "places": {145: 200, 146: 100}})
EOF
"$HEAPTAP" compare --long --json -g lines old.pb new.pb libraries=show >out
/usr/bin/python3 - >got <<'EOF'
import json
for row in sorted(json.load(open("out"))["rows"], key=lambda row: (row["function"], row["line"], row["state"])):
    print(row["function"], row["line"], row.get("base_line", "-"), row["state"])
EOF
is "$(cat got)" "all 11 10 grown
all 12 11 grown
all 13 12 grown
below 20 - grown
below 28 25 grown
fewer 70 - gone
fewer 71 - gone
fewer 72 - added
less 39 40 grown
less 45 50 grown
mixed 80 - gone
mixed 85 - added
mixed 88 - added
mixed 90 - gone
one 130 - gone
one 131 - gone
one 132 - added
one 133 - added
same 60 - grown
same 61 - grown
turned 100 - grown
turned 110 - gone
turned 113 - added
turned 120 - gone
turned 122 - added" "lines that moved: the same where that is sure, with both numbers"
run "$HEAPTAP" compare -g lines old.pb new.pb libraries=show
has out "less /src/shop.c:45, line 50 before" "... for people, too"
run "$HEAPTAP" compare --json -g lines old.pb new.pb libraries=show
is "$(grep -c '"line_before": ' out)" 6 "... and in JSON"

# Where lines went or came, figures tell which they are.
/usr/bin/python3 - >wanted <<'EOF'
import json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from line_profile import write_lines
# A function, its lines in both files with their figures, and what becomes of them: (base line, newer line).
cases = {
    "inserted": ({10: 293, 11: 98, 12: 50}, {10: 400, 11: 293, 12: 98, 13: 50}, [(10, 11), (11, 12), (12, 13), (0, 10)]),
    "middle": ({10: 293, 20: 98, 30: 50}, {10: 293, 15: 10, 21: 98, 31: 50}, [(10, 10), (0, 15), (20, 21), (30, 31)]),
    "removed": ({10: 293, 11: 98, 12: 50}, {10: 98, 11: 50}, [(10, 0), (11, 10), (12, 11)]),
    "replaced": ({10: 100, 20: 200, 30: 300}, {21: 200, 31: 300, 41: 500}, [(10, 0), (20, 21), (30, 31), (0, 41)]),
    "grown": ({10: 100, 20: 200, 30: 300, 40: 400}, {10: 100, 15: 7, 21: 200, 31: 900, 41: 400}, [(10, 10), (0, 15), (20, 21), (30, 31), (40, 41)]),
    "unlike": ({10: 100, 20: 200}, {10: 130, 20: 260, 30: 500}, [(10, 10), (20, 20), (0, 30)]),
    "first": ({10: 100, 20: 200, 30: 300}, {10: 170, 21: 200, 31: 300, 35: 20}, [(10, 0), (0, 10), (20, 21), (30, 31), (0, 35)]),
    "swapped": ({10: 96, 11: 7}, {10: 7, 11: 96}, [(10, 11), (11, 10)]),
    "elsewhere": ({10: 96, 11: 7, 12: 50}, {14: 7, 15: 96, 16: 50}, [(10, 15), (11, 14), (12, 16)]),
    "moved": ({4: 10, 5: 20, 6: 30, 7: 40}, {4: 10, 5: 15, 6: 30, 7: 80}, [(4, 4), (5, 5), (6, 6), (7, 7)]),
    "both": ({4: 115, 5: 53, 6: 54, 7: 152, 8: 488, 9: 197}, {4: 115, 5: 163, 6: 53, 7: 54, 8: 488, 9: 197}, [(4, 4), (0, 5), (5, 6), (6, 7), (7, 0), (8, 8), (9, 9)]),
    "gone": ({10: 100}, {}, [(10, 0)]),
    "new": ({}, {10: 100}, [(0, 10)]),
    "same": ({10: 100, 20: 200}, {10: 100, 20: 200}, [(10, 10), (20, 20)]),
}
for side, (name, folder) in enumerate([("old.pb", "/before"), ("new.pb", "/after")]):
    write_lines(name, [(function, folder + "/shop.c", line, value) for function, case in cases.items() for line, value in case[side].items()])
for function, (base, newer, pairs) in cases.items():
    for a, b in sorted(pairs):
        was, now = base.get(a, 0), newer.get(b, 0)
        if was != now:
            print(function, "/after/shop.c" if b else "/before/shop.c", b or a, a if a and b and a != b else "-", was, now)
EOF
"$HEAPTAP" compare --long --json -g lines old.pb new.pb libraries=show >out
/usr/bin/python3 - <<'EOF' >got
import json
for row in json.load(open("out"))["rows"]:
    print(row["function"], row["file"], row["line"], row.get("base_line", "-"), row["base_flat"], row["new_flat"])
EOF
is "$(sort got)" "$(sort wanted)" "... by their figures, where some went or came; a line that is gone has the base's file"

# Sources that were moved: a function is the same where it has one file in each, or where its file's name, with as many of its folders as it takes, is that of one in each.
/usr/bin/python3 - <<'EOF'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from line_profile import write_lines
def write(name, value, functions):
    write_lines(name, [(function, file, value, value) for function, file in functions])
write("old.pb", 100, [("read", "/old/read.c"), ("init", "/old/read.c"), ("init", "/old/twice.c"), ("many", "/old/x.c"), ("many", "/old/y.c"),
                      ("deep", "/old/src/a/util.c"), ("deep", "/old/src/b/util.c"), ("deep", "/old/src/c/util.c")])
write("new.pb", 300, [("read", "/new/parse.c"), ("init", "/new/read.c"), ("init", "/new/twice.c"), ("many", "/new/1.c"), ("many", "/new/2.c"),
                      ("deep", "/new/top/src/a/util.c"), ("deep", "/new/top/src/b/util.c"), ("deep", "/new/top/src/d/util.c")])
EOF
is "$(changes new.pb)" "deep /new/top/src/a/util.c,grown,100,300
deep /new/top/src/b/util.c,grown,100,300
deep /new/top/src/d/util.c,added,0,300
deep /old/src/c/util.c,gone,100,0
init /new/read.c,grown,100,300
init /new/twice.c,grown,100,300
many /new/1.c,added,0,300
many /new/2.c,added,0,300
many /old/x.c,gone,100,0
many /old/y.c,gone,100,0
read /new/parse.c,grown,100,300" "sources that were moved: their functions are the same, with the file that they have now"
run "$HEAPTAP" compare --long --flamegraph old.pb new.pb libraries=show
is "$(grep -c '<title>read' out)" 1 "... in a picture, too"
"$HEAPTAP" compare --long --csv -g files old.pb new.pb libraries=show | cut -d, -f1,2,8,9 | sed 1d | sort >out
is "$(cat out)" "/new/1.c,added,0,300
/new/2.c,added,0,300
/new/parse.c,added,0,300
/new/read.c,grown,200,300
/new/top/src/a/util.c,grown,100,300
/new/top/src/b/util.c,grown,100,300
/new/top/src/d/util.c,added,0,300
/new/twice.c,grown,100,300
/old/src/c/util.c,gone,100,0
/old/x.c,gone,100,0
/old/y.c,gone,100,0" "... a file has what its own functions have"
# The order of the table.
run "$HEAPTAP" compare --long --csv --cum -n 1 a b 'focus=grown|added'
is "$(sed -n 2p out | cut -d, -f1)" "main" "--cum sorts by what comes through a function"
run "$HEAPTAP" compare --long -o x a b
is "$STATUS" 2 "-o without a picture is wrong usage"
# Estimates: totals have bounds, rows the samples that they rest on.
old="$GOLDEN/valid/lists-and-sets-v1.ctf" new="$GOLDEN/valid/irmin-replay-v2.ctf"
run "$HEAPTAP" compare --long -n 1 "$old" "$new"
has out "lists-and-sets-v1.ctf (5.8 MB, 5.4 MB to 6.2 MB) to irmin-replay-v2.ctf (79 GB, 78 GB to 81 GB): +79 GB" "bounds of both totals"
has out "+7.2 GB 0, 574  added Irmin__Tree.Make.Node.findv_aux" "... and the samples of a row"
run "$HEAPTAP" compare --long --csv -n 1 "$old" "$new"
has out "base_flat_samples,new_flat_samples,base_cum_samples,new_cum_samples" "... in CSV"
has out ",0,574,0,967" "... with cum's"
run "$HEAPTAP" compare --long --json -n 1 "$old" "$new"
has out '"new_flat_samples": 574' "... in JSON"
has out '"base_low": 5643927.9' "... with the bounds"
run "$HEAPTAP" compare --long --json a b
lacks out samples "exact ones say nothing of samples"
# A filter that fits the first file and not the second, and a second file that isn't there.
"$HEAPTAP" pprof -o values.pb.gz "$old"
for command in compare "compare --long"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command "$new" values.pb.gz live-at=peak
    is "$STATUS" 2 "$command: a clause that the second file can't answer is wrong usage"
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command "$new" nowhere.ctf
    is "$STATUS" 3 "... and a second file that isn't there is bad input"
done

done_testing
