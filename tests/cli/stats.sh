#!/bin/sh
# heaptap stats
. "$SOURCE/tests/cli/tap.sh"
cd "$GOLDEN/valid" || exit 1

# The notebooks' figures.  They add up a variance's terms in an order that costs its last digits:
# their own two runs differ in the 14th.
run "$HEAPTAP" stats --major-only --parts 10 --json irmin-replay-v2.ctf
is "$STATUS" 0 "status 0"
/usr/bin/python3 - "$TMP/out" ../expected/irmin-replay-v2.alloc-stats.json >"$TMP/compared" <<'EOF'
import json, sys
from fractions import Fraction
got, wanted = (json.load(open(path)) for path in sys.argv[1:])
sizes, lives = got["sizes"], got["lifetimes"]
pairs = {
    "major_events": sizes["count"], "mean_words": sizes["mean_words"],
    "max_words": sizes["max_words"], "by_size": sizes["by_size"],
    "percentage_large_over_256": sizes["percentage_large_over_256"],
    "large_per_tenth": sizes["large_per_part"], "survivors": lives["survivors"],
    "max_lifetime_events": lives["in_events"]["max"],
    "max_lifetime_us_true_time": lives["in_us"]["max"],
}
def written(value): # JSON has 15 digits
    return float(f"{value:.15g}") if isinstance(value, float) else value


for key, value in pairs.items():
    print(key, "same" if value == written(wanted[key]) else f"{value}, not {wanted[key]}")
for key in "variance", "standard_deviation":
    off = abs(sizes[key] / wanted[key] - 1)
    print(key, "same" if off < 1e-12 else f"off by {off}")
counts = {int(size): count for size, count in wanted["by_size"].items()}
number = sum(counts.values())
mean = Fraction(sum(size * count for size, count in counts.items()), number)
exact = sum(count * (size - mean) ** 2 for size, count in counts.items()) / number
print("exact variance", "same" if sizes["variance"] == written(float(exact)) else sizes["variance"])
EOF
for key in major_events mean_words max_words by_size percentage_large_over_256 large_per_tenth \
    survivors max_lifetime_events max_lifetime_us_true_time variance standard_deviation \
    "exact variance"; do
    has "$TMP/compared" "$key same" "alloc-stats: $key"
done

# The notebooks' standard deviations of ten parts.
is "$(json sizes parts 0 standard_deviation | cut -c1-12)" 43433.244057 "parts: the first"
is "$(json sizes parts 9 standard_deviation | cut -c1-12)" 951.69480057 "parts: the last"
is "$(json sizes parts 9 sampled_blocks)" 73 "... has what is left"

# A small trace, by hand: four blocks, three domains' worth of disorder in the file.
"$MAKE_TRACE" domains >"$TMP/domains.ctf"
run "$HEAPTAP" stats --json "$TMP/domains.ctf"
is "$(json sizes count) $(json sizes mean_words) $(json sizes max_words)" "4 77.5 299" "all blocks"
is "$(json lifetimes survivors) $(json lifetimes ticks)" "2 6" "... survivors"
is "$(json lifetimes in_us max) $(json lifetimes in_us median)" "50 45" "... lifetimes in time"
is "$(json lifetimes in_events max) $(json lifetimes in_events median)" "4 3" "... in events"
run "$HEAPTAP" stats --major-only --json "$TMP/domains.ctf"
is "$(json sizes count) $(json lifetimes survivors) $(json lifetimes in_us max)" "2 1 40" "--major-only"
"$HEAPTAP" stats --major-only --json - <"$TMP/domains.ctf" >"$TMP/stdin"
sed 's/"standard input"/"domains.ctf"/' "$TMP/stdin" >"$TMP/renamed"
same "$TMP/renamed" "$TMP/out" "standard input"
run "$HEAPTAP" stats --estimate --json irmin-replay-v2.ctf
is "$(json estimated) $(json sizes sampled_blocks)" "True 10607" "--estimate"
ESTIMATED=$(json sizes count)
run "$HEAPTAP" info --json irmin-replay-v2.ctf
/usr/bin/python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a / b - 1) > 1e-9)' \
    "$ESTIMATED" "$(json allocated objects)"
ok $? "... as many blocks as info says"
run "$HEAPTAP" stats --parts 3 --json irmin-replay-v2.ctf
is "$(json sizes parts | tr , '\n' | grep -c sampled_blocks)" 3 "--parts"
for trace in *.ctf; do
    run "$HEAPTAP" stats --json "$trace"
    json_is_valid "$TMP/out"
    ok $? "JSON of $trace"
done

# Each estimate has the number of sampled blocks that it rests on, in all forms the same.
run "$HEAPTAP" stats --estimate irmin-replay-v2.ctf
has "$TMP/out" " 594 M by 1188" "--estimate: bars of sizes have their samples"
has "$TMP/out" " 583333 by 2" "... and bars of lifetimes"
run "$HEAPTAP" stats irmin-replay-v2.ctf
lacks "$TMP/out" " by " "... which are the figures themselves without it"
run "$HEAPTAP" stats --estimate --json irmin-replay-v2.ctf
cp "$TMP/out" "$TMP/estimate.json"
run "$HEAPTAP" stats --estimate --csv irmin-replay-v2.ctf
/usr/bin/python3 - "$TMP/estimate.json" "$TMP/out" >"$TMP/compared" <<'EOF'
import csv, json, sys
document, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
bins = {**document["sizes"]["histograms"], **{key: document["lifetimes"][key]["histogram"] for key in ("in_events", "in_us")}}
listed = [(name, *(bin[key] for key in ("from", "below", "count", "sampled_blocks"))) for name in bins for bin in bins[name]]
told = [(row["histogram"], *(float(row[key]) for key in ("from", "below", "count", "sampled_blocks"))) for row in rows]
print("bins", len(listed) == len(told) and all(a[0] == b[0] and all(abs(x - y) < 1e-3 + 1e-9 * abs(x) for x, y in zip(a[1:], b[1:]))
                                               for a, b in zip(listed, told)))
print("samples", sum(bin["sampled_blocks"] for name in ("small", "medium", "large", "huge") for bin in bins[name]))
EOF
is "$(tr '\n' ' ' <"$TMP/compared")" "bins True samples 10607 " "CSV has the bins of JSON"
run "$HEAPTAP" stats --markdown irmin-replay-v2.ctf
is "$(grep -c '^### ' "$TMP/out") $(grep -c '^| [0-9]' "$TMP/out")" "7 10" "Markdown: a heading each, and the parts"

# Compression.
run "$HEAPTAP" stats lists-and-sets-v1.ctf
cp "$TMP/out" "$TMP/text"
gzip -c lists-and-sets-v1.ctf >"$TMP/lists-and-sets-v1.ctf.gz"
zstd -qc lists-and-sets-v1.ctf >"$TMP/lists-and-sets-v1.ctf.zst"
for ending in gz zst; do
    run "$HEAPTAP" stats "$TMP/lists-and-sets-v1.ctf.$ending"
    sed "s/\.ctf\.$ending/.ctf/" "$TMP/out" >"$TMP/renamed"
    same "$TMP/renamed" "$TMP/text" "$ending"
done

# The picture.
for options in "" "--major-only" "--estimate"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" stats $options -o "$TMP/s.svg" irmin-replay-v2.ctf
    is "$STATUS $(cat "$TMP/out")" "0 " "-o FILE.svg $options: no text"
    /usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
name = "{http://www.w3.org/2000/svg}"
titles = [t.text for t in root.iter(name + "text") if t.get("class") == "title"]
sys.exit(len(titles) != 6 or len(list(root.iter(name + "rect"))) < 20)' "$TMP/s.svg"
    ok $? "... well-formed, six charts, bars"
    lacks "$TMP/s.svg" nan "... no nan"
done
run "$HEAPTAP" stats --estimate --svg irmin-replay-v2.ctf
same "$TMP/out" "$TMP/s.svg" "--svg: the same on standard output"
run "$HEAPTAP" stats --estimate --svg -o "$TMP/picture" irmin-replay-v2.ctf
same "$TMP/picture" "$TMP/s.svg" "--svg -o: ... or in a file of any name"
run "$HEAPTAP" stats -o "$TMP/text" irmin-replay-v2.ctf
cp "$TMP/text" "$TMP/written"
run "$HEAPTAP" stats irmin-replay-v2.ctf
same "$TMP/out" "$TMP/written" "-o: text in a file"
run "$HEAPTAP" stats -o "$TMP/none/s.svg" lists-and-sets-v1.ctf
is "$STATUS" 4 "a picture that can't be written: status 4"
run "$HEAPTAP" stats --svg -o /dev/full lists-and-sets-v1.ctf
is "$STATUS" 4 "... or not finished"

# --svg takes no file: no trace that stands after it is lost.
cp lists-and-sets-v1.ctf "$TMP/first.ctf"
run "$HEAPTAP" stats --svg "$TMP/first.ctf" irmin-replay-v2.ctf
is "$STATUS $(cmp -s lists-and-sets-v1.ctf "$TMP/first.ctf"; echo $?)" "0 0" "--svg TRACE TRACE: the first is as it was"
has "$TMP/out" "<svg" "... and the picture is of both"
cp "$TMP/s.svg" "$TMP/before.svg"
run "$HEAPTAP" stats --svg "$TMP/s.svg" irmin-replay-v2.ctf
is "$STATUS $(grep -c "s.svg' is not a trace; to draw a picture into it, give -o " "$TMP/err")" "2 1" "--svg FILE.svg TRACE: what to write instead"
same "$TMP/s.svg" "$TMP/before.svg" "... with nothing written"

# Characters, width, colour.
run "$HEAPTAP" stats irmin-replay-v2.ctf
has "$TMP/out" "█" "block characters"
LC_ALL=C run "$HEAPTAP" stats irmin-replay-v2.ctf
lacks "$TMP/out" "█" "not in the C locale"
has "$TMP/out" "###" "... # there"
TERM=dumb run "$HEAPTAP" stats irmin-replay-v2.ctf
lacks "$TMP/out" "█" "nor on a dumb terminal"
COLUMNS=40 on_terminal 40 "$HEAPTAP" stats lists-and-sets-v1.ctf
sed -n '/^Small/,$p' "$TMP/out" | grep -e '█' -e '▏' >"$TMP/bars"
[ "$(widest "$TMP/bars")" -le 40 ]
ok $? "bars fit a terminal of 40 columns"
sed -n '/^PART/,/^$/p' "$TMP/out" >"$TMP/table"
[ -s "$TMP/table" ] && [ "$(widest "$TMP/table")" -le 40 ]
ok $? "... as does the table"
lacks "$TMP/table" "…" "... without cut numbers"
has "$TMP/out" "$(printf '\033[36m')" "colour on a terminal"
NO_COLOR=1 on_terminal 80 "$HEAPTAP" stats lists-and-sets-v1.ctf
lacks "$TMP/out" "$(printf '\033[')" "NO_COLOR"

# Damage, nothing at all.
head -c 9000 lists-and-sets-v1.ctf >"$TMP/cut.ctf"
run "$HEAPTAP" stats --json "$TMP/cut.ctf"
is "$STATUS" 3 "a cut trace: status 3"
"$HEAPTAP" dump --format alloc-stats "$TMP/cut.ctf" 2>/dev/null | grep -c ' a ' >"$TMP/lines"
is "$(json sizes count)" "$(cat "$TMP/lines")" "... every block before the cut"
"$MAKE_TRACE" empty >"$TMP/empty.ctf"
run "$HEAPTAP" stats --json "$TMP/empty.ctf"
is "$STATUS $(json sizes count) $(json sizes mean_words)" "0 0 0" "an empty trace"
run "$HEAPTAP" stats --svg "$TMP/empty.ctf"
is "$STATUS $(grep -c nan "$TMP/out")" "0 0" "... its picture"
run "$HEAPTAP" stats "$TMP/empty.ctf"
is "$STATUS $(grep -c nan "$TMP/out")" "0 0" "... its text"
"$MAKE_TRACE" odd >"$TMP/odd.ctf"
run "$HEAPTAP" stats --major-only --json "$TMP/odd.ctf"
is "$(json notes unknown_promotions) $(json notes unknown_collections)" "2 2" "ends of no block"

# Filters.
"$MAKE_STORY" >"$TMP/story.ctf"
run "$HEAPTAP" stats --json "$TMP/story.ctf" focus=map
is "$(json filter): $(json sizes count) $(json sizes mean_words) $(json lifetimes survivors) $(json lifetimes ticks)" \
    "focus=map: 3 11.6666666666667 1 5" "a filter: its blocks"
is "$(json lifetimes in_us max) $(json lifetimes in_events median) $(json lifetimes in_events max)" "60000 2 2" \
    "... their lives, by their own events"
run "$HEAPTAP" stats --json "$TMP/story.ctf" source=major
is "$(json sizes count) $(json sizes max_words) $(json major_only) $(json lifetimes in_us max)" "3 8 True 40000" \
    "source=major: a promotion begins a life"
run "$HEAPTAP" stats --json "$TMP/story.ctf" source=minor
is "$(json sizes count) $(json lifetimes survivors) $(json lifetimes in_us median) $(json notes unknown_collections)" \
    "5 1 20000 0" "source=minor: ... and ends one"
"$HEAPTAP" stats --json --filter "focus=map live-at=65ms" - <"$TMP/story.ctf" >"$TMP/out"
is "$(json sizes count) $(json sizes max_words)" "2 32" "standard input, --filter"
run "$HEAPTAP" stats --json "$TMP/story.ctf" hide=main size=8w
is "$STATUS:$(json sizes count):$(grep -c 'leaves nothing' "$TMP/err")" 0:0:1 "blocks of whose stacks nothing is left"
for filter in 'size>=0' 'source=minor,major,external'; do
    run "$HEAPTAP" stats --json irmin-replay-v2.ctf "$filter"
    grep -v '"filter"' "$TMP/out" >"$TMP/filtered"
    run "$HEAPTAP" stats --json irmin-replay-v2.ctf
    grep -v '"filter"' "$TMP/out" >"$TMP/plain"
    same "$TMP/filtered" "$TMP/plain" "$filter: the same as without"
done
run "$HEAPTAP" stats "$TMP/story.ctf" 'size>=4w'
has "$TMP/out" "Filter: size>=4w" "the text names the filter"
run "$HEAPTAP" stats --svg "$TMP/story.ctf" 'size>=4w'
has "$TMP/out" "size&gt;=4w" "... and the picture"
run "$HEAPTAP" stats "$TMP/story.ctf" sise=3
is "$STATUS:$(sed -n 3p "$TMP/err" | tr -d ' ')" "2:^^^^" "a wrong word is pointed at"

# What is only counted is looked at twice.
head -c 20000 irmin-replay-v2.ctf >"$TMP/ends.ctf"
run env HEAPTAP_WHOLE_MODEL=0 "$HEAPTAP" stats "$TMP/ends.ctf"
is "$STATUS $(grep -c 'the trace ends here' "$TMP/err")" "3 1" "a cut trace that is read twice is complained of once"
cp "$TMP/out" "$TMP/counted"
run "$HEAPTAP" stats "$TMP/ends.ctf"
same "$TMP/out" "$TMP/counted" "... with the same figures"

for wrong in "--parts=0 t" "--parts=x t" "--json --svg t" "--svg=s.svg t" "--nonsense t" "" "a b"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" stats $wrong
    is "$STATUS" 2 "status 2: stats $wrong"
done
run "$HEAPTAP" stats "$GOLDEN/valid/ocamlopt-v1.ctf"
is "$(head -n 1 "$TMP/out")" "ocamlopt-v1.ctf: 84270 sampled blocks" "blocks that are samples are called so"
run "$HEAPTAP" stats --estimate "$GOLDEN/valid/ocamlopt-v1.ctf"
is "$(head -n 1 "$TMP/out")" "ocamlopt-v1.ctf: 20 M blocks (estimated from 84270 sampled ones)" "... and what is estimated from them"

done_testing
