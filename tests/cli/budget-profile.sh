#!/bin/bash
# heaptap record -o x.pb.gz and --every without a rate: exact as long as a program is small, then as many samples as the budget leaves,
# whatever becomes of the program.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD HEAPTAP_BUDGET
mkdir temporary
export TMPDIR=$TMP/temporary
for target in budget die allocates phases; do
    gcc -O1 -g -fno-builtin -pthread "$SOURCE/tests/targets/$target.c" -o $target || exit 1
done

cat >judge.py <<'EOF2'
"""judge.py TOTAL SMALL LARGE LIVE PROFILE...: what the profiles say together against what the program counted, with five times their error;
and whether what is printed for a profile of many samples is near.  judge.py blocks COUNT PROFILE... does so with blocks of 3001 bytes."""
import gzip, math, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf import message, packed as values

class Profile:
    def __init__(self, path):
        top = message(gzip.decompress(open(path, "rb").read()))
        text = lambda number: top[6][number].decode()
        types = [text(message(kind)[1][0]) for kind in top[1]]
        self.period = top.get(12, [0])[0]
        names = {message(function)[1][0]: text(message(function)[2][0]) for function in top.get(5, [])}
        places = {}
        for location in map(message, top.get(4, [])):
            places[location[1][0]] = [names.get(message(line).get(1, [0])[0], "") for line in location.get(4, [])]
        self.rows = []
        for sample in map(message, top.get(2, [])):
            stack = [name for place in values(sample[1][0]) for name in places[place]]
            size = message(sample[3][0]).get(3, [0])[0]
            self.rows.append((stack, size, dict(zip(types, values(sample[2][0])))))

    def sum(self, kind, is_wanted=lambda stack, size: True):
        return sum(row[kind] for stack, size, row in self.rows if is_wanted(stack, size))

def near(name, got, true, variance, slack):
    if abs(got - true) > 5 * math.sqrt(variance) + slack:
        print(f"{name}: {got} for {true}, +-{5 * math.sqrt(variance):.0f}")

def judge(name, kind, true, profiles, is_wanted=lambda stack, size: True, slack=1500):
    sums = [profile.sum(kind, is_wanted) for profile in profiles]
    variance = sum(max(part, profile.period) * (profile.period - 1) for part, profile in zip(sums, profiles))
    near(name, sum(sums), true, variance, slack)

if sys.argv[1] == "blocks":
    judge("blocks", "alloc_space", 3001 * int(sys.argv[2]), list(map(Profile, sys.argv[3:])), lambda stack, size: size == 3001, 4 * 3001)
    sys.exit()
total, small, large, live = map(int, sys.argv[1:5])
profiles = list(map(Profile, sys.argv[5:]))
slack = 1500 if all(profile.period == 1 for profile in profiles) else 5000
judge("allocated", "alloc_space", total, profiles, slack=slack)
judge("small", "alloc_space", small, profiles, lambda stack, size: "small" in stack, 0)
judge("large", "alloc_space", large, profiles, lambda stack, size: "large" in stack, 0)
judge("live", "inuse_space", live, profiles[-1:], slack=slack)
EOF2
judge() { # LINE PROFILE...
    local line=$1
    shift
    # shellcheck disable=SC2086
    /usr/bin/python3 judge.py $line "$@" 2>&1
}
period() { # PROFILE
    "$HEAPTAP" info --json "$1" >info.json
    field info.json "d['period']"
}
# The stacks of a profile with each of its values but times, and its totals.
figures() {
    for type in alloc_objects alloc_space inuse_objects inuse_space; do
        "$HEAPTAP" flamegraph --sample=$type "$1" | sed "s/^/$type /" | sort
    done
    "$HEAPTAP" info --json "$1" | /usr/bin/python3 -c '
import json, sys
info = json.load(sys.stdin)
print(info["period"], [(kind["type"], kind["total"]) for kind in info["sample_types"] if kind["type"] != "lifetime"])'
}

# Small programs: the same as with --all.
for command in "./budget 5000 1" "./allocates" "./allocates thread" "ls -l /"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" record -o small.pb.gz -- $command
    has err " objects; exact" "$command: recorded exactly, and says so"
    # shellcheck disable=SC2086
    "$HEAPTAP" record -q --all -o all.pb.gz -- $command >out
    figures small.pb.gz >got
    figures all.pb.gz >wanted
    same got wanted "... with the figures of --all"
done
run "$HEAPTAP" record -o small.pb.gz -- ./budget 5000 1
is "$(judge "$(cat out)" small.pb.gz)" "" "... which are the program's own"

# A large one.
run "$HEAPTAP" record -o large.pb.gz -- ./budget 200000 1
is "$(judge "$(cat out)" large.pb.gz)" "" "a large program is estimated"
ok "$([ "$(period large.pb.gz)" -gt 100 ]; echo $?)" "... and says at which rate ($(period large.pb.gz))"
ok "$(grep -Eq '^Recorded    .* objects; estimates from [0-9]{5} samples; 95 % bounds: .* to .* allocated, .* to .* in use' err; echo $?)" "... with bounds, from ten thousand samples at least" err
ok "$([ "$(stat -c %s large.pb.gz)" -lt 150000 ]; echo $?)" "... in a small file"
is "$(find . -name '*.sums')$(ls -A "$TMPDIR")" "" "... and nothing is left behind"
"$HEAPTAP" top --json large.pb.gz >top.json
is "$(field top.json "sorted(f['name'] for f in d['nodes'] if f['flat'] > 1e6)")" "['large', 'small']" "... which pprof's reports read"

# Threads, forks, sudden ends.
run "$HEAPTAP" record -q -o threads.pb.gz -- ./budget 200000 4
is "$(judge "$(cat out)" threads.pb.gz)" "" "threads"
run "$HEAPTAP" record -q -o fork.pb.gz -- ./budget 100000 2 fork
is "$(judge "$(tail -1 out)" fork.pb.gz)" "" "the parent of a fork"
is "$(judge "$(head -1 out)" fork.*.pb.gz)" "" "... and its child"
run "$HEAPTAP" record -q -o killed.pb.gz -- ./budget 200000 3 kill
is "$(judge "$(cat out)" killed.pb.gz)" "" "a program that is killed"
counted() { # what the program counted
    od -An -tu8 -N8 counter | tr -d ' '
}
for how in burst busy-SIGKILL busy-_exit busy-exec busy-exit_group SIGSEGV; do
    for way in "-o p.pb.gz" "--every 1s -o d"; do
        rm -rf p.pb.gz d counter
        # shellcheck disable=SC2086
        "$HEAPTAP" record -q --no-symbols --no-follow $way -- ./die $how counter >output 2>&1
        mapfile -t made < <(find . -path './p.pb.gz' -o -path './d/*.pb.gz')
        is "$(judge "blocks $(counted)" "${made[@]}")" "" "$how, $way: $(counted) blocks"
    done
done

# While the rate is halved again and again: a process that is killed at any moment of that, in the folder of a heaptap that was killed, too.
kept=$TMPDIR/heaptap-abcdef
for moment in 0.02 0.03 0.05 0.08 0.12 0.2; do
    rm -rf k.*.pb.gz "$kept" counter
    mkdir "$kept"
    touch "$kept/.owner"
    LD_PRELOAD=$PRELOAD MEMTRACE=$TMP/k.%p.pb.gz HEAPTAP_KEEP=$kept HEAPTAP_BUDGET=40 ./die busy-sleep counter &
    pid=$!
    for _ in $(seq 500); do
        [ -s counter ] && break # a busy machine takes a while until it begins
        sleep 0.01
    done
    sleep $moment
    kill -KILL $pid
    wait $pid 2>wait.err
    "$HEAPTAP" record -q --no-symbols -o k.%p.pb.gz -- true >output 2>&1
    is "$(cat output; ls "$TMPDIR"; judge "blocks $(counted)" k.$pid.pb.gz)" "" \
        "killed after $moment s: what is left is whole ($(counted) blocks, one sample in $(period k.$pid.pb.gz) bytes)"
done

# Intervals.
run "$HEAPTAP" record --every 1s -o exact -- ./phases 1.2 2
is "$(for profile in exact/*; do period "$profile"; done | sort -u)" 1 "intervals of a small program are exact"
run "$HEAPTAP" record --every 1s -o slow -- ./budget 400000 1 slow
is "$(judge "$(cat out)" slow/*)" "" "intervals of a large one are estimated, and add up"
run "$HEAPTAP" record --every 1s -o slow4 -- ./budget 400000 4 slow
is "$(judge "$(cat out)" slow4/*)" "" "... of four threads, too"
for profile in slow/*; do period "$profile"; done >periods
ok "$([ "$(wc -l <periods)" -ge 4 ] && sort -n -c periods; echo $?)" "... at a rate that only falls" periods
ok "$([ "$(head -n 1 periods)" -gt 1 ] && [ "$(tail -n 1 periods)" -le $((8 * $(head -n 1 periods))) ]; echo $?)" "... and then stays: each interval has a budget" periods

# Where there is none.
run "$HEAPTAP" record -q --rate 1e-3 -o fixed.pb.gz -- ./budget 20000 1
is "$(period fixed.pb.gz)" 8000 "a rate that is given stays"
run "$HEAPTAP" record -q --rate 1e-3 --every 1s -o fixed -- ./budget 20000 1
is "$(period fixed/*)" 8000 "... of intervals, too"
LD_PRELOAD=$PRELOAD MEMTRACE=$TMP/alone.pb.gz ./budget 20000 1 >out
is "$(period alone.pb.gz)" 800000 "without heaptap record, and without a budget: one sample per 800 kB"
LD_PRELOAD=$PRELOAD MEMTRACE=$TMP/alone.pb.gz HEAPTAP_BUDGET=500 ./budget 20000 1 >out
ok "$([ "$(period alone.pb.gz)" -gt 800 ]; echo $?)" "... and with one"
done_testing
