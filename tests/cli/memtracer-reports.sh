#!/bin/sh
# heaptap memtracer --report: other commands asked about a run; and the table has the same figures as the trace of that run.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cp "$SOURCE"/tests/programs/visits/* .

# Blocks, bytes and what is left of both, by file, line and type: of the table, and of the stacks of the trace, where a block that is
# resized ends and another begins.  Of Python, only rows of the script: elsewhere the type may be known too late for the trace.
cat >compare.py <<'EOT'
import collections, json, sys
name, script = sys.argv[1:3]
table, trace = collections.Counter(), collections.Counter()
for row in json.load(open(name + ".json"))["processes"][0]["rows"]:
    key = (row["file"] or "(no location)", row["line"] or 0, row["type"] or "(untyped)")
    table[key, "alloc_objects"] += row["count"] + row["resized"]
    table[key, "alloc_space"] += row["bytes"]
    table[key, "inuse_objects"] += row["live"]
    table[key, "inuse_space"] += row["live_bytes"]
for what in "alloc_objects", "alloc_space", "inuse_objects", "inuse_space":
    for stack in json.load(open(name + "." + what))["stacks"]:
        kind, place = stack["stack"][:2]
        assert kind["file"] == "<type>", kind
        trace[(place["file"], place.get("line") or 0, kind["function"]), what] += stack["value"]
ours = lambda rows: {key: n for key, n in rows.items() if n and (not script.endswith(".py") or key[0][0].endswith(script))}
for key in sorted(set(ours(table)) | set(ours(trace))):
    if table[key] != trace[key]:
        print(*key, table[key], trace[key])
print("compared", len(ours(trace)) > 20)
EOT

# asked LANGUAGE SCRIPT TYPE MAKER PLACE COMMAND...: of 150 objects of the type that the function makes, 100 are left, at that place.
asked() {
    name=$1 script=$2 type=$3 maker=$4 place=$5
    shift 5
    "$HEAPTAP" memtracer --json --output-file "$name.json" -o "$name.ctf" -- "$@" >/dev/null
    for what in alloc_objects alloc_space inuse_objects inuse_space; do
        "$HEAPTAP" traces --json -g lines --sample $what "$name.ctf" >"$name.$what"
    done
    is "$(/usr/bin/python3 compare.py "$name" "$script")" "compared True" "$name: the table and the trace of one run have the same figures"
    is "$(/usr/bin/python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["processes"][0]["rows"]
total = json.load(open(sys.argv[2]))["total"]
print(sum(row["count"] + row["resized"] for row in rows) - total["objects"])' "$name.json" /dev/fd/3 3<<EOT
$("$HEAPTAP" hotspots --json "$name.ctf")
EOT
)" 0 "... hotspots has as many blocks"

    run "$HEAPTAP" memtracer --report "top --sample alloc_objects 'type=^$type\$' 'focus=^$maker\$'" -- "$@"
    is "$STATUS $(head -1 out):$(awk -v type="$type" '$6 == type { print $1 }' out)" "0 done:150" "$name: --report top, with a clause"
    run "$HEAPTAP" memtracer --report "leaks --csv -n 0 'type=^$type\$'" -- "$@"
    is "$STATUS $(cat err):$(head -1 out | cut -d, -f1)" "0 done:function" "... CSV: the program's own output goes to standard error"
    has out "$place" "... leaks has the line"
    run "$HEAPTAP" memtracer --output-file answer --report "compare --long $name.ctf {} --json" --report "hotspots --json" -- "$@"
    is "$STATUS $(cat out):$(grep -c '"schema"' answer)" "0 done:2" "... two questions, into a file; {} is where the trace goes"
}

asked lox visits.lox LoxInstance read ",6," "$LOX" visits.lox
if command -v lua5.4 >/dev/null && [ -n "${LUA_ADAPTER:-}" ]; then
    asked lua visits.lua table visit ",2," lua5.4 visits.lua
fi
if [ -n "${PYTHON_ADAPTER:-}" ] && /usr/bin/python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
    asked py visits.py Visit read ",7," /usr/bin/python3 -S visits.py
fi

# ---- The table's forms

cat >forms.py <<'EOT'
import csv, json, sys
rows = list(csv.DictReader(open("forms.csv")))
process, = json.load(open("forms.json"))["processes"]
wanted = process[sys.argv[1]]
assert len(rows) == len(wanted) > 2, (len(rows), len(wanted))
for row, other in zip(rows, wanted):
    assert row.pop("pid").isdigit()
    for key, cell in row.items():
        value = other.get(key)
        same = cell == "" if value is None else abs(float(cell) - value) < 1e-3 if not isinstance(value, str) else cell == value
        assert same, (key, cell, value)
    assert set(other) <= set(row), set(other) - set(row)
table = [line for line in open("forms.md") if line.startswith("| ")]
assert len(table) == len(rows) + 1, table
print("the same")
EOT
for rows in table:rows histogram:functions typehistogram:types calltree:calls; do
    for form in json:json csv:csv markdown:md; do
        "$HEAPTAP" memtracer -f "${rows%:*}" -f "${form%:*}" --output-file "forms.${form#*:}" -- "$LOX" visits.lox >/dev/null
    done
    is "$(/usr/bin/python3 forms.py "${rows#*:}" 2>&1)" "the same" "--format ${rows%:*}: JSON, CSV and Markdown have the same rows"
done
run "$HEAPTAP" memtracer --csv -- "$LOX" visits.lox
is "$STATUS $(head -1 out | cut -d, -f1-6) $(cat err)" "0 pid,file,line,function,type,count done" "--csv: standard output has nothing else"
run "$HEAPTAP" memtracer --csv -- sh -c "$LOX visits.lox; $LOX visits.lox"
is "$(grep -c pid,file out) $(sed 1d out | cut -d, -f1 | sort -u | wc -l)" "1 2" "two processes are one table"

# ---- Clauses

run "$HEAPTAP" memtracer --csv -F 'type=Instance' --filter='focus=^read$' -- "$LOX" visits.lox
is "$STATUS $(sed 1d out | cut -d, -f2- | cut -d, -f1-5)" "0 visits.lox,6,read,LoxInstance,150" "--filter: a type, below a function"
run "$HEAPTAP" memtracer -F 'ignore=^read$' -- "$LOX" visits.lox
lacks out "LoxInstance" "... and what is not below it"
has out "hidden: " "... the rest is accounted for"
run "$HEAPTAP" memtracer -F 'size>=1k' -- sh -c 'touch ran'
is "$STATUS $(grep -c "give size to a" err) $(ls ran 2>/dev/null)" "2 1 " "a clause on single blocks is for --report"

# ---- Tables that were saved

# A table's own figures come back: of a line and type, in each report.
cat >table.txt <<'EOT'
the program || says || this || too
Memory Tracer. Recorded 207 allocations.

Source Location || Count || Size || Live || Live Size || Type
a.lox:9 || 200 || 6.25kB || 10 || 320B || LoxArray
  from a.lox:12 || 200 || 6.25kB || 10 || 320B || main
a.lox:3 || 5 || 1000B || 5 || 1000B || LoxString
-c || 2 || 0B || 0 || 0B || (untyped)

allocated: 7.23kB; retained at the end: 1.29kB in 15; peak: 2kB
EOT
for sample in alloc_objects:207 alloc_space:7400 inuse_objects:15 inuse_space:1320; do
    run "$HEAPTAP" traces --json --sample "${sample%:*}" table.txt
    is "$(grep -o '"total": [0-9]*' out)" "\"total\": ${sample#*:}" "a saved table: ${sample%:*} in all"
done
complete() { "$HEAPTAP" hotspots --json "$1" 2>/dev/null | grep -o '"complete": [a-z]*'; }
is "$(complete table.txt)" '"complete": true' "... all of it"
sed '/^-c/,$d' table.txt >cut.txt
is "$(complete cut.txt)" '"complete": false' "a table whose rows don't have all that was recorded is cut"
head -c -5 table.txt >cut.txt
is "$(complete cut.txt)" '"complete": false' "... and so is one that ends within a line"
run "$HEAPTAP" hotspots cut.txt
is "$(cat out err | grep -c 'the file is cut: its last line has no end') $(grep -c exact out)" "1 0" "... which is told"
sed '/^-c/d; s/^$//; s/^allocated.*/hidden: 1 row, 2 allocations, 0B\naccounted: 205 shown + 2 hidden + 0 without location + 0 untyped = 207/' table.txt >hidden.txt
is "$(complete hidden.txt)" '"complete": true' "... but not one that says that it leaves rows out"
run "$HEAPTAP" top --csv -g lines --sample alloc_objects table.txt
is "$(grep -c '^a.lox:9 a.lox:9,a.lox:9,a.lox,9,0,0,1,200,' out)" 1 "top: by line"
has out "LoxArray <type>,LoxArray,<type>,,200," "... and by type"
run "$HEAPTAP" tree table.txt
has out "LoxString" "tree"
run "$HEAPTAP" hotspots --json table.txt
has out '"value": 6400' "hotspots"
run "$HEAPTAP" leaks --csv table.txt
has out "a.lox:3,a.lox,3,1000," "leaks: what Live Size says, by line"
run "$HEAPTAP" check --max-live=1k table.txt
is "$STATUS" 1 "check"
sed 's/^a.lox:3 || 5 || 1000B/a.lox:3 || 25 || 5000B/' table.txt >later.txt
run "$HEAPTAP" compare --long --json table.txt later.txt
has out '"flat_change": 4000' "diff of two tables"
run "$HEAPTAP" top table.txt 'type=^LoxArray$'
has out "6.25kB 86.49% 86.49%     6.25kB 86.49%  LoxArray" "a clause"
run "$HEAPTAP" stats table.txt
is "$STATUS $(grep -c "a memtracer profile; it has no single blocks" err)" "3 1" "what needs single blocks says so"
printf 'Source Location || Count || Size || Type\na:1 || x || 3B || T\n' >bad.txt
run "$HEAPTAP" top bad.txt
has err "line 2: the count or the size of 'a:1' is not a number" "a row that makes no sense"
printf 'Memory Tracer. Recorded 3 allocations.\n\nType || Count || Size || Live Size\n' >bad.txt
run "$HEAPTAP" top bad.txt
is "$STATUS $(grep -c "no table of lines and types" err)" "3 1" "another format of the table"
"$HEAPTAP" memtracer --wide -- "$LOX" visits.lox >own.txt
"$HEAPTAP" memtracer --csv -- "$LOX" visits.lox 2>/dev/null | awk -F, 'NR > 1 { n += $6 } END { print n }' >wanted
run "$HEAPTAP" traces --json --sample alloc_objects own.txt
is "$(grep -o '"total": [0-9]*' out)" "\"total\": $(cat wanted)" "the table of a run, with the program's output before it"

# ---- What is left behind, and what is refused

TMPDIR=$TMP/own && mkdir "$TMPDIR" && export TMPDIR
run "$HEAPTAP" memtracer --report info --report "check --max-live=1" -- "$LOX" visits.lox
is "$STATUS $(ls "$TMPDIR")" "1 " "the exit status is the worst of the reports'; nothing is left behind"
has out "lox.ctf" "info is asked, too"
run "$HEAPTAP" memtracer --report "top --nothing-such" -- "$LOX" visits.lox
is "$STATUS $(ls "$TMPDIR"/*/)" "2 lox.ctf" "a report that can't be made: the trace is kept"
has err "the program has run, and its trace is kept: $TMPDIR" "... and named"
run "$HEAPTAP" memtracer --report leaks -o kept.ctf -- "$LOX" visits.lox
has out "kept.ctf: " "-o: the report is about that trace"
ok "$(test -s kept.ctf; echo $?)" "... which stays"
for bad in "leakz:there is no such command" "record:this command takes no trace" " :it names no command" "top 'a:a quote has no end"; do
    run "$HEAPTAP" memtracer --report "${bad%%:*}" -- sh -c 'touch ran'
    is "$STATUS $(grep -c "${bad#*:}" err) $(ls ran 2>/dev/null)" "2 1 " "--report '${bad%%:*}'"
done
run "$HEAPTAP" memtracer --json --report leaks -- sh -c 'touch ran'
is "$STATUS $(grep -c "give the form to the report" err)" "2 1" "a form of the table with --report"
done_testing
