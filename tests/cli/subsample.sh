#!/bin/sh
# heaptap file subsample
. "$SOURCE/tests/cli/tap.sh"
TRACE=$GOLDEN/valid/irmin-replay-v2.ctf
cd "$TMP" || exit 1
"$GENERATE_TRACE" three.ctf 300k 3

# allocations FILE: how many.
allocations() {
    "$HEAPTAP" dump --format csv "$1" | awk -F, '$2 == "alloc"' | wc -l | tr -d ' '
}

# info_of FILE KEY KEY
info_of() {
    "$HEAPTAP" info --json "$1" |
        /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]][sys.argv[2]])' "$2" "$3"
}

# ---- All of it

run "$HEAPTAP" file subsample -o all.ctf "$TRACE"
is "$STATUS,$(cat out err)" 0, "without options: nothing to say"
"$HEAPTAP" dump --format jsonl "$TRACE" >wanted
"$HEAPTAP" dump --format jsonl all.ctf >got
same got wanted "... everything is kept"

# ---- Factor

for factor in 1 2.5 10 1000; do
    run "$HEAPTAP" file subsample -f $factor -o part.ctf three.ctf
    is "$STATUS" 0 "factor $factor"
    is "$(info_of part.ctf trace sample_rate)" "$(/usr/bin/python3 -c "print((1 / 64) / $factor)")" \
        "... divides the sampling rate"
done
is "$(allocations three.ctf),$(info_of three.ctf allocated bytes)" 27000,13824000 "a trace"
"$HEAPTAP" file subsample -f 10 -o one.ctf three.ctf
"$HEAPTAP" file subsample -f 10 --seed 1 -o two.ctf three.ctf
same two.ctf one.ctf "the same seed (1 unless given): the same trace"
"$HEAPTAP" file subsample -f 10 --seed 2 -o two.ctf three.ctf
cmp -s one.ctf two.ctf
is "$?" 1 "another seed: another one"

"$MAKE_TRACE" domains >domains.ctf

# A block's end may be another domain's: it is written after the block's birth, for readers that take packets as they come.
"$HEAPTAP" file subsample -o ordered.ctf domains.ctf
for trace in domains ordered; do
    "$HEAPTAP" dump --order file $trace.ctf | awk '/ alloc/ { born[$2] = 1 } / (promote|collect)/ && !($2 in born) { early++ }
        END { print early + 0 }' >$trace.early
done
[ "$(cat domains.early)" -gt 0 ]
ok $? "a trace in which blocks end before they are allocated, in the order of the file"
is "$(cat ordered.early)" 0 "... has them in true order when it is written again"
for seed in 1 2 3; do
    "$HEAPTAP" file subsample -f 2 --seed $seed -o part.ctf domains.ctf
    "$HEAPTAP" dump --format csv part.ctf | awk -F, '$2 == "alloc" { printf "%d of %d, ", $6, $7 + 1 }'
done >samples
is "$(cat samples)" "3 of 4, 6 of 8, 149 of 300, 4 of 4, 5 of 8, 146 of 300, 2 of 2, 1 of 4, 3 of 8, 158 of 300, " \
    "a block with many samples keeps half of them, about"

# The estimate of bytes over 20 seeds.  Of S samples, each kept with probability p, binomially many
# remain, so the mean of 20 estimates has the standard error sqrt((1 - p) / (20 p S)) of the truth.
for seed in $(seq 20); do
    "$HEAPTAP" file subsample -f 10 --seed "$seed" -o - three.ctf | info_of - allocated bytes
done >bytes
/usr/bin/python3 - "$(info_of three.ctf allocated bytes)" bytes <<'EOT'
import sys
truth = float(sys.argv[1])
found = [float(line) for line in open(sys.argv[2])]
samples = truth / 8 / 64
error = (0.9 / (20 * 0.1 * samples)) ** 0.5
print("# mean of 20 estimates: %.5f of the truth, standard error %.5f" % (sum(found) / 20 / truth, error))
sys.exit(abs(sum(found) / 20 / truth - 1) > 4 * error)
EOT
ok $? "estimates keep their mean"

# ---- Which blocks

# A block that is kept keeps its size, stack and times, and what later happens to it.
cat >compare.py <<'EOT'
import json, sys
def blocks(path):
    """What each block is and what happens to it, in the order of allocation within its domain."""
    found = {}
    for line in open(path):
        event = json.loads(line)
        block = event.pop("id")
        event.pop("samples", None)
        found.setdefault(block, []).append(json.dumps(event))
    return found
whole, part = blocks(sys.argv[1]), blocks(sys.argv[2])
begin, end = float(sys.argv[3]), float(sys.argv[4])
inside = [life for life in whole.values() if begin <= json.loads(life[0])["time_us"] < end]
if sys.argv[5] == "all":
    sys.exit(sorted(part.values()) != sorted(inside))
rest = {}
for life in inside:
    key = "\n".join(life)
    rest[key] = rest.get(key, 0) + 1
for life in part.values():
    key = "\n".join(life)
    if not rest.get(key):
        print("# not in the whole trace:", key[:200])
        sys.exit(1)
    rest[key] -= 1
EOT
"$HEAPTAP" dump --order true --format jsonl three.ctf >whole
"$HEAPTAP" dump --order true --format jsonl one.ctf >part
/usr/bin/python3 compare.py whole part 0 1e9 some
ok $? "each block kept is one of the trace, with all that happens to it"
while read -r options begin end; do
    # shellcheck disable=SC2086
    "$HEAPTAP" file subsample $(echo "$options" | tr , ' ') -o part.ctf three.ctf
    "$HEAPTAP" dump --order true --format jsonl part.ctf >part
    /usr/bin/python3 compare.py whole part "$begin" "$end" all
    ok $? "$options: just the blocks allocated then"
done <<'LIST'
--from,0.002,--to,0.004 2000 4000
--to,0.0015 0 1500
--from,1000 1e9 1e9
LIST
is "$("$HEAPTAP" dump part.ctf)" "" "a time after the end: a trace without events"
# A part of the time is not all that the program did, whatever is made of it.
while IFS='|' read -r options part; do
    # shellcheck disable=SC2086
    "$HEAPTAP" file subsample $options -o part.ctf three.ctf
    "$HEAPTAP" file convert -o copy.ctf part.ctf 2>err
    "$HEAPTAP" pprof -o copy.pb.gz part.ctf 2>err
    for file in part.ctf copy.ctf copy.pb.gz; do
        run "$HEAPTAP" summary --json $file
        is "$(grep -o '"complete": [a-z]*' out):$(cut -d: -f3- err)" \
            "$([ -n "$part" ] && echo '"complete": false: note: it is a part: blocks that were allocated ' || echo '"complete": true:')$part" "$options: $file"
        run "$HEAPTAP" check $file --max-allocated=1G
        is "$STATUS" "$([ -n "$part" ] && echo 3 || echo 0)" "... nor is it said to keep a limit"
    done
done <<'LIST'
--to 0.0015|before 1.5 ms
--from 0.002 --to 0.004|from 2 ms to 4 ms
--from 0.002|from 2 ms on
--from 0 --to 1h|
-f 2|
LIST
run "$HEAPTAP" file subsample --to 1s -o part.ctf "$TRACE"
run "$HEAPTAP" info part.ctf
is "$(sed -n 's/^Note *//p' out)" "it is a part: blocks that were allocated before 1 s" "... of version 2, too"
is "$(info_of one.ctf trace start_us)" "$(info_of three.ctf trace start_us)" "times count from the same start"
"$HEAPTAP" dump --order true --format jsonl one.ctf | sed -n '1,3s/.*"id":\([0-9]*\).*"domain":\([0-9]*\).*/\1 \2/p' >ids
is "$(wc -l <ids | tr -d ' ')" 3 "blocks are numbered anew"
head -n 1 ids | grep -q '^0 '
ok $? "... from 0"

# ---- Where from, where to

"$HEAPTAP" file subsample -f 10 -o - - <three.ctf >two.ctf
same two.ctf one.ctf "standard input, in true order too"
gzip -c three.ctf >three.gz
"$HEAPTAP" file subsample -f 10 -o two.zst three.gz
zstd -qdc two.zst >two.ctf
same two.ctf one.ctf "compressed, by the name of the output"
"$HEAPTAP" file subsample -f 2 -o part.ctf domains.ctf
for trace in domains.ctf part.ctf; do
    "$HEAPTAP" info --json "$trace" | sed -n '/^  "properties"/,/^  "notes"/p' >"$trace.metadata"
done
same part.ctf.metadata domains.ctf.metadata "metadata stays"
for key in executable host pid context word_bits; do
    is "$(info_of part.ctf trace $key)" "$(info_of domains.ctf trace $key)" "... $key too"
done
"$HEAPTAP" file subsample -o part.ctf "$GOLDEN/valid/lists-and-sets-v1.ctf"
is "$(info_of part.ctf trace format_version)" 3 "version 1 becomes 3"
"$HEAPTAP" file subsample -o part.ctf "$TRACE"
is "$(info_of part.ctf trace format_version)" 2 "version 2 stays"

# ---- Wrong options

while IFS='|' read -r options message; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" file subsample $options -o x three.ctf
    is "$STATUS" 2 "$options: status 2"
    has err "$message" "... $message"
done <<'LIST'
--factor 0.5|--factor takes a number of at least 1, not '0.5'
--factor ten|--factor takes a number of at least 1, not 'ten'
--factor inf|--factor takes a number of at least 1, not 'inf'
--factor nan|--factor takes a number of at least 1, not 'nan'
--factor 2x|--factor takes a number of at least 1, not '2x'
--from -1|--from takes a time such as 1.5s or 20ms, not '-1'
--from 2 --to 2|--from must be before --to
--to 0|--from must be before --to
--seed 1.5|--seed takes a whole number, not '1.5'
--seed -1|--seed takes a whole number, not '-1'
--seed 99999999999999999999|--seed takes a whole number, not '99999999999999999999'
LIST
run "$HEAPTAP" file subsample --seed 18446744073709551615 -o x three.ctf
is "$STATUS" 0 "the largest seed"

tells_what_is_written subsample
done_testing
