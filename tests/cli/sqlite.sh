#!/bin/sh
# heaptap export --format sqlite: the figures of the database are those of the reports, and the queries and the notebook
# of the documentation run.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
trace="$GOLDEN/valid/irmin-replay-v2.ctf"
ask() {
    sqlite3 "$1" "$2"
}

run "$HEAPTAP" export -f sqlite "$trace" -o run.db
is "$STATUS $(cat err)" "0 " "a database"
is "$(ask run.db "PRAGMA user_version")" 1 "... of version 1"
is "$(ask run.db "PRAGMA integrity_check")" ok "... that SQLite finds whole"
is "$(ask run.db "SELECT program, sample_rate, word_bytes, header_words, is_whole FROM profile")" \
    "/tmp/l/github/irmin-worktree-main/_build/default/bench/irmin-pack/tree.exe|1.0e-06|8.0|1.0|1" "... its profile"

# Sums, sites and events are those of other commands.
/usr/bin/python3 - "$HEAPTAP" "$trace" >compared <<'PYTHON'
import json, sqlite3, subprocess, sys
heaptap, trace = sys.argv[1:]
database = sqlite3.connect("run.db")
def answer(*words):
    return json.loads(subprocess.run([heaptap, *words, "--json"], stdout=subprocess.PIPE, check=True).stdout)
for name in [row[0] for row in database.execute("SELECT name FROM sample_type")]:
    total = answer("top", trace, "-s", name)["total"]
    value = database.execute("SELECT coalesce(sum(value), 0) FROM sample JOIN sample_type ON id = type WHERE name = ?", [name]).fetchone()[0]
    print(name, "same" if abs(value - total) <= 1e-9 * total else f"{value}, not {total}")
flat = {node.get("function", ""): node["flat"] for node in answer("top", trace, "--node-fraction=0")["nodes"] if node["flat"]}
sites = dict(database.execute("SELECT function, sum(estimated_bytes) FROM block JOIN site USING (profile, node) GROUP BY function"))
wrong = [name for name in flat if abs(flat[name] - sites.get(name, 0)) > 1e-6 * flat[name]]
print("sites", "same" if flat and not wrong else f"differ: {wrong[:5]}")
events = subprocess.run([heaptap, "dump", trace], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
kinds = {"alloc": 0, "promote": 0, "collect": 0}
for line in events:
    kinds[line.split()[2].split("_")[0]] += 1
rows = dict(database.execute("SELECT kind, count(*) FROM event GROUP BY kind"))
print("events", "same" if rows == kinds else f"{rows}, not {kinds}")
PYTHON
for what in alloc_space alloc_objects inuse_space inuse_objects promoted_space promoted_objects collected_space \
    collected_objects sites events; do
    has compared "$what same" "$what"
done

# What passes a filter, with the stacks that it leaves.
run "$HEAPTAP" export -f sqlite "$trace" -o some.db focus=rev_append 'hide=^Stdlib'
total=$("$HEAPTAP" top --json "$trace" focus=rev_append 'hide=^Stdlib' | sed -n 's/^  "selected": \([0-9]*\).*/\1/p')
is "$(ask some.db "SELECT CAST(sum(estimated_bytes) AS INTEGER) FROM block")" "$total" "a filter"
is "$(ask some.db "SELECT count(*) FROM site WHERE function LIKE 'Stdlib%'")" 0 "... that hides frames"
is "$(ask some.db "SELECT filter FROM profile")" "focus=rev_append hide=^Stdlib" "... is named"
is "$(ask some.db "SELECT count(*) FROM node LEFT JOIN frame ON frame.id = node.frame WHERE frame.id IS NULL")" 0 "... no frame lacks"

# Stacks of another recording of the same program have the same hashes, whatever their numbers.
"$HEAPTAP" file subsample --from 10 "$trace" -o part.ctf && "$HEAPTAP" export -f sqlite part.ctf -o other.db
is "$(ask other.db "ATTACH 'run.db' AS whole; SELECT count(*) FROM node WHERE hash NOT IN (SELECT hash FROM whole.node)")" 0 \
    "hashes of stacks"

# A profile of values, with labels.
"$MAKE_STORY" >story.ctf
"$HEAPTAP" pprof story.ctf -o story.pb.gz
run "$HEAPTAP" export -f sqlite story.pb.gz -o values.db
is "$STATUS" 0 "a profile of values"
is "$(ask values.db "SELECT name FROM sample_type ORDER BY id" | head -2 | tr '\n' ' ')" "alloc_objects alloc_space " "... its types"
total=$("$HEAPTAP" top --json -s alloc_space story.pb.gz | sed -n 's/^  "total": \([0-9]*\).*/\1/p')
is "$(ask values.db "SELECT CAST(sum(value) AS INTEGER) FROM sample JOIN sample_type ON id = type WHERE name = 'alloc_space'")" \
    "$total" "... their sum"
is "$(ask values.db "SELECT count(*) FROM block")" 0 "... no blocks"

# What can't be.
for wrong in "" "-o -" "-s inuse_space -o x.db" "-g functions -o x.db"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" export -f sqlite $wrong "$trace"
    is "$STATUS $(grep -c "^heaptap export: " err)" "2 1" "refused: '$wrong'"
done
run "$HEAPTAP" export -f sqlite "$trace" -o none/x.db
is "$STATUS $(cat err)" "4 heaptap export: none/x.db: there is no folder none" "a folder that isn't there"
echo keep >kept.db
run "$HEAPTAP" export -f sqlite /nowhere -o kept.db
is "$(cat kept.db)" keep "what was there stays when the trace can't be read"

# The documentation.
/usr/bin/python3 - "$SOURCE/docs/sqlite.md" "$GOLDEN/expected/irmin-replay-v2.alloc-stats.json" >queries <<'PYTHON'
import json, re, sqlite3, sys
wanted = json.load(open(sys.argv[2]))
rows = {}
for number, query in enumerate(re.findall(r"```sql\n(.*?)```", open(sys.argv[1]).read(), re.S), 1):
    database = sqlite3.connect("run.db")
    for statement in query.strip().rstrip(";").split(";\n"):
        cursor = database.execute(statement)
    names = [column[0] for column in cursor.description]
    rows[number] = [dict(zip(names, row)) for row in cursor]
    print(f"query {number}", "has rows" if rows[number] else "has none")
stats, histogram = rows[3][0], {str(row["words"]): row["blocks"] for row in rows[4]}
for key in "major_events", "mean_words", "max_words", "percentage_large_over_256", "survivors":
    print(key, "same" if stats[key] == wanted[key] else f"{stats[key]}, not {wanted[key]}")
print("variance", "same" if abs(stats["variance"] / wanted["variance"] - 1) < 1e-9 else stats["variance"])
print("lifetime", "same" if stats["max_lifetime_us"] == wanted["max_lifetime_us_true_time"] else stats)
print("by_size", "same" if histogram == wanted["by_size"] else histogram)
PYTHON
is "$(grep -c "has rows" queries) $(grep -c "has none" queries)" "7 0" "queries of the documentation"
for what in major_events mean_words max_words percentage_large_over_256 survivors variance lifetime by_size; do
    has queries "$what same" "alloc-stats by SQL: $what"
done
if /usr/bin/python3 -c 'import pandas, matplotlib' 2>/dev/null; then
    /usr/bin/python3 - "$SOURCE/docs/notebooks/allocations.ipynb" >notebook.py <<'PYTHON'
import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        print("".join(cell["source"]))
PYTHON
    run env MPLBACKEND=Agg MPLCONFIGDIR="$TMP" /usr/bin/python3 notebook.py
    is "$STATUS $(ls sizes.png lifetimes.png live.png | wc -l)" "0 3" "the notebook runs, and draws"
    has out "10607 sampled blocks at rate 1e-06, 80925.0 MB in 2618315723 blocks allocated" "... its figures"
else
    skip "the notebook" "no pandas or matplotlib"
fi
done_testing
