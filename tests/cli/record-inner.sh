#!/bin/sh
# heaptap record with a preloaded library that makes calloc, realloc and others of malloc: the block that an inner hook has
# recorded is not recorded by the outer one, in front of the recorder or behind it.
# shellcheck source=/dev/null
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
gcc -O1 -g -fno-builtin "$SOURCE/tests/targets/inner.c" -o inner
gcc -O1 -g -fno-builtin -fPIC -shared -DAS_LIBRARY "$SOURCE/tests/targets/inner.c" -o wraps.so -ldl
gcc -O1 -g -fno-builtin -fPIC -shared -DAS_LIBRARY -DMOVES "$SOURCE/tests/targets/inner.c" -o moves.so -ldl

# Of each size how many blocks, and how many of these have an end.
counted() {
    "$HEAPTAP" dump --order true t.ctf | awk '
        / alloc_/ { id = $2; match($0, /len=[0-9]+/); size = substr($0, RSTART + 4, RLENGTH - 4) + 0
            if (size >= 1001 && size <= 1010) { n[size]++; of[id] = size } }
        / collect/ { if ($2 in of) ended[of[$2]]++ }
        END { for (size = 1001; size <= 1010; size++) printf "%d:%d ", n[size], ended[size] }'
}
# Estimates of a sampled recording: those of no size are far from 20000 blocks.
estimated() {
    for size in 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010; do
        "$HEAPTAP" check t --expect 1 "size=$size" --json >json
        /usr/bin/python3 -c 'import json; n = json.load(open("json"))["budgets"][0]["measured"]; print(end="" if 17000 < n < 23000 else "%d of $size " % n)'
    done
}

ten="10:10 10:10 10:10 10:10 10:10 10:10 10:10 10:10 10:10 10:10 "
run "$HEAPTAP" record -q --all -o t.ctf -- ./inner 10
is "$STATUS:$(counted)" "0:$ten" "no library: each block is recorded once, and its end"
for library in wraps moves; do
    LD_PRELOAD=$PWD/$library.so run "$HEAPTAP" record -q --all -o t.ctf -- ./inner 10
    is "$STATUS:$(counted)" "0:$ten" "$library, exact"
    LD_PRELOAD=$PWD/$library.so run "$HEAPTAP" record -q -o t.ctf -- ./inner 10
    is "$STATUS:$(counted)" "0:$ten" "... with a budget"
    LD_PRELOAD=$PWD/$library.so run "$HEAPTAP" record -q --all -o t.pb.gz -- ./inner 10
    "$HEAPTAP" check t.pb.gz --max-objects=1 --json focus=allocate >json
    is "$(/usr/bin/python3 -c 'import json; print(json.load(open("json"))["budgets"][0]["measured"])')" 110 "... a profile, in which there are those of aligned_alloc besides"
    LD_PRELOAD=$PWD/$library.so run "$HEAPTAP" record -q --rate 1e-3 -o t -- ./inner 20000
    is "$STATUS:$(estimated)" "0:" "... sampled: as many as there were"
    LD_PRELOAD=$PWD/$library.so:$PRELOAD HEAPTAP_ALL=1 MEMTRACE=t.ctf ./inner 10
    is "$(counted)" "$ten" "... in front of the recorder"
    rm -f t t.ctf t.pb.gz
done
done_testing
