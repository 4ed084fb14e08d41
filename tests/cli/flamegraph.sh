#!/bin/sh
# heaptap flamegraph
. "$SOURCE/tests/cli/tap.sh"
HELPERS=$SOURCE/tests/helpers
cd "$GOLDEN/valid" || exit 1
make_trace() {
    "$HELPERS/make_trace.py" "$1" >"$TMP/$1.ctf"
}
xml_is_valid() {
    /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}
frames() { # of an SVG
    grep -c '<svg class="f' "$1"
}

# memtrace's format.
for trace in *.ctf; do
    run "$HEAPTAP" flamegraph --format=memtrace "$trace"
    is "$(sha_of "$TMP/out")" "$(cut -d' ' -f1 "../expected/${trace%.ctf}.flamegraph.sha256")" \
        "memtrace's format of $trace"
done

# Folded stacks: a sample is 16 bytes and half an object.
make_trace inlined
run "$HEAPTAP" flamegraph "$TMP/inlined.ctf"
is "$STATUS" 0 "folded: status 0"
cat >"$TMP/wanted" <<'EOF'
main;step 16
main;step;grow;push 64
main;step;step;step;grow;push 32
EOF
same "$TMP/out" "$TMP/wanted" "... whole stacks, inlined functions and recursion"
run "$HEAPTAP" flamegraph --folded --merge-recursion "$TMP/inlined.ctf"
is "$(cat "$TMP/out")" "$(printf 'main;step 16\nmain;step;grow;push 96')" "--merge-recursion"
run "$HEAPTAP" flamegraph --weight=samples --lines "$TMP/inlined.ctf"
cat >"$TMP/wanted" <<'EOF'
main (main.c:10);step (step.c:20);grow (list.c:30);push (list.c:31) 4
main (main.c:10);step (step.c:21) 1
main (main.c:10);step (step.c:21);step (step.c:21);step (step.c:20);grow (list.c:30);push (list.c:31) 2
EOF
same "$TMP/out" "$TMP/wanted" "--lines, --weight=samples"
run "$HEAPTAP" flamegraph --weight=objects --reverse "$TMP/inlined.ctf"
is "$(cat "$TMP/out")" "$(printf 'push;grow;step;main 2\npush;grow;step;step;step;main 1\nstep;main 1')" \
    "--reverse, --weight=objects"
run "$HEAPTAP" flamegraph --min-share=30% "$TMP/inlined.ctf"
is "$(cat "$TMP/out")" "main;step;grow;push 64" "--min-share"
run "$HEAPTAP" flamegraph --max-depth=2 "$TMP/inlined.ctf"
is "$(cat "$TMP/out")" "$(printf 'main;step 16\nmain;step;<deeper> 96')" "--max-depth"
has "$TMP/err" "2 of 3 sampled blocks" "... is told"
run "$HEAPTAP" flamegraph --max-depth=2 --reverse "$TMP/inlined.ctf"
is "$(cat "$TMP/out")" "$(printf 'push;grow;<deeper> 96\nstep;main 16')" "... from the other side"
make_trace names
run "$HEAPTAP" flamegraph "$TMP/names.ctf"
is "$(wc -l <"$TMP/out")" 1 "a name with a newline: still one line"
has "$TMP/out" 'a\x3bb\x0ac;<b>&"' "... and its ';' isn't one"
make_trace unknown
run "$HEAPTAP" flamegraph -w samples "$TMP/unknown.ctf"
cat >"$TMP/wanted" <<'EOF'
0xabc;0xabd;0xabe;0xabf 2
<no stack> 8
main;0x2 4
main;0xabc;0xabd 1
EOF
same "$TMP/out" "$TMP/wanted" "unknown frames, empty stacks"
run "$HEAPTAP" flamegraph -f memtrace "$TMP/unknown.ctf"
is "$STATUS $(wc -c <"$TMP/out")" "0 0" "... are left out in memtrace's format"
run "$HEAPTAP" flamegraph -w samples irmin-replay-v2.ctf
is "$(awk '{s += $NF} END {print s}' "$TMP/out")" 10607 "all samples are there"

# SVG.
run "$HEAPTAP" flamegraph -o "$TMP/t.svg" irmin-replay-v2.ctf
is "$STATUS $(cat "$TMP/out" "$TMP/err")" "0 " "-o x.svg"
xml_is_valid "$TMP/t.svg"
ok $? "... is XML"
has "$TMP/t.svg" "Allocations of irmin-replay-v2.ctf" "... a title"
has "$TMP/t.svg" "79 GB in 2.6 G objects" "... a subtitle"
has "$TMP/t.svg" "frames below 0.05 % not shown, with what they call" "... what is hidden"
has "$TMP/t.svg" "prefers-color-scheme: dark" "... a dark theme"
lacks "$TMP/t.svg" "http://www.w3.org/2000/svg\" xlink" "... nothing from elsewhere"
shown=$(frames "$TMP/t.svg")
run "$HEAPTAP" flamegraph --svg --min-share=0 --title='A <title> & "more"' irmin-replay-v2.ctf
xml_is_valid "$TMP/out"
ok $? "--svg, --title"
has "$TMP/out" "A &lt;title&gt; &amp; &quot;more&quot;" "... escaped"
lacks "$TMP/out" "not shown" "--min-share=0 shows all"
[ "$(frames "$TMP/out")" -gt "$shown" ]
ok $? "... which is more than by default"
run "$HEAPTAP" flamegraph --svg --min-share=5 irmin-replay-v2.ctf
[ "$(frames "$TMP/out")" -lt "$shown" ]
ok $? "--min-share=5 is less"
run "$HEAPTAP" flamegraph --svg "$TMP/inlined.ctf"
has "$TMP/out" '<svg class="f c' "colours"
has "$TMP/out" 'x="0%" y="51" width="57.1429%"' "a frame's place and width"
has "$TMP/out" "64 B, 57.14 % of all bytes, 2 objects, 4 samples" "... and figures"
cp "$TMP/out" "$TMP/by-file"
run "$HEAPTAP" flamegraph --svg --colour=function "$TMP/inlined.ctf"
cmp -s "$TMP/out" "$TMP/by-file"
is $? 1 "--colour=function differs"
run "$HEAPTAP" flamegraph --svg "$TMP/names.ctf"
xml_is_valid "$TMP/out"
ok $? "odd names in SVG"
has "$TMP/out" "&lt;b&gt;&amp;&quot;'&lt;/b&gt;" "... escaped"
has "$TMP/out" "<title>a;b\x0ac (x,&quot;y&quot;.c)" "... and on one line"
make_trace empty
run "$HEAPTAP" flamegraph --svg "$TMP/empty.ctf"
is "$STATUS" 0 "an empty trace as SVG"
xml_is_valid "$TMP/out"
ok $? "... is XML"
lacks "$TMP/out" "nan" "... without a division by nothing"
run "$HEAPTAP" flamegraph "$TMP/empty.ctf"
is "$STATUS $(wc -c <"$TMP/out")" "0 0" "... folded"
if command -v rsvg-convert >/dev/null; then
    rsvg-convert -o "$TMP/t.png" "$TMP/t.svg"
    ok $? "rsvg-convert draws it"
fi

# JSON.
run "$HEAPTAP" flamegraph --json "$TMP/inlined.ctf"
json_is_valid "$TMP/out"
ok $? "--json is JSON"
is "$(/usr/bin/python3 -c '
import json, sys
nodes = json.load(open(sys.argv[1]))["nodes"]
print(len(nodes), nodes[0]["total"]["samples"], sum(node["self"]["samples"] for node in nodes),
      all(node["parent"] < index for index, node in enumerate(nodes)))' "$TMP/out")" "9 7 7 True" "... a tree"
run "$HEAPTAP" flamegraph -o "$TMP/t.json" "$TMP/names.ctf"
json_is_valid "$TMP/t.json"
ok $? "-o x.json"

# CSV.
run "$HEAPTAP" flamegraph --csv "$TMP/inlined.ctf"
cat >"$TMP/wanted" <<'EOF'
number,parent,depth,function,file,line,total_bytes,total_samples,total_objects,self_bytes,self_samples,self_objects
0,,0,,,,112,7,3.5,0,0,0
1,0,1,main,main.c,,112,7,3.5,0,0,0
2,1,2,step,step.c,,112,7,3.5,16,1,0.5
3,2,3,grow,list.c,,64,4,2,0,0,0
4,3,4,push,list.c,,64,4,2,64,4,2
5,2,3,step,step.c,,32,2,1,0,0,0
6,5,4,step,step.c,,32,2,1,0,0,0
7,6,5,grow,list.c,,32,2,1,0,0,0
8,7,6,push,list.c,,32,2,1,32,2,1
EOF
same "$TMP/out" "$TMP/wanted" "--csv: the same nodes, one a line"
run "$HEAPTAP" flamegraph -o "$TMP/t.csv" "$TMP/inlined.ctf"
same "$TMP/t.csv" "$TMP/wanted" "-o x.csv"

# 100 000 calls deep.
make_trace deep
run "$HEAPTAP" flamegraph "$TMP/deep.ctf"
is "$STATUS" 0 "deep recursion"
[ "$(wc -c <"$TMP/out")" -lt 20000 ]
ok $? "... in a short text"
run "$HEAPTAP" flamegraph --max-depth=0 --svg --min-share=99.9 "$TMP/deep.ctf"
is "$STATUS" 0 "... without a limit, as SVG"
run "$HEAPTAP" flamegraph --max-depth=0 --json "$TMP/deep.ctf"
is "$(grep -c '"parent"' "$TMP/out")" 100003 "... as JSON, whole"
run "$HEAPTAP" flamegraph --merge-recursion "$TMP/deep.ctf"
is "$(cat "$TMP/out")" "main;down 1616" "... merged"
lacks "$TMP/err" "deeper" "... nothing is cut then"

# Input and output.
"$HEAPTAP" flamegraph -f memtrace - <lists-and-sets-v1.ctf >"$TMP/out"
same "$TMP/out" ../expected/lists-and-sets-v1.flamegraph.txt "standard input"
run "$HEAPTAP" flamegraph -f memtrace -o "$TMP/t.txt" lists-and-sets-v1.ctf
same "$TMP/t.txt" ../expected/lists-and-sets-v1.flamegraph.txt "-o FILE"
head -c 100000 irmin-replay-v2.ctf >"$TMP/cut.ctf"
run "$HEAPTAP" flamegraph "$TMP/cut.ctf"
is "$STATUS" 3 "a cut trace: status 3"
has "$TMP/out" "Irmin" "... and what came before"
run "$HEAPTAP" flamegraph --svg "$TMP/cut.ctf"
has "$TMP/out" "before the trace was cut" "... told in the picture"
run "$HEAPTAP" flamegraph -o "$TMP/no/such/folder" lists-and-sets-v1.ctf
is "$STATUS" 4 "an output that can't be opened: status 4"
"$HEAPTAP" flamegraph --svg irmin-replay-v2.ctf >/dev/full 2>"$TMP/err"
is $? 4 "a full disk: status 4"
run "$HEAPTAP" flamegraph -o /dev/full --svg irmin-replay-v2.ctf
is "$STATUS" 4 "... with -o"

# Wrong usage.
for wrong in --weight=size --min-share=x --min-share=101 --max-depth=-1 --format=png --colour=red --nonsense \
    "--svg --folded" "--format=memtrace --lines" ""; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" flamegraph $wrong ${wrong:+lists-and-sets-v1.ctf}
    is "$STATUS $(wc -c <"$TMP/out")" "2 0" "status 2: ${wrong:-no trace}"
done
done_testing
