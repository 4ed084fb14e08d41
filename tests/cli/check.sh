#!/bin/sh
# heaptap check
. "$SOURCE/tests/cli/tap.sh"
"$MAKE_STORY" >"$TMP/story.ctf"
cd "$TMP" || exit 1

field() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open("out")); print(eval(sys.argv[1]))' "$1"
}

# Seven blocks of 127 words; b c e f g are the peak, c e f are left.
run "$HEAPTAP" check story.ctf --max-peak=944B --max-allocated=1016 --max-live-at-end=416 --max-objects=6
is "$STATUS:$(cat out err)" "0:" "budgets that hold to the byte: nothing is said"
run "$HEAPTAP" check story.ctf --max-peak=943 --max-allocated=1 --max-live-at-end=415 --max-objects=5
cat >wanted <<'EOF'
story.ctf: peak 944 B is over 943 B: 512 B helper helper.ml:30, 272 B map list.ml:20, 128 B ext_alloc ext.c:60
story.ctf: allocated 1016 B is over 1 B: 512 B helper helper.ml:30, 280 B map list.ml:20, 128 B ext_alloc ext.c:60
story.ctf: live-at-end 416 B is over 415 B: 256 B map list.ml:20, 128 B ext_alloc ext.c:60, 32 B iter list.ml:40
story.ctf: objects 6 is over 5: 2 map list.ml:20, 1 helper helper.ml:30, 1 ext_alloc ext.c:60
EOF
is "$STATUS" 1 "broken: status 1"
same out wanted "... a line each, with the three sites that make it"
run "$HEAPTAP" check -v story.ctf --max-peak 1k --max-allocated=20B focus=map 'size<=16'
printf '%s\n' "story.ctf: peak 16 B keeps to 1.0 kB, where focus=map size<=16" \
    "story.ctf: allocated 24 B is over 20 B, where focus=map size<=16: 24 B map list.ml:20" >wanted
is "$STATUS" 1 "clauses"
same out wanted "... are told, as is what holds under -v; sites of nothing are not"

# The peak of what a filter leaves is its own.
run "$HEAPTAP" check --json story.ctf --max-peak 1 domain=0
is "$(field '[(b["measured"], b["limit"], b["verdict"], [s["value"] for s in b["sites"]]) for b in d["budgets"]]')" \
    "[(560, 1, 'broken', [512, 32, 16])]" "JSON: the filter's own peak"
is "$(field 'd["broken"]')" 1 "... how many are broken"

# Limits.
for limit in 1016 1016B 0.9921875kB 0.9921875k 0.9921875KiB 0.9921875KB '1 GB' 1GiB 1M; do
    run "$HEAPTAP" check story.ctf --max-allocated "$limit"
    is "$STATUS" 0 "limit $limit"
done
for wrong in --max-peak=x --max-peak= --max-peak=-3 --max-peak=5% --max-objects=1.5 --max-objects=5MB --max-growth=x \
    --max-growth=5 --max-peak=1e999 --max-peak=0x10 --max-objects=0x10 --max-peak=5q; do
    run "$HEAPTAP" check story.ctf "$wrong" --base story.ctf
    is "$STATUS:$(wc -l <err)" 2:1 "status 2 and a sentence: $wrong"
done
for wrong in "" "story.ctf" "story.ctf --max-growth=5%" "story.ctf --max-peak=+5%" "--max-peak=3"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" check $wrong
    is "$STATUS" 2 "status 2: check $wrong"
done

# Growth.
"$MAKE_STORY" 63 >base.ctf # without the block born at 70 ms
run "$HEAPTAP" check base.ctf --base story.ctf --max-growth=0%
is "$STATUS:$(cat out)" 0: "what shrinks keeps to no growth"
run "$HEAPTAP" check story.ctf --base base.ctf --max-allocated=+101% --max-live-at-end=+0% --max-objects=+5%
cat >wanted <<'EOF'
story.ctf: allocated 1016 B is over 1013 B (base 504 B, +101 %): 512 B helper helper.ml:30, 280 B map list.ml:20, 128 B ext_alloc ext.c:60
story.ctf: objects 6 is over 5 (base 5, +5 %): 2 map list.ml:20, 1 helper helper.ml:30, 1 ext_alloc ext.c:60
EOF
is "$STATUS" 1 "growth over a base"
same out wanted "... tells the base"
run "$HEAPTAP" check --csv story.ctf --max-objects=1 --max-peak=1MB
is "$STATUS" 1 "CSV: the exit status is the same"
cat >wanted <<'EOF'
file,measure,unit,filter,verdict,measured,limit,uncertainty,low,high,samples,base,growth_allowed,expected,test,complete
story.ctf,peak,bytes,,holds,944,1048576,0,944,944,118,,,0,,1
story.ctf,objects,count,,broken,5.751,1,0,5.751,5.751,127,,,0,,1
EOF
same out wanted "... all budgets, those that hold, too; of exact figures nothing is uncertain"
run "$HEAPTAP" check --markdown story.ctf --max-objects=1 domain=0
echo "story.ctf: objects 4 is over 1, where domain=0: 1 map list.ml:20, 1 helper helper.ml:30, 1 main main.ml:10" >wanted
same out wanted "Markdown"
run "$HEAPTAP" check --json story.ctf --base base.ctf --max-growth=5%
is "$(field '[b["measure"] for b in d["budgets"]]')" "['allocated', 'objects']" "--max-growth is of all that is stable in OCaml"
run "$HEAPTAP" check --json story.ctf --base base.ctf --max-live-at-end=+5%
is "$(field '[b["measure"] for b in d["budgets"]]')" "['live-at-end']" "... the rest can be asked for"

# A file.
cat >budgets <<'EOF'
# what we allow

peak <= 1 kB
  allocated where focus=map size<=16 <= 20 B
live-at-end where collected=never<=+0%
EOF
run "$HEAPTAP" check -v story.ctf --budgets budgets --base story.ctf
cat >wanted <<'EOF'
story.ctf: peak 944 B keeps to 1.0 kB
story.ctf: allocated 24 B is over 20 B, where focus=map size<=16: 24 B map list.ml:20
story.ctf: live-at-end 416 B keeps to 416 B (base 416 B, +0 %), where collected=never
EOF
is "$STATUS" 1 "a file of budgets"
same out wanted "... each with its filter"
run "$HEAPTAP" check -v story.ctf base.ctf --budgets budgets --base story.ctf domain=1
is "$STATUS:$(wc -l <out):$(grep -c 'domain=1' out)" 0:6:6 "... of several files, with a clause for all"
run "$HEAPTAP" check story.ctf --budgets budgets
is "$STATUS:$(cat err)" "2:heaptap check: growth over what? Name the base with --base FILE" "... growth without a base"
for wrong in "peek <= 3" "peak < 3" "peak 3" "peak of x <= 3" "peak <= much" "where x <= 3"; do
    printf '\n%s\n' "$wrong" >wrong
    run "$HEAPTAP" check story.ctf --budgets wrong
    is "$STATUS:$(grep -c '^heaptap check: wrong:2: ' err)" 2:1 "a wrong line is named: $wrong"
done
echo "peak where focus=( <= 3" >wrong
run "$HEAPTAP" check story.ctf --budgets wrong
is "$STATUS:$(sed -n 3p err | tr -d ' '):$(tail -n 1 err)" \
    "2:^:heaptap check: wrong:1: in this budget: peak where focus=( <= 3" "... a wrong filter is pointed at"
: >empty
run "$HEAPTAP" check story.ctf --budgets empty
is "$STATUS:$(wc -l <err)" 2:1 "a file without budgets"
run "$HEAPTAP" check story.ctf --budgets none
is "$STATUS" 3 "no such file"

# What can't be told, or not wholly.
run "$HEAPTAP" check story.ctf --max-peak=1 focus=renamed
nothing="heaptap check: story.ctf: note: the filter leaves nothing of it"
is "$STATUS:$(cat err)" "0:$nothing: 'focus=renamed' matches none of its names" "a filter that leaves nothing"
run "$HEAPTAP" check story.ctf --max-peak=1 'focus=map size>=1G'
is "$STATUS:$(cat err)" "0:$nothing" "... though its names are there"
# A name that is misspelt would hold for ever.
while read -r filter near; do
    printf 'allocated where %s <= 1\nobjects <= 1G\n' "$filter" >misspelt
    run "$HEAPTAP" check story.ctf --budgets misspelt
    is "$STATUS:$(cat err)" "0:$nothing: '$filter' matches none of its names${near:+; did you mean $near?}" "a misspelt name: $filter"
done <<'EOT'
focus=helpr helper
focus=^helpr$ helper
focus="mapp" map
focus:file=helpre\.ml helper.ml
ignore!=ext_aloc ext_alloc
show-from=rwap
show-from=wraps wrap
focus:function=helper\.ml
focus=mapp|helpr
focus=zzzzzz
EOT
run "$HEAPTAP" check story.ctf --budgets misspelt --max-peak=1 'focus!=zzzzzz'
is "$STATUS:$(wc -l <out)" 1:1 "... and other budgets are judged"
"$HEAPTAP" pprof story.ctf -o story.pb.gz
run "$HEAPTAP" check story.pb.gz --max-allocated=1015 --max-live-at-end=416 --max-objects=6
is "$STATUS:$(cut -d: -f2 out)" "1: allocated 1016 B is over 1015 B" "a pprof profile"
run "$HEAPTAP" check story.pb.gz --max-peak=1
is "$STATUS:$(cat err)" "2:heaptap check: story.pb.gz: this profile has no 'peak'" "... has no peak"
run "$HEAPTAP" check story.pb.gz --base story.pb.gz --max-growth=0%
is "$STATUS:$(cat out err)" 0: "... so that its growth is of the others"
head -c 9000 "$GOLDEN/valid/lists-and-sets-v1.ctf" >cut.ctf
run "$HEAPTAP" check cut.ctf --max-allocated=1G
is "$STATUS" 3 "a cut trace is no success"
has out "cut.ctf: allocated" "... and it says what holds so far"
for limit in allocated objects peak; do
    run "$HEAPTAP" check cut.ctf --max-$limit=1
    is "$STATUS:$(grep -c ' is over 1' out)" 1:1 "... what it exceeds of $limit it exceeds"
done
run "$HEAPTAP" check cut.ctf --max-live-at-end=1
is "$STATUS:$(grep -c 'is perhaps over 1' out)" 3:1 "... but not of what is left: more may have been freed"
run "$HEAPTAP" check story.ctf --base cut.ctf --max-allocated=1
is "$STATUS" 1 "... nor does a cut base hide what is exceeded"
run "$HEAPTAP" check story.ctf --base cut.ctf --max-growth=1%
is "$STATUS:$(grep -vc "a part of what the base's program did is missing" out)" 3:0 "... though nothing is sure of growth over it"
run "$HEAPTAP" check story.ctf none.ctf --max-allocated=1
is "$STATUS:$(wc -l <out)" 3:1 "nor is one that isn't there; the others are checked"

# Estimates.
cd "$GOLDEN/valid" || exit 1
run "$HEAPTAP" check --json lists-and-sets-v1.ctf --max-allocated=1
cp "$TMP/out" "$TMP/estimate"
cd "$TMP" || exit 1
samples=$("$HEAPTAP" info --json "$GOLDEN/valid/lists-and-sets-v1.ctf" | /usr/bin/python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["trace"]["sample_rate"], d["allocated"]["bytes"])')
/usr/bin/python3 - $samples >compared <<'EOF'
import json, math, sys
rate, total = map(float, sys.argv[1:])
budget = json.load(open("estimate"))["budgets"][0]
samples = total * rate / 8
wanted = 1.959964 * math.sqrt(samples * (1 - rate)) / rate * 8
print(abs(budget["measured"] - total) < 1e-6 * total, abs(budget["uncertainty"] / wanted - 1) < 0.01, budget["low"] < total < budget["high"], round(samples) == budget["samples"])
print(int(total - 0.5 * wanted), int(total - 1.01 * wanted))
EOF
is "$(head -n 1 compared)" "True True True True" "a sampled trace: the bounds follow from the samples"
read -r near far <<EOF
$(tail -n 1 compared)
EOF
trace=$GOLDEN/valid/lists-and-sets-v1.ctf
run "$HEAPTAP" check "$trace" --max-allocated="$near"
is "$STATUS:$(grep -c ' (.* to .*) is perhaps over ' out)" 0:1 "over its limit within the bounds: told, no failure"
run "$HEAPTAP" check --strict "$trace" --max-allocated="$near"
is "$STATUS:$(grep -c ' is over ' out)" 1:1 "... --strict: one"
run "$HEAPTAP" check "$trace" --max-allocated="$far"
is "$STATUS:$(grep -c ' is over ' out)" 1:1 "over it by more"
run "$HEAPTAP" check -v "$trace" --max-growth=0% --base "$trace"
is "$STATUS:$(grep -c 'keeps to' out)" 0:2 "a trace doesn't grow over itself"
# Amounts that differ are printed so.
printf 'heap profile: 1: 1234567890 [2: 1234567890] @ heap/1\n 1: 1234567890 [2: 1234567890] @ 0x10\n' >large.heap
run "$HEAPTAP" check --max-allocated 1234567889 large.heap
is "$STATUS:$(cut -d: -f2 out)" "1: allocated 1234567890 B is over 1234567889 B" "digits enough to see a difference"
run "$HEAPTAP" check --max-allocated 1.1G large.heap
is "$STATUS:$(cut -d: -f2 out)" "1: allocated 1234567890 B is over 1181116006 B" "... of rounded ones, too"
run "$HEAPTAP" check --max-allocated 1G large.heap
is "$STATUS:$(cut -d: -f2 out)" "1: allocated 1.1 GB is over 1.0 GB" "... and no more"


# ---- expectations
run "$HEAPTAP" check story.ctf --expect 50 --expect-bytes 1k --expect-peak 1k -v
is "$STATUS" 0 "--expect: within a factor of ten"
has out "is within a factor of ten of what is expected, 1.0 kB" "... said with -v"
run "$HEAPTAP" check story.ctf --expect=1M
is "$STATUS" 1 "... beyond it: status 1"
has out "is more than a factor of ten from what is expected, 1.0 M" "... said"
run "$HEAPTAP" check story.ctf --expect-bytes=0 focus=nowhere
is "$STATUS" 1 "... nothing is never as expected"
run "$HEAPTAP" check --json story.ctf --expect=1M
is "$(/usr/bin/python3 -c 'import json; d = json.load(open("out")); b = d["budgets"][0]; print(b["expected"], b["verdict"], b["limit"], d["broken"])')" \
    "True broken 1000000 1" "... in JSON"
for text in 1x -1 5MB; do
    run "$HEAPTAP" check story.ctf "--expect=$text"
    is "$STATUS" 2 "--expect=$text is none"
done
run "$HEAPTAP" check story.ctf --expect-peak=many
has err "--expect-peak takes a size such as 64, 317kB or 1.5M, not 'many'" "... nor is many a size"
done_testing
