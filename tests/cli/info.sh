#!/bin/sh
# heaptap info
. "$SOURCE/tests/cli/tap.sh"
cd "$GOLDEN/valid" || exit 1

for trace in *.ctf; do
    run "$HEAPTAP" info --format memtrace "$trace"
    same "$TMP/out" "../expected/${trace%.ctf}.identify.txt" "memtrace format of $trace"
    run "$HEAPTAP" info --json "$trace"
    json_is_valid "$TMP/out"
    ok $? "JSON of $trace"
done

run "$HEAPTAP" info irmin-replay-v2.ctf
is "$STATUS" 0 "status 0"
has "$TMP/out" "tree.exe" "text: the program"
has "$TMP/out" "6.9 % promoted" "... promotion"
has "$TMP/out" "21940: 10607 allocations, 727 promotions, 10606 collections" "... events, all on one line in a file"
has "$TMP/out" "minor heap 262144 words (2.0 MB), space_overhead 120" "... GC parameters"
lacks "$TMP/out" "$(printf '\033')" "... no colour in a file"

# Standard input, compression.
"$HEAPTAP" info --format memtrace - <lists-and-sets-v1.ctf >"$TMP/out"
sed 's/lists-and-sets-v1.ctf/standard input/' ../expected/lists-and-sets-v1.identify.txt >"$TMP/wanted"
same "$TMP/out" "$TMP/wanted" "standard input"
cat lists-and-sets-v1.ctf | "$HEAPTAP" info --format memtrace - >"$TMP/out"
same "$TMP/out" "$TMP/wanted" "a pipe"
gzip -c lists-and-sets-v1.ctf >"$TMP/t.ctf.gz"
zstd -qc lists-and-sets-v1.ctf >"$TMP/t.ctf.zst"
for how in gzip:gz zstd:zst; do
    run "$HEAPTAP" info --json "$TMP/t.ctf.${how#*:}"
    is "$(json trace compression) $(json trace stored_bytes) $(json trace trace_bytes)" \
        "${how%:*} $(wc -c <"$TMP/t.ctf.${how#*:}") 17759" "${how%:*}: sizes"
    is "$(json events total)" 1727 "... events"
    "$HEAPTAP" info --json - <"$TMP/t.ctf.${how#*:}" >"$TMP/out"
    is "$(json trace stored_bytes)" "$(wc -c <"$TMP/t.ctf.${how#*:}")" "... size on standard input"
done

# Several domains, out of order in the file; everything is exact at rate 1.
"$MAKE_TRACE" domains >"$TMP/domains.ctf"
run "$HEAPTAP" info --json "$TMP/domains.ctf"
is "$(json allocated bytes) $(json allocated objects)" "2512 4" "domains: allocated"
is "$(json allocated minor bytes) $(json allocated external bytes)" "112 2400" "... by source"
is "$(json promoted_bytes)" 64 "... promoted"
is "$(json collected minor_bytes) $(json collected major_bytes)" "32 64" "... collected"
is "$(json live_at_end bytes) $(json live_at_end objects)" "2416 2" "... live"
is "$(json peak bytes) $(json peak exact)" "2496 True" "... peak"
is "$(json domains 0 allocated_bytes) $(json domains 1 promoted_bytes) $(json domains 1 collected_bytes)" \
    "2496 64 96" "... by domain"
is "$(json domains 1 thread) $(json domains 1 first_us) $(json domains 1 last_us)" \
    "reader <1> 50 80" "... thread and times"
is "$(json modules 0 path) $(json modules 0 build_id) $(json drops 0 samples) $(json types 0 name) $(json properties 0 value)" \
    "/usr/bin/prog abcd 3 table make_trace" "... metadata"
is "$(json notes unknown_collections)" 0 "... nothing unknown"
is "$(json trace complete)" False "... and not complete, as samples were dropped"
for report in hotspots top leaks timeline; do
    "$HEAPTAP" $report --json "$TMP/domains.ctf" >"$TMP/$report.json" 2>/dev/null
    is "$(field "$TMP/$report.json" "d['complete']")" False "... nor is what $report says of it"
done
run "$HEAPTAP" info "$TMP/domains.ctf"
has "$TMP/out" "reader <1>" "text: threads"
has "$TMP/out" "external   2.3 kB in 1 block" "... one is no plural"
has "$TMP/out" "7: 4 allocations, 1 promotion, 2 collections" "... of events neither"
has "$TMP/out" "/usr/bin/prog" "text: modules"
has "$TMP/out" "3 samples of domain 1: no memory" "text: drops"
has "$TMP/out" "a test" "text: context"

# Other forms.
cat >"$TMP/wanted" <<'EOF'
figure,domain,thread,bytes,bytes_low,bytes_high,objects,objects_low,objects_high,samples,time_us
allocated,,,2512,2512,2512,4,4,4,314,
allocated_minor,,,112,,,3,,,14,
allocated_major,,,0,,,0,,,0,
allocated_external,,,2400,,,1,,,300,
promoted,,,64,,,,,,8,
collected_minor,,,32,,,,,,4,
collected_major,,,64,,,,,,8,
live_at_end,,,2416,2416,2416,2,2,2,302,
peak,,,2496,2496,2496,,,,312,30
allocated,0,,2496,,,,,,312,
promoted,0,,0,,,,,,0,
collected,0,,0,,,,,,0,
allocated,1,reader <1>,16,,,,,,2,
promoted,1,reader <1>,64,,,,,,8,
collected,1,reader <1>,96,,,,,,12,
EOF
run "$HEAPTAP" info --csv "$TMP/domains.ctf"
same "$TMP/out" "$TMP/wanted" "CSV: figures of the whole program, then of each domain"
run "$HEAPTAP" info --markdown "$TMP/domains.ctf"
has "$TMP/out" '- **Allocated** 2.5 kB in 4 blocks' "Markdown: a list of facts"
has "$TMP/out" '    - 57.1 % promoted (64 B)' "... with what belongs to them"
has "$TMP/out" '| 1 | 4 | 16 B | 96 B | 64 B | 50 us | 80 us | reader \<1\> |' "... and tables"

# What would be no trace of a sound program.
"$MAKE_TRACE" odd >"$TMP/odd.ctf"
run "$HEAPTAP" info --json "$TMP/odd.ctf"
is "$STATUS $(json notes odd_promotions) $(json notes unknown_promotions) $(json notes unknown_collections)" \
    "0 1 1 2" "promotions and collections of no block"
run "$HEAPTAP" info --format memtrace "$TMP/odd.ctf"
is "$STATUS" 0 "... in memtrace format"
"$MAKE_TRACE" empty >"$TMP/empty.ctf"
run "$HEAPTAP" info "$TMP/empty.ctf"
is "$STATUS $(grep -c nan "$TMP/out")" "0 0" "an empty trace"
run "$HEAPTAP" info --json "$TMP/empty.ctf"
json_is_valid "$TMP/out"
ok $? "... as JSON"
run "$HEAPTAP" info --format memtrace "$TMP/empty.ctf"
has "$TMP/out" "nan TB/s allocations" "... in memtrace format"

# Damage.
head -c 9000 lists-and-sets-v1.ctf >"$TMP/cut.ctf"
run "$HEAPTAP" info "$TMP/cut.ctf"
is "$STATUS" 3 "a cut trace: status 3"
has "$TMP/out" "cut or damaged" "... and what comes before"
run "$HEAPTAP" info --json "$TMP/cut.ctf"
"$HEAPTAP" dump "$TMP/cut.ctf" 2>/dev/null | wc -l >"$TMP/lines"
is "$(json trace complete) $(json events total)" "False $(cat "$TMP/lines")" "... every event of it"

# The terminal.
on_terminal 100 "$HEAPTAP" info "$TMP/domains.ctf"
has "$TMP/out" "$(printf '\033[1m')" "colour on a terminal"
NO_COLOR=1 on_terminal 100 "$HEAPTAP" info "$TMP/domains.ctf"
lacks "$TMP/out" "$(printf '\033')" "NO_COLOR"
for columns in 30 40 60 80; do
    (cd "$TMP" && COLUMNS=$columns on_terminal $columns "$HEAPTAP" info domains.ctf)
    sed 's/\x1b\[[0-9;]*m//g' "$TMP/out" >"$TMP/plain"
    [ -s "$TMP/plain" ] && [ "$(widest "$TMP/plain")" -le $columns ]
    ok $? "all of it fits a terminal of $columns columns"
    has "$TMP/plain" " reader <1>" "... with a thread's whole name"
done
COLUMNS=60 on_terminal 60 "$HEAPTAP" info irmin-replay-v2.ctf
has "$TMP/out" "            99 % up to 16, 100 % up to 256; the largest has" "lines are wrapped, and a figure stays with its unit"
STATUS=0
"$HEAPTAP" info irmin-replay-v2.ctf >/dev/full 2>"$TMP/err" || STATUS=$?
is "$STATUS" 4 "a full disk: status 4"

for wrong in "--format=xml t" "--json --format=memtrace t" "--nonsense t" "" "a b"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" info $wrong
    is "$STATUS" 2 "status 2: info $wrong"
done
# ---- Filters

cd "$TMP" || exit 1
# What lets everything pass changes no figure, although it goes another way.
for trace in "$GOLDEN"/valid/*.ctf domains.ctf; do
    "$HEAPTAP" info --json "$trace" | grep -vE '"(filter|bytes_per_event)":' >wanted
    "$HEAPTAP" info --json "$trace" 'size>=0' | grep -vE '"filter":' >got
    same got wanted "${trace##*/}: a filter that lets everything pass"
done
cd "$TMP" || exit 1
"$MAKE_STORY" >story.ctf # its figures: tests/helpers/story.h
run "$HEAPTAP" info --json story.ctf 'sise=4'
is "$STATUS" 2 "a wrong clause"
run "$HEAPTAP" info --json story.ctf focus=helper
/usr/bin/python3 -c 'import json
d = json.load(open("out"))
print(d["filter"], d["allocated"]["bytes"], d["promoted_bytes"], d["collected"]["minor_bytes"], d["collected"]["major_bytes"], d["live_at_end"]["bytes"], d["peak"]["bytes"], d["peak"]["time_us"])' >got
echo "focus=helper 544 32 512 0 32 544 70000" >wanted
same got wanted "focus=helper: c and g"
# figures FILE CLAUSE...: events, bytes allocated, alive at the end and at the peak, when that was, what has ended, and what is odd.
figures() {
    "$HEAPTAP" info --json "$@" | /usr/bin/python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["events"]["total"], d["events"]["promote"], d["allocated"]["bytes"], d["live_at_end"]["bytes"], d["peak"]["bytes"], d["peak"]["time_us"],
      d["collected"]["minor_bytes"], d["collected"]["major_bytes"], d["notes"]["unknown_collections"])'
}
is "$(figures story.ctf source=minor)" "9 0 824 256 768 70000 568 0 0" "source=minor: a promotion ends a block"
is "$(figures domains.ctf source=minor)" "5 0 112 16 96 20 96 0 0" "... also on another domain"
is "$(figures story.ctf source=major)" "7 2 112 32 112 50000 0 80 0" "source=major: a block lives from its promotion on"
is "$(figures story.ctf live-at=peak)" "$(figures story.ctf live-at=70ms)" "live-at=peak: what is alive then"
peak=$("$HEAPTAP" info --json "$GOLDEN/valid/ocamlopt-v1.ctf" | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["peak"]["samples"])')
"$HEAPTAP" info --json "$GOLDEN/valid/ocamlopt-v1.ctf" live-at=peak >out
is "$(/usr/bin/python3 -c 'import json; print(json.load(open("out"))["allocated"]["samples"])')" "$peak" "... in a sampled trace, as many samples as the peak has"
run "$HEAPTAP" info story.ctf --size '>=8w' domain=1
has out 'Filter      size>=8w domain=1' "text names the filter"
has out "Peak        384 B live at 60 ms" "... and tells of what it leaves"
run "$HEAPTAP" info -f memtrace story.ctf 'size>=4w'
is "$STATUS" 2 "memtrace's format takes no filter"
"$HEAPTAP" pprof story.ctf -o story.pb.gz
run "$HEAPTAP" info --json story.pb.gz focus=map
/usr/bin/python3 -c 'import json
print([t["total"] for t in json.load(open("out"))["sample_types"] if t["type"].endswith("_space")])' >got
echo "[280, 256, 16]" >wanted
same got wanted "a pprof profile: what is left of each of its values"
run "$HEAPTAP" info story.pb.gz live-at=peak
is "$STATUS" 2 "... which has no times"

# Few samples.
run "$HEAPTAP" info "$GOLDEN/valid/lists-and-sets-v1.ctf"
has out "At the end  7.8 kB (401 B to 39 kB: too few samples to tell) live in 24 (1 to 1.5 k) blocks, 1 sampled" "one sample is too few to tell"
run "$HEAPTAP" info --json "$GOLDEN/valid/lists-and-sets-v1.ctf"
/usr/bin/python3 -c 'import json
d = json.load(open("out"))
print(d["live_at_end"]["bytes_too_few_samples"], "bytes_too_few_samples" in d["allocated"])' >got
is "$(cat got)" "True False" "... in JSON"
run "$HEAPTAP" info "$GOLDEN/valid/ocamlopt-v1.ctf" 'size>=16k' 'allocated<250ms'
has out "Peak        0 B (at most 23 kB: too few samples to tell) live" "of none, there is an upper bound"

done_testing
