#!/bin/sh
# Figures of profiles whose values are in any unit: sizes are compared in bytes
# shellcheck source=/dev/null
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
PYTHONPATH=$SOURCE/tests/helpers /usr/bin/python3 - <<'PYTHON'
from values_profile import values_profile

def write(name, unit, values, objects="alloc_objects"):
    types = [(objects, "count"), ("alloc_space", unit)]
    open(name, "wb").write(values_profile(types, [[1, value] for value in values]))

# 2560000 bytes, or as near as the unit comes to that.
for unit, values in [("bytes", [2048000, 512000]), ("B", [2048000, 512000]), ("byte", [2048000, 512000]), ("", [2048000, 512000]),
                     ("kilobytes", [2000, 500]), ("kB", [2000, 500]), ("KiB", [2000, 500]), ("kb", [2000, 500])]:
    write("of-" + unit, unit, values)
for unit in ["megabytes", "MB", "MiB", "mib"]:
    write("of-" + unit, unit, [2, 1])
write("negative", "GB", [-(2**34), -3])
write("whole", "kB", [2**53 + 1])
write("largest", "EB", [7])
write("cut", "EB", [8])
write("widgets", "widgets", [5])
write("base", "bytes", [3072000])
open("wait", "wb").write(values_profile([("wait", "ms")], [[3]]))
open("wait-us", "wb").write(values_profile([("wait", "us")], [[4000]]))
open("live", "wb").write(values_profile([("alloc_space", "bytes"), ("inuse_space", "kB")], [[4096, 3]]))
open("live-less", "wb").write(values_profile([("alloc_space", "bytes"), ("inuse_space", "bytes")], [[4096, 2000]]))
PYTHON

measured() { /usr/bin/python3 -c 'import json; b = json.load(open("out"))["budgets"][0]; print(b["measured"], b["unit"], b["sites"][0]["value"])'; }

# ---- check
for unit in bytes B byte "" kilobytes kB KiB kb; do
    run "$HEAPTAP" check "of-$unit" --max-allocated=2560000
    is "$STATUS:$(cat out err)" 0: "a limit that holds to the byte, of values in '$unit'"
    run "$HEAPTAP" check "of-$unit" --max-allocated=2559999 --json
    is "$STATUS:$(measured)" "1:2560000 bytes 2560000" "... and one that does not"
    run "$HEAPTAP" check "of-$unit" --max-allocated=3kB focus=work
    is "$STATUS:$(cat out)" "1:of-$unit: allocated 2.4 MB is over 3.0 kB, where focus=work: 2.4 MB work" "... with a filter"
    run "$HEAPTAP" check "of-$unit" --expect-bytes=2500
    is "$STATUS" 1 "... as an expectation"
    run "$HEAPTAP" check of-MiB --base "of-$unit" --max-allocated=+22%
    is "$STATUS:$(cut -d: -f2 out)" "1: allocated 3145728 B is over 3123200 B (base 2.4 MB, +22 %)" "... as a base"
done
for unit in megabytes MB MiB mib; do
    run "$HEAPTAP" check "of-$unit" --max-allocated=3M
    is "$STATUS:$(cat out err)" 0: "3 of '$unit' are 3 MB"
    run "$HEAPTAP" check "of-$unit" --max-allocated=3145727 --json
    is "$STATUS:$(measured)" "1:3145728 bytes 3145728" "... to the byte"
done
run "$HEAPTAP" check largest --max-allocated=7E
is "$STATUS:$(cat out err)" 0: "7 EB"
run "$HEAPTAP" check cut --max-allocated=7E
is "$STATUS:$(cat err)" "1:heaptap check: cut: values of 2^63 and more are cut to 2^63 - 1, and those of -2^63 and less to -2^63, the limits of this format" \
    "what is too large is not small"
run "$HEAPTAP" check widgets --max-allocated=7E
is "$STATUS:$(cat out err)" "2:heaptap check: widgets: alloc_space of this profile is in 'widgets', which can't be turned into bytes, so it has no 'allocated'" \
    "another unit is none of bytes"
run "$HEAPTAP" check widgets --max-objects=1
is "$STATUS:$(cat out err)" 0: "... which doesn't matter to objects"

# ---- Growth of what there is
run "$HEAPTAP" check of-kB --base base --max-growth=5%
is "$STATUS:$(cat out)" "1:of-kB: objects 2 is over 1 (base 1, +5 %): 2 work" "growth of what both have"
is "$(cat err)" "heaptap check: base: this profile has no 'live-at-end', so that growth of it isn't checked" "... and what they have not"
run "$HEAPTAP" check live --base live-less --max-growth=5%
is "$STATUS:$(cut -d: -f2 out)" "1: live-at-end 3.0 kB is over 2.1 kB (base 2.0 kB, +5 %)" "... kilobytes over bytes"
is "$(cat err)" "heaptap check: live-less: this profile has no 'objects', so that growth of it isn't checked" "... without objects"
run "$HEAPTAP" check of-kB --base live --max-growth=99% --json
is "$STATUS:$(grep -c '"measure"' out)" 1:1 "a figure that only the base has"
has err "of-kB: this profile has no 'live-at-end', so that growth of it isn't checked" "... is said to be left out"
has out "\"lacks\": \"this profile has no 'objects', so that growth of it isn't checked; this profile has no 'live-at-end'" "... in JSON, too"
run "$HEAPTAP" check base --base widgets --max-growth=5%
has err "widgets: alloc_space is in 'widgets', which can't be turned into bytes: growth of 'allocated' isn't checked" "... as is one in another unit"
is "$STATUS" 0 "... and objects are checked"
for pair in "wait base" "base wait" "wait wait"; do
    # shellcheck disable=SC2086
    set -- $pair
    run "$HEAPTAP" check "$1" --base "$2" --max-growth=5%
    is "$STATUS:$(grep -c "wait: this profile has nothing whose growth could be checked" err)" 2:1 "nothing to check: $1 over $2"
done
"$MAKE_STORY" >story.ctf
echo "0 1 1 1000" | "$MAKE_TRACE" events >blocks.ctf
run "$HEAPTAP" check of-kB --base blocks.ctf --max-growth=1%
has err "of-kB: this profile has no 'peak', so that growth of it isn't checked" "a trace's peak, which a profile lacks"
is "$STATUS:$(head -1 out | cut -d: -f2)" "1: allocated 2.4 MB is over 1010 B (base 1000 B, +1 %)" "... and the rest is checked"

# ---- compare, diff
for unit in bytes kilobytes kB KiB; do
    run "$HEAPTAP" compare base "of-$unit" --csv
    is "$(cut -d, -f1-6 out | tail -1)" "work,shrank,3072000,2560000,-512000,-0.166667" "compare: a sixth less, in '$unit'"
    run "$HEAPTAP" compare --long base "of-$unit"
    is "$(head -1 out)" "base (2.9 MB) to of-$unit (2.4 MB): -500 kB of alloc_space, -16.7 %" "... diff"
done
run "$HEAPTAP" compare --long --csv of-MB negative
has out ",3145728,-9223372036854775808,-9223372036857921536,3145728,-9223372036854775808" "what leaves the range is cut"
run "$HEAPTAP" compare --long wait wait-us
is "$STATUS:$(head -1 out)" "0:wait (3 ms) to wait-us (4 ms): +1 ms of wait, +33.3 %" "times, too"
for command in compare "compare --long"; do
    run "$HEAPTAP" $command widgets base
    is "$STATUS:$(cat out err)" "2:heaptap $command: alloc_space of widgets is in widgets, alloc_space of base in bytes: they can't be compared; --sample chooses" \
        "$command: another unit"
done
run "$HEAPTAP" compare widgets widgets
has out "Note: alloc_space of widgets is in 'widgets', which can't be turned into bytes: 'allocated' isn't compared" "a total that is left out is named"
run "$HEAPTAP" leaks --json live
has out '"unit": "bytes"' "leaks are in bytes"

# ---- What is as the file has it
run "$HEAPTAP" top of-kilobytes
has out "2.44MB   100%   100%" "top, as pprof prints it"
run "$HEAPTAP" export -f folded of-kilobytes
is "$(cat out)" "work 2500" "folded stacks have the file's own numbers"
printf 'main;a;b 5\nmain;a 3\n' >twice.folded
run "$HEAPTAP" export -f folded twice.folded
is "$(sort out)" "$(sort twice.folded)" "... and names that have no line as they were"

# ---- compare: what isn't known of a file is no difference
for pair in "story.ctf base" "base story.ctf"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" compare $pair
    lacks out "the programs differ" "a file that names no program: $pair"
done
done_testing
