#!/bin/sh
# heaptap graph, beyond what check_graph.py compares with pprof's.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
# main calls f and ns::Class::g, f calls g; sizes 100 (twice), 60, 8.
cat >t <<'EOF'
v 10400 3
X ./prog
s 4 main
s 1 f
s c ns::Class::g
s 8 a"b\c.cc
i 10 0 1 4 1
i 20 0 2 4 2
i 30 0 3 4 3
t 1 0
t 2 1
t 3 2
t 3 1
a 64 3
a 3c 4
a 8 2
+ 0
+ 0
+ 1
+ 2
- 1
EOF
run "$HEAPTAP" graph --csv t
cat >wanted <<'EOF'
caller,callee,weight,residual,inlined
main,f,208,0,0
f,ns::Class::g,200,0,0
main,ns::Class::g,60,0,0
EOF
is "$STATUS" 0 "status 0"
same out wanted "CSV: the edges"
run "$HEAPTAP" graph --json t -s inuse_objects
/usr/bin/python3 - >got <<'EOF'
import json
graph = json.load(open("out"))
print(graph["sample_type"], graph["total"], graph["dropped_nodes"])
for node in sorted(graph["nodes"], key=lambda node: node["name"]):
    print(node["name"], node["flat"], node["cum"])
for edge in graph["edges"]:
    print(edge["caller"], edge["callee"], edge["weight"], edge["residual"])
EOF
cat >wanted <<'EOF'
inuse_objects 3 0
f 1 3
main 0 3
ns::Class::g 2 2
main f 3 False
f ns::Class::g 2 False
EOF
same got wanted "JSON: nodes and edges of objects in use"
run "$HEAPTAP" graph t
has out 'label="Class\ng\n260B (97.01%)"' "DOT: a name without its namespace, its weight"
has out 'tooltip="ns::Class::g (260B)"' "... the whole name for the pointer"
has out '[label = "100B"' "... boxes of sizes"
has out 'label=" 200B"' "... edges"
run "$HEAPTAP" graph --no-labels t
lacks out "box3d" "--no-labels"
run "$HEAPTAP" graph -g lines t
has out 'a\"b\\c.cc:3' "quotes and backslashes are escaped"
run "$HEAPTAP" graph t hide=f
has out "main -> ns::Class::g (260B)" "a filter that edits stacks edits the graph"
has out '[label = "60B"' "... and its boxes"
run "$HEAPTAP" graph -n 2 --no-labels --node-fraction=0 --cum t
has out "Showing top 2 nodes out of 3" "--cum and --node-count"
has out 'N2 [label="Class' "... the two through which most comes"
run "$HEAPTAP" graph t -o t.dot
is "$STATUS" 0 "-o"
has t.dot "digraph" "... writes the file"
for form in json csv markdown; do
    run "$HEAPTAP" graph --$form t
    mv out wanted
    run "$HEAPTAP" graph --$form t -o t.$form
    is "$STATUS $(wc -c <out)" "0 0" "-o with --$form: nothing on standard output"
    same t.$form wanted "... the same in the file"
done
for wrong in "--svg --png" "--json --svg" "--dot --csv"; do
    run "$HEAPTAP" graph $wrong t
    is "$STATUS" 2 "$wrong: two formats"
    has err "one at a time" "... are told"
done
if has_program "SVG and PNG by dot" dot; then
    run "$HEAPTAP" graph t -o t.svg
    is "$STATUS" 0 "SVG by dot"
    /usr/bin/python3 -c 'import xml.etree.ElementTree as x; x.parse("t.svg")'
    ok $? "... is well-formed"
    has t.svg "Class" "... has the nodes"
    run sh -c '"$0" graph --png - <t' "$HEAPTAP"
    head -c 4 out | grep -q PNG
    ok $? "PNG, of standard input"
fi
mkdir none
run env PATH="$TMP/none" "$HEAPTAP" graph t --svg
is "$STATUS" 4 "without dot: status 4"
has err "there is no program 'dot'" "... and says so"
run "$HEAPTAP" graph --svg --json t
is "$STATUS" 2 "two formats are one too many"
printf 'v 10400 3\nX ./p\n' >empty
run "$HEAPTAP" graph empty
is "$STATUS" 0 "nothing at all is a graph, too"
done_testing
