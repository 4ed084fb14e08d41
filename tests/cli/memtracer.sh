#!/bin/sh
# heaptap memtracer and heaptap --memtracer, on Lox: exact counts, options, what is passed through.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# rows FILE: location, count, size, type of each row, without what stands around.
rows() {
    grep ' || ' "$1" | grep -v '^Source Location'
}

cat >known.lox <<'EOT'
class Node {
  init(next) { this.next = next; }
}
var kept = nil;
for (var i = 0; i < 50; i = i + 1) {
  kept = Node(kept);
}
for (var i = 0; i < 200; i = i + 1) {
  var a = [1, 2, 3, 4];
}
fun maker(n) {
  return [n];
}
for (var i = 0; i < 30; i = i + 1) maker(i);
var s = "a";
for (var i = 0; i < 10; i = i + 1) s = s + "b";
print len(s);
EOT

# ---- Counts

run "$HEAPTAP" --memtracer known.lox
is "$STATUS" 0 "a program of Lox runs"
is "$(head -1 out)" 11 "its output comes first"
is "$(sed -n 2p out)" "Memory Tracer. Recorded $(rows out | awk -F ' [|][|] ' '{n += $2} END {print n}') allocations." \
    "the header's number is the sum of the rows"
has out "Source Location || Count || Size || Type" "the columns are named"
for row in "known.lox:6 || 50 || 1.56kB || LoxInstance" "known.lox:2 || 51 || 4.38kB || LoxFields" \
    "known.lox:9 || 200 || 6.25kB || LoxArray" "known.lox:9 || 200 || 10.9kB || LoxArray elements" \
    "known.lox:12 || 30 || 960B || LoxArray" "known.lox:12 || 30 || 960B || LoxArray elements" \
    "known.lox:16 || 13 || 448B || LoxString"; do
    rows out | grep -qxF "$row"
    ok $? "$row"
done

run "$HEAPTAP" --memtracer -c 'var a = [1,2,3];'
is "$STATUS" 0 "-c runs a program as text"
has out "-c:1 || 1 || 32B || LoxArray" "... and tells its array"
has out "-c:1 || 1 || 48B || LoxArray elements" "... of three elements"

# ---- A collector's events, replayed from Lox's own log

cat >replay.py <<'EOT'
import collections, json, sys
live, rows = {}, collections.defaultdict(lambda: dict(count=0, bytes=0, freed=0, live=0, live_bytes=0, promoted=0))
young, pending, collecting = {}, {}, False
def end(block):
    row = rows[block[:2]]; row["freed"] += 1
for line in open(sys.argv[1]):
    what, address, other, size, *kind, at = line.split()
    kind = " ".join(kind); size = int(size)
    if what in ("minor", "major"):
        key = (int(at) or None, kind)
        rows[key]["count"] += 1; rows[key]["bytes"] += size
        (young if what == "minor" else live)[address] = (*key, size)
    elif what == "promote":
        block = young.pop(address); pending[other] = block
        rows[block[:2]]["promoted"] += 1
    elif what == "minor-end":
        for block in young.values(): end(block)
        young.clear(); live.update(pending); pending.clear()
    elif what == "free":
        address in live and end(live.pop(address))
for block in [*live.values(), *young.values()]:
    rows[block[:2]]["live"] += 1; rows[block[:2]]["live_bytes"] += block[2]
got = {}
for row in json.load(open(sys.argv[2]))["processes"][0]["rows"]:
    got[row["line"], row["type"]] = {k: row[k] for k in ("count", "bytes", "freed", "live", "live_bytes", "promoted")}
bad = [k for k in {*got, *rows} if got.get(k) != rows.get(k)]
for key in bad[:5]: print(key, "heaptap", got.get(key), "log", rows.get(key))
print(len(rows), "rows" if not bad else "rows, differ")
EOT
cat >churn.lox <<'EOT'
class Tree {
  init(left, right) { this.left = left; this.right = right; }
  count() { if (this.left == nil) return 1; return 1 + this.left.count() + this.right.count(); }
}
fun make(depth) {
  if (depth == 0) return Tree(nil, nil);
  return Tree(make(depth - 1), make(depth - 1));
}
var long = make(11);
var ring = [];
for (var i = 0; i < 60; i = i + 1) {
  append(ring, make(6).count());
  var closures = [];
  for (var j = 0; j < 20; j = j + 1) {
    fun get() { return j + i; }
    append(closures, get);
  }
  if (i == 30) { long = nil; collect(true); }
}
print len(ring);
EOT
for options in "" "-o replay.ctf" "--stacks"; do
    LOX_LOG=1 "$HEAPTAP" memtracer --json --output-file got.json $options churn.lox >out 2>log
    is "$?" 0 "a program with many collections runs ($options)"
    is "$(cat out)" 60 "... and is right"
    is "$(grep -E '^(minor|major|promote|free|minor-begin|minor-end) ' log | /usr/bin/python3 replay.py /dev/stdin got.json)" "32 rows" \
        "... the interpreter's own log gives the same rows"
done
[ "$(grep -c '^promote' log)" -gt 1000 ] && [ "$(grep -c '^free' log)" -gt 1000 ]
ok $? "... with blocks promoted and swept"
run "$HEAPTAP" info replay.ctf
is "$STATUS" 0 "the trace can be read"
run "$HEAPTAP" dump --format jsonl replay.ctf
is "$(grep -c '"alloc"' out)" "$(grep -cE '^(minor|major) ' log)" "... and has every allocation"
run "$HEAPTAP" hotspots replay.ctf libraries=show
has out LoxInstance "... with types as the last frames, where libraries are shown"

# ---- Accounting and filters

run "$HEAPTAP" memtracer --top 2 known.lox
is "$(rows out | wc -l)" 2 "--top"
/usr/bin/python3 - out <<'EOT' >sum
import re, sys
text = open(sys.argv[1]).read()
n = int(re.search(r"Recorded (\d+) all", text)[1])
parts = list(map(int, re.search(r"accounted: (\d+) shown \+ (\d+) hidden \+ (\d+) without location \+ (\d+) untyped = (\d+)", text).groups()))
print(sum(parts[:4]) == parts[4] == n and parts[1] > 0 and "hidden: " in text)
EOT
is "$(cat sum)" True "shown, hidden and the rest add up to the header"
cat >calls.lox <<'EOT'
fun f() { return [1]; }
fun g() { return f(); }
f(); f();
g();
EOT
run "$HEAPTAP" memtracer --type LoxString calls.lox
grep hidden: out >wanted
run "$HEAPTAP" memtracer --type LoxString --stacks calls.lox
grep hidden: out >got
same got wanted "rows that are hidden are counted once, whatever stacks they have: $(cat wanted)"
cat >order.lox <<'EOT'
var kept = [1, 2, 3];
for (var i = 0; i < 100; i = i + 1) {
  [i];
}
var long = "a text that is kept, and of which there is one";
EOT
run "$HEAPTAP" memtracer --json order.lox
cp out order.json
for key in size count live peak; do
    run "$HEAPTAP" memtracer --json --sort "$key" order.lox
    /usr/bin/python3 - out order.json "$key" <<'EOT' >sum
import json, sys
key = {"size": "bytes", "count": "count", "live": "live_bytes", "peak": "peak_bytes"}[sys.argv[3]]
got, plain = (json.load(open(path))["processes"][0]["rows"] for path in sys.argv[1:3])
print([row[key] for row in got] == sorted((row[key] for row in plain), reverse=True), len({row[key] for row in got}) > 2)
EOT
    is "$(cat sum)" "True True" "--sort $key"
done
run "$HEAPTAP" --memtracer --memtracer.TraceMem=5000 known.lox
is "$(rows out)" "known.lox:9 || 200 || 10.9kB || LoxArray elements
known.lox:9 || 200 || 6.25kB || LoxArray" "--memtracer.TraceMem"
for size in 10.9kB 10.9KB 10.9KiB 10.9k 11200; do
    run "$HEAPTAP" --memtracer --memtracer.TraceMem=$size known.lox
    is "$(rows out)" "known.lox:9 || 200 || 10.9kB || LoxArray elements" "--memtracer.TraceMem=$size: the row that is printed so"
done
run "$HEAPTAP" --memtracer --memtracer.TraceMem=11kB known.lox
is "$(rows out)" "" "... and none that is printed as less"
run "$HEAPTAP" memtracer --min-count 100 known.lox
is "$(rows out | wc -l)" 2 "--min-count"
run "$HEAPTAP" memtracer --type 'LoxArr*y' --function maker known.lox
is "$(rows out)" "known.lox:12 || 30 || 960B || LoxArray" "--type and --function"
run "$HEAPTAP" --memtracer --memtracer.FilterRootName=maker,init known.lox
is "$(rows out | wc -l)" 3 "--memtracer.FilterRootName"
run "$HEAPTAP" --memtracer --memtracer.FilterFile='*.lua' known.lox
is "$(rows out)" "" "--memtracer.FilterFile"
run "$HEAPTAP" --memtracer --memtracer.FilterLanguage=lox --top 1 known.lox
is "$(rows out | wc -l)" 1 "--memtracer.FilterLanguage"
run "$HEAPTAP" memtracer --exclude 'kno?n.lox' known.lox
is "$(rows out)" "" "--exclude"

# What chooses rows by patterns is a clause: both say the same.
cp known.lox 'a "b" c[1].lox'
alike() { # alike FILE OPTION CLAUSE: also leaves some rows, and not all
    run "$HEAPTAP" memtracer "$2" "$1"
    cp out wanted
    run "$HEAPTAP" memtracer -F "$3" "$1"
    cmp -s out wanted && [ "$(rows out | wc -l)" -gt 0 ] && grep -q '^hidden: ' out
    ok $? "$2 is $3"
}
alike known.lox --type='LoxA*y' 'type=^LoxA.*y$'
alike known.lox --function='maker,in?t' 'site:function=^(maker|in.t)$'
alike known.lox --function='(main)' 'site:function="^\(main\)$"'
run "$HEAPTAP" memtracer --type='"*,LoxInst?nce' 'a "b" c[1].lox'
is "$(rows out)" "a \"b\" c[1].lox:6 || 50 || 1.56kB || LoxInstance" "a quote in a pattern"
for list in 'a "b" c[[]1].lox' '*b" c\[1].lox' 'known' '*.LOX' '?' '*/nowhere/*' '/*/known.lox'; do
    run "$HEAPTAP" memtracer --include="$list" 'a "b" c[1].lox'
    is "$(rows out)" "" "--include=$list matches nothing"
done
run "$HEAPTAP" memtracer 'a "b" c[1].lox'
rows out >all
for list in '*c[1].lox' 'x,a ?b? c[1].l*' '*'; do
    run "$HEAPTAP" memtracer --include="$list" 'a "b" c[1].lox'
    is "$(rows out)" "$(cat all)" "--include=$list matches the file"
done
run "$HEAPTAP" memtracer --language 'L?X' known.lox
cp out wanted
run "$HEAPTAP" memtracer -F 'tag:language=(?i)^lox$' known.lox
same out wanted "--language is a clause on a label"
run "$HEAPTAP" memtracer -F 'size>=100' known.lox
is "$STATUS" 2 "a clause on single blocks is refused"
has err "--report 'top size>=100'" "... with what takes it"

# ---- Other forms

run "$HEAPTAP" --memtracer --memtracer.TraceStackTraces=true known.lox
has out "  from known.lox:14 || 30 || 960B || (main)" "--memtracer.TraceStackTraces shows callers"
run "$HEAPTAP" --memtracer --memtracer.TraceStackTraces known.lox
is "$STATUS" 0 "--memtracer.TraceStackTraces alone leaves the script alone"
has out "  from known.lox:14 || 30 || 960B || (main)" "... and is true"
run "$HEAPTAP" --memtracer --memtracer.Output=typehistogram known.lox
has out "LoxArray || 230 || 7.19kB" "typehistogram"
run "$HEAPTAP" --memtracer --memtracer.Output=histogram known.lox
has out "maker || 60 || 1.88kB || 60 || 1.88kB || known.lox" "histogram"
run "$HEAPTAP" --memtracer --memtracer.Output=calltree known.lox
has out "  maker || 60 || 1.88kB || 60 || known.lox:12" "calltree"
run "$HEAPTAP" --memtracer --memtracer.Output=json --memtracer.OutputFile=r.json known.lox
is "$(cat out)" 11 "--memtracer.OutputFile leaves the program's output alone"
json_is_valid r.json
ok $? "... and is JSON"
run "$HEAPTAP" memtracer --wide known.lox
has out "Live || Live Size || Peak || Resized || Promoted || Temporary || Age || Type" "--wide"
on_terminal 50 "$HEAPTAP" memtracer --top 3 known.lox
[ "$(grep ' || ' out | head -3 | awk '{print index($0, "||")}' | sort -u | wc -l)" = 1 ]
ok $? "columns stand below each other on a terminal"

# A hundred thousand rows, each with its callers: the time grows with the rows, not with their square.
awk 'BEGIN { for (i = 0; i < 2000; i++) { print "fun f" i "() {"; for (k = 0; k < 28; k++) print "  [1];"; print "}\nf" i "();" } }' >many.lox
for options in --stacks "--json --stacks" "--format calltree"; do
    run timeout 60 "$HEAPTAP" memtracer $options many.lox
    is "$STATUS" 0 "100000 rows: $options takes less than a minute"
done

# ---- Samples

HEAPTAP_GUEST_SEED=7 run "$HEAPTAP" memtracer --rate 0.02 --json known.lox
is "$STATUS" 0 "--rate"
/usr/bin/python3 - out <<'EOT' >near
import json, sys
text = open(sys.argv[1]).read()
p = json.loads(text[text.index("{"):])["processes"][0]
print(600 / 3 < p["recorded"] < 600 * 3, p["samples_per_word"])
EOT
is "$(cat near)" "True 0.02" "... estimates"

# ---- The Fermi check

HEAPTAP_GUEST_SEED=7 run "$HEAPTAP" memtracer --rate 0.02 known.lox
has out "Source Location || Count || Size || Samples || Type" "... has a column of samples"
ok "$(grep -Eq '^allocated: [0-9.]+[kM]?B \([0-9.]+[kM]?B to [0-9.]+[kM]?B\); retained' out; echo $?)" "... and bounds of the sums"
HEAPTAP_GUEST_SEED=7 run "$HEAPTAP" memtracer --rate 0.02 --json known.lox
has out '"samples"' "... in JSON"
run "$HEAPTAP" memtracer --json known.lox
lacks out '"samples"' "which are not where every block is recorded"
run "$HEAPTAP" memtracer -q --type LoxArray --expect 1k known.lox
is "$STATUS" 0 "--expect within a factor of ten"
run "$HEAPTAP" memtracer -q --type LoxArray --expect 2M known.lox
is "$STATUS" 1 "--expect beyond it"
has err "about 2000000 allocations were expected and 230 were made" "... says both figures"
run "$HEAPTAP" memtracer -q --expect-bytes 10M known.lox
is "$STATUS" 1 "--expect-bytes"
run "$HEAPTAP" memtracer -q --expect-bytes 30KB known.lox
is "$STATUS" 0 "--expect-bytes takes what is printed"
run "$HEAPTAP" memtracer --expect=0 -- /bin/true
is "$STATUS" 1 "--expect=0 is not met where nothing was recorded"
has err "nothing was recorded" "... which is said"
run "$HEAPTAP" memtracer --type nope --expect=0 known.lox
is "$STATUS" 0 "... but where nothing of this type was"
echo 'for (var i = 0; i < 50000; i = i + 1) { var a = [i]; }' >garbage.lox
run "$HEAPTAP" memtracer --wide --type LoxArray garbage.lox
ok "$(awk -F' [|][|] ' '$11 == "LoxArray" && $2 == 50000 && $9 > 45000 && $9 + $4 <= 50000 {found = 1} END {exit !found}' out; echo $?)" \
    "what dies at its first collection is temporary"

# ---- What is passed through

printf 'print "in";' | "$HEAPTAP" memtracer --interpreter "$LOX" -q - >out 2>err
is "$(cat out)" in "standard input"
run "$HEAPTAP" memtracer -c 'print nope;'
is "$STATUS" 70 "the exit status"
run "$HEAPTAP" memtracer -c 'print 1'
is "$STATUS" 65 "... of a program that is wrong"
run "$HEAPTAP" memtracer -- sh -c 'kill -TERM $$'
is "$STATUS" 143 "a signal"
has err "nothing was recorded" "no interpreter: it is told"
run "$HEAPTAP" memtracer -q -- "$LOX" known.lox
is "$STATUS" 0 "a command after --"
run "$HEAPTAP" memtracer -q --output-file quiet.txt -- "$LOX" known.lox
has quiet.txt "Memory Tracer. Recorded" "-q: the file that is asked for is written"
run "$HEAPTAP" memtracer missing.lox
is "$STATUS" 127 "a script that isn't there"
has err "missing.lox: No such file" "... is named"

# A process that is killed leaves its report: it is killed when it says that it is ready.
cat >killed.lox <<'EOT'
var a = [];
for (var i = 0; i < 100; i = i + 1) append(a, [i]);
print i;
EOT
cat >killer.py <<'EOT'
import os, signal, subprocess, sys
lox = subprocess.Popen([sys.argv[1], "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LOX_LOG": "1"})
lox.stdin.write(b"var a = [];\nfor (var i = 0; i < 100; i = i + 1)\n  append(a, [i]);\nwhile (true) a[0] = [1];\n")
lox.stdin.close()
seen = 0
while seen < 1000:
    seen += lox.stderr.readline().startswith(b"minor")
lox.kill()
lox.wait()
EOT
run "$HEAPTAP" memtracer --json -- /usr/bin/python3 killer.py "$LOX"
/usr/bin/python3 - out <<'EOT' >found
import json, sys
for p in json.load(open(sys.argv[1]))["processes"]:
    if p["heaps"][0]["language"] == "Lox":
        print([r["count"] for r in p["rows"] if r["line"] == 3 and r["type"] == "LoxArray"])
EOT
is "$(cat found)" "[100]" "a process that is killed leaves its report"

# ---- Wrong usage

for wrong in "--memtracer.Output=nope" "--memtracer.TraceStackTraces=yes" "--memtracer.TraceMem=x" "--top=0" \
    "--rate=2" "--memtracer.Nope=1" --memtracer.TraceMem=0x10 --min-size=1x --min-count=5kB --expect=0x10 --expect=5MB \
    --expect-bytes=x --rate=0x1p-3 --sort=name; do
    run "$HEAPTAP" --memtracer "$wrong" known.lox
    is "$STATUS" 2 "$wrong is refused"
done
run "$HEAPTAP" --memtracer --memtracer.Output=nope known.lox
has err "table, histogram, typehistogram, calltree, json, csv or markdown" "... with what is right"
run "$HEAPTAP" --memtracer
is "$STATUS" 2 "no program"
run "$HEAPTAP" --help:memtracer
is "$STATUS" 0 "--help:memtracer"
has out "--memtracer.TraceStackTraces[=BOOLEAN]" "... lists the options"

# Whoever reads the table reads a line of it, or none.
echo 'var a = [1, 2, 3];' >silent.lox
echo 'this is an error;' >error.lox
for lines in 0 1; do
    for form in "" --json; do
        for program in silent.lox error.lox; do
            "$HEAPTAP" memtracer $form $program >/dev/null 2>&1
            plain=$?
            { "$HEAPTAP" memtracer $form $program 2>/dev/null; echo $? >status; } | head -n $lines >/dev/null
            is "$(cat status)" $plain "$lines lines of $form $program are read: the status is the program's, $plain"
        done
    done
done
done_testing
