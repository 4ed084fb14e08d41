#!/bin/sh
# heaptap dump
. "$SOURCE/tests/cli/tap.sh"
cd "$GOLDEN/valid" || exit 1

for trace in *.ctf; do
    run "$HEAPTAP" dump "$trace"
    is "$(sha_of "$TMP/out")" "$(cut -c1-64 "../expected/${trace%.ctf}.dump_trace.sha256")" \
        "memtrace format of $trace"
done
run "$HEAPTAP" dump --format memtrace lists-and-sets-v1.ctf
cp "$TMP/out" "$TMP/text"
is "$STATUS" 0 "status 0"
run "$HEAPTAP" dump --order true lists-and-sets-v1.ctf
same "$TMP/out" "$TMP/text" "one domain: true order is file order"

run "$HEAPTAP" dump --format alloc-stats irmin-replay-v2.ctf
is "$(sha_of "$TMP/out")" "$(cut -c1-64 ../expected/irmin-replay-v2.alloc-stats-dump.sha256)" \
    "alloc-stats format"

# Where traces come from.
"$HEAPTAP" dump - <lists-and-sets-v1.ctf >"$TMP/out"
same "$TMP/out" "$TMP/text" "standard input"
gzip -c lists-and-sets-v1.ctf >"$TMP/t.ctf.gz"
zstd -qc lists-and-sets-v1.ctf >"$TMP/t.ctf.zst"
for compressed in "$TMP/t.ctf.gz" "$TMP/t.ctf.zst"; do
    run "$HEAPTAP" dump "$compressed"
    same "$TMP/out" "$TMP/text" "${compressed##*.}"
done
"$HEAPTAP" dump --order true - <"$TMP/t.ctf.zst" >"$TMP/out"
same "$TMP/out" "$TMP/text" "true order of a compressed stream"

# Damage.
head -c 9000 lists-and-sets-v1.ctf >"$TMP/cut.ctf"
run "$HEAPTAP" dump "$TMP/cut.ctf"
is "$STATUS" 3 "a cut trace: status 3"
[ -s "$TMP/out" ] && head -n "$(wc -l <"$TMP/out")" "$TMP/text" | cmp -s - "$TMP/out"
ok $? "... and every event before the cut"
has "$TMP/err" "byte 9000" "... and where it is"
run "$HEAPTAP" dump "$TMP/none.ctf"
is "$STATUS" 3 "no such file: status 3"

# CSV.
"$MAKE_TRACE" odd >"$TMP/odd.ctf"
run "$HEAPTAP" dump --format csv "$TMP/odd.ctf"
/usr/bin/python3 - "$TMP/out" >"$TMP/csv" <<'EOF'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for row in rows:
    print("|".join(row.values()))
EOF
cat >"$TMP/wanted" <<'EOF'
10|alloc|0|0|minor|4|3|a "b", c.ml|7|1|9|$3;Main.main;Main."say, so"
20|alloc|1|0|external|10|9|||||
30|promote|1|0||||||||
31|promote|500|0||||||||
32|collect|501|0||||||||
33|collect|0|0||||||||
34|collect|0|0||||||||
EOF
same "$TMP/csv" "$TMP/wanted" "CSV, quoted where needed"
is "$(grep -c "$(printf '\r')$" "$TMP/out")" 8 "... with RFC 4180's line ends"

# JSON lines.
run "$HEAPTAP" dump --format jsonl "$TMP/odd.ctf"
is "$(head -n 1 "$TMP/out")" '{"time_us":10,"event":"alloc","id":0,"domain":0,"source":"minor","samples":4,"length":3,"stack":[{"code":"0x3"},{"function":"Main.main","file":"main.ml","line":10,"start_char":2,"end_char":20},{"function":"Main.\"say, so\"","file":"a \"b\", c.ml","line":7,"start_char":1,"end_char":9}]}' \
    "JSON lines: an allocation"
is "$(sed -n 2p "$TMP/out")" '{"time_us":20,"event":"alloc","id":1,"domain":0,"source":"external","samples":10,"length":9,"stack":[]}' \
    "... an empty stack"
is "$(sed -n 3p "$TMP/out")" '{"time_us":30,"event":"promote","id":1,"domain":0}' "... a promotion"
run "$HEAPTAP" dump --format jsonl ocamlopt-small-v3.ctf
/usr/bin/python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <"$TMP/out"
ok $? "... each line is JSON"

# Domains.
"$MAKE_TRACE" domains >"$TMP/domains.ctf"
run "$HEAPTAP" dump --format alloc-stats "$TMP/domains.ctf"
cat >"$TMP/wanted" <<'EOF'
0000000050 0000000000 C
0000000060 0000000001 P
0000000070 0000000001 C
0000000080 0000000100 a 1
0000000010 0000000000 a 3
0000000020 0000000001 a 7
0000000030 0000000002 AE 299
EOF
same "$TMP/out" "$TMP/wanted" "file order"
sort "$TMP/wanted" >"$TMP/sorted"
run "$HEAPTAP" dump --format alloc-stats --order true "$TMP/domains.ctf"
same "$TMP/out" "$TMP/sorted" "true order"
run "$HEAPTAP" dump --order true "$TMP/domains.ctf"
is "$(tail -n 1 "$TMP/out")" \
    '0000000080 0000000100 alloc 2 len=1 dom=1    0: $3 Main.main@main.ml:10:2-20 Main."say, so"@a "b", c.ml:7:1-9' \
    "true order with stacks"
"$MAKE_TRACE" empty >"$TMP/empty.ctf"
run "$HEAPTAP" dump "$TMP/empty.ctf"
is "$STATUS:$(wc -c <"$TMP/out")" 0:0 "an empty trace"

# With a filter, all events of the blocks that pass.
"$MAKE_STORY" >"$TMP/story.ctf"
run "$HEAPTAP" dump "$TMP/story.ctf" 'size>=4w' domain=0
cat >"$TMP/wanted" <<'EOF'
0000030000 0000000002 alloc 4 len=4 dom=0    0: main@main.ml:10:2-8 helper@helper.ml:30:4-10 iter@list.ml:40:5-11
0000040000 0000000003 alloc_major 8 len=8 dom=0    1: main@main.ml:10:2-8
0000050000 0000000002 promote
0000060000 0000000003 collect
0000070000 0000000004 alloc 64 len=64 dom=0    1: main@main.ml:10:2-8 helper@helper.ml:30:4-10
0000100000 0000000004 collect
EOF
same "$TMP/out" "$TMP/wanted" "a filter"
"$HEAPTAP" dump - 'size>=4w' domain=0 <"$TMP/story.ctf" >"$TMP/out"
same "$TMP/out" "$TMP/wanted" "... of a file on standard input"
gzip -c "$TMP/story.ctf" | "$HEAPTAP" dump - 'size>=4w' --domain 0 >"$TMP/out"
same "$TMP/out" "$TMP/wanted" "... of a compressed stream"
run "$HEAPTAP" dump -f alloc-stats --order true "$TMP/story.ctf" live-at=65ms focus=map
printf '%s\n' "0000020000 0000000001 a 2" "0000040000 0000000001 P" "0000060000 0000010001 a 32" \
    "0000080000 0000000001 C" >"$TMP/wanted"
same "$TMP/out" "$TMP/wanted" "... in true order, of two domains"
run "$HEAPTAP" dump lists-and-sets-v1.ctf 'size>=0'
same "$TMP/out" "$TMP/text" "a filter that lets all pass changes nothing"
# Stacks are texts put together from the last one printed: each must be the one it is without a filter.
run "$HEAPTAP" dump -f jsonl ocamlopt-small-v3.ctf
cp "$TMP/out" "$TMP/all"
run "$HEAPTAP" dump -f jsonl ocamlopt-small-v3.ctf 'size>=5w'
/usr/bin/python3 - "$TMP/all" "$TMP/out" >"$TMP/compared" <<'EOF'
import json, sys
every, some = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
ids = {event["id"] for event in every if event["event"] == "alloc" and event["length"] >= 5}
wanted = [event for event in every if event["id"] in ids]
print(len(ids) > 100, wanted == some)
EOF
is "$(cat "$TMP/compared")" "True True" "... and one that doesn't leaves the lines of others as they are"
run "$HEAPTAP" dump "$TMP/cut.ctf" 'size>=0'
is "$STATUS:$(grep -c 'byte 9000' "$TMP/err")" 3:1 "a cut trace: told once"
run "$HEAPTAP" dump "$TMP/story.ctf" 'size>1G'
is "$STATUS:$(wc -c <"$TMP/out"):$(grep -c 'leaves nothing' "$TMP/err")" 0:0:1 "a filter that leaves nothing"
for clause in hide=map show=map show-from=map allocators=hide; do
    run "$HEAPTAP" dump "$TMP/story.ctf" size=8 "$clause"
    is "$STATUS:$(sed -n '3s/[^^]//gp' "$TMP/err" | tr -d '\n' | wc -c)" "2:${#clause}" "$clause: pointed at"
    has "$TMP/err" "dump prints stacks as they are" "... with a reason"
done
run "$HEAPTAP" dump "$TMP/story.ctf" tag=x
is "$STATUS:$(grep -c 'no labels' "$TMP/err")" 2:1 "tag: a trace has none"
"$HEAPTAP" pprof "$TMP/story.ctf" -o "$TMP/story.pb.gz"
run "$HEAPTAP" dump "$TMP/story.pb.gz" focus=map
is "$STATUS:$(grep -c "it has no single blocks" "$TMP/err")" 3:1 "a pprof profile has no events"

# Where the output goes.
{ "$HEAPTAP" dump ocamlopt-v1.ctf 2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 1 >"$TMP/out"
is "$(wc -l <"$TMP/out")" 1 "a reader that goes away"
[ -s "$TMP/err" ]
is $? 1 "... without a message"
(trap '' PIPE; "$HEAPTAP" dump ocamlopt-v1.ctf 2>"$TMP/err"; echo $? >"$TMP/status") |
    head -n 1 >"$TMP/out"
is "$(cat "$TMP/status"):$(grep -c output "$TMP/err")" 4:0 "... also where SIGPIPE is ignored"
STATUS=0
"$HEAPTAP" dump ocamlopt-small-v3.ctf >/dev/full 2>"$TMP/err" || STATUS=$?
is "$STATUS:$(grep -c 'No space' "$TMP/err"):$(wc -l <"$TMP/err")" 4:1:1 "a full disk: one message, status 4"

# Options.
for wrong in "--format=xml t" "--order=time t" "--nonsense t" "" "a b"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" dump $wrong
    is "$STATUS" 2 "status 2: dump $wrong"
done

"$HEAPTAP" dump --json "$SOURCE/tests/golden/valid/lists-and-sets-v1.ctf" >"$TMP/json"
"$HEAPTAP" dump --format jsonl "$SOURCE/tests/golden/valid/lists-and-sets-v1.ctf" >"$TMP/jsonl"
same "$TMP/json" "$TMP/jsonl" "--json is --format=jsonl"
# ---- Stacks once, and the documented way into SQLite

cd "$TMP" || exit 1
cp "$GOLDEN/valid/irmin-replay-v2.ctf" app.ctf
"$HEAPTAP" dump --format csv app.ctf >whole.csv
run "$HEAPTAP" dump --format csv --stacks stacks.csv app.ctf
is "$STATUS" 0 "--stacks"
mv out events.csv
cat >join.py <<'EOF'
import csv, os
stacks = {row["stack"]: row for row in csv.DictReader(open("stacks.csv", newline=""))}
rows = list(csv.DictReader(open("events.csv", newline="")))
for row in rows:
    number = row.pop("stack")
    stack = stacks[number] if row["event"] == "alloc" else {}
    for key in ("site_file", "site_line", "site_start_char", "site_end_char"):
        row[key] = stack.get(key, "")
    row["stack"] = stack.get("functions", "")
whole = list(csv.DictReader(open("whole.csv", newline="")))
print(rows == whole, len(rows) > 1000, [int(number) for number in stacks] == list(range(1, len(stacks) + 1)),
      len({tuple(list(row.values())[1:]) for row in stacks.values()}) == len(stacks),
      os.path.getsize("stacks.csv") + os.path.getsize("events.csv") < os.path.getsize("whole.csv") / 2)
EOF
is "$(/usr/bin/python3 join.py)" "True True True True True" "... joined, the rows are the same; each stack is there once"
run "$HEAPTAP" dump --stacks stacks.csv app.ctf
is "$STATUS" 2 "--stacks without --format=csv"
cp stacks.csv before.csv
(ulimit -f 8; trap '' XFSZ; "$HEAPTAP" dump --format csv --stacks stacks.csv app.ctf >/dev/null 2>err)
is "$?" 4 "--stacks: no room for all"
cmp -s stacks.csv before.csv
ok $? "... leaves the file that was there"
is "$(ls -A | grep -c 'stacks.csv')" 1 "... and none beside it"
run "$HEAPTAP" dump --format csv --stacks no/such/stacks.csv app.ctf
is "$STATUS" 4 "... into a folder that is not there"
if command -v sqlite3 >/dev/null; then
    sed -n '/^```sh/,/^```/p' "$SOURCE/docs/output.md" | sed "/^\`/d; s,^heaptap,$HEAPTAP," >documented
    sh -e ./documented >sums 2>err
    is "$? $(cat err) $(wc -l <sums)" "0  10" "docs/output.md: into SQLite"
    longest=$(/usr/bin/python3 -c 'import csv; print(max(int(row["length"] or 0) for row in csv.DictReader(open("whole.csv", newline=""))))')
    is "$(sqlite3 app.db "SELECT max(length), typeof(id) FROM events WHERE event = 'alloc'")" "$longest|integer" "... numbers are numbers"
    is "$(sed '1!d; s/|.*//' sums)" "$(/usr/bin/python3 -c 'import collections, csv
sums = collections.Counter()
for row in csv.DictReader(open("whole.csv", newline="")):
    if row["event"] == "alloc":
        sums[row["site_file"], row["site_line"], row["site_start_char"], row["site_end_char"], row["stack"]] += int(row["samples"])
print(max(sums.values()))')" "... and stacks are joined"
else
    ok 0 "# SKIP there is no sqlite3"
fi
cd / || exit 1

done_testing
