#!/bin/bash
# heaptap record without a rate: small programs are exact, large ones have as many samples as the budget leaves; whatever
# becomes of the program, what is read is one recording at the last rate.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD HEAPTAP_BUDGET
gcc -O1 -g -fno-builtin -pthread "$SOURCE/tests/targets/budget.c" -o budget || exit 1

cat >judge.py <<'EOF2'
"""judge.py INFO.json HOTSPOTS.json TOTAL SMALL LARGE LIVE: estimates against what the program counted, with five times their error."""
import json, math, sys
info, sites = (json.load(open(name)) for name in sys.argv[1:3])
total, small, large, live = map(int, sys.argv[3:])
rate = info["trace"]["sample_rate"]
def near(name, got, true):
    error = 5 * math.sqrt(max(true, 1 / rate) * (1 - rate) / rate)
    if abs(got - true) > error + (5000 if rate < 1 else 1500):
        print(f"{name}: {got} for {true}, +-{error:.0f}")
by_site = {site["function"]: site["bytes"] for site in sites["sites"]}
near("allocated", info["allocated"]["bytes"], total)
near("live", info["live_at_end"]["bytes"], live)
near("small", by_site.get("small", 0), small)
near("large", by_site.get("large", 0), large)
EOF2
judge() { # TRACE LINE
    "$HEAPTAP" info --json "$1" >info.json
    "$HEAPTAP" hotspots --json "$1" >hotspots.json
    # shellcheck disable=SC2086
    python3 judge.py info.json hotspots.json $2 2>&1
}
info() { # KEY
    python3 -c 'import json,sys; value = json.load(open("info.json"))
for key in sys.argv[1].split("."): value = value[key]
print(value)' "$1"
}
decoders_agree() { # TRACE NAME
    local order
    for order in file true; do
        "$HEAPTAP" dump --order $order "$1" >by-heaptap
        python3 "$SOURCE/tests/helpers/decode_trace.py" --order $order "$1" >by-decoder
        cmp -s by-heaptap by-decoder
        ok $? "$2: both decoders say the same, in $order order"
    done
}

# A small program.
run "$HEAPTAP" record -o small.ctf -- ./budget 5000 1
line=$(cat out)
is "$(judge small.ctf "$line")" "" "a small program is exact"
is "$(info peak.exact) $(info trace.complete) $(info trace.sample_rate)" "True True 1" "... and says so"
is "$(info allocated.bytes)" "${line%% *}" "... to the byte"
has err " objects; exact" "... in the answer, too"

# A large one.
run "$HEAPTAP" record --no-symbols -o large.ctf -- ./budget 200000 1
is "$(judge large.ctf "$(cat out)" | grep -v -e small -e large)" "" "a large one is estimated"
is "$(info peak.exact)" False "... and says so"
samples=$("$HEAPTAP" dump large.ctf | grep -c len=)
[ "$samples" -ge 10000 ] && [ "$samples" -le 21000 ]
ok $? "... from ten to twenty thousand blocks ($samples)"
[ "$(stat -c %s large.ctf)" -lt 1500000 ]
ok $? "... in a small file"
is "$(grep -c "not finished" err)" 0 "... without open packets"
"$HEAPTAP" dump large.ctf | awk '/len=/ { if ($2 + 0 > most) most = $2 + 0 } END { exit most > 100000 }'
ok $? "... whose blocks are numbered anew"
decoders_agree large.ctf "a finished trace"

# Threads, forks, sudden ends; with symbols.
run "$HEAPTAP" record -o threads.ctf -- ./budget 200000 4
is "$(judge threads.ctf "$(cat out)")" "" "threads"
run "$HEAPTAP" record -o fork.ctf -- ./budget 100000 2 fork
is "$(judge fork.ctf "$(tail -1 out)")" "" "the parent of a fork"
is "$(judge fork.*.ctf "$(head -1 out)")" "" "... and its child"
run "$HEAPTAP" record -o killed.ctf -- ./budget 100000 1 kill
is "$(judge killed.ctf "$(cat out)")" "" "a program that is killed"
decoders_agree killed.ctf "... finished"

# What no heaptap record finishes.
LD_PRELOAD=$PRELOAD MEMTRACE=raw.ctf HEAPTAP_BUDGET=500 ./budget 30000 3 kill >out 2>err
decoders_agree raw.ctf "an unfinished trace"
samples=$("$HEAPTAP" dump raw.ctf | grep -c len=)
[ "$samples" -ge 200 ] && [ "$samples" -le 520 ]
ok $? "... has as many blocks as it may ($samples)"
"$HEAPTAP" file subsample --factor 1 -o copy.ctf raw.ctf
events() {
    "$HEAPTAP" dump "$1" | grep -oE 'alloc_major [0-9]+ len=[0-9]+ dom=[0-9]+|collect' | sort | cksum
}
is "$(events copy.ctf)" "$(events raw.ctf)" "... and is copied as it is read"

# Where there is none.
LD_PRELOAD=$PRELOAD MEMTRACE=/dev/stderr HEAPTAP_BUDGET=500 ./budget 30000 1 2>&1 >out | cat >piped.ctf
 "$HEAPTAP" info --json piped.ctf >info.json
is "$(info trace.sample_rate)" "1.25e-06" "what can't be changed later has a fixed rate"
for how in "--rate 0.5" --all; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" record $how -o fixed.ctf -- ./budget 100 1
    "$HEAPTAP" info fixed.ctf >out
    lacks out "budget =" "no budget with $how"
done
LD_PRELOAD=$PRELOAD MEMTRACE=never.ctf HEAPTAP_BUDGET=many ./budget 10 1 >out 2>err
has err "HEAPTAP_BUDGET=many: must be a whole number" "a budget that is none"
done_testing
