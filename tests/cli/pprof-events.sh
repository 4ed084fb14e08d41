#!/bin/bash
# heaptap pprof --with-events, and heaptap file convert back to a trace.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
"$GENERATE_TRACE" generated.ctf 1M 5

for trace in "$GOLDEN"/valid/*.ctf generated.ctf; do
    name=$(basename "$trace" .ctf)
    "$HEAPTAP" pprof --with-events "$trace" -o e.pb.gz
    run "$HEAPTAP" file convert e.pb.gz -o back.ctf
    is "$STATUS" 0 "$name: converted back"
    "$HEAPTAP" dump "$trace" >wanted 2>&1
    "$HEAPTAP" dump back.ctf >got 2>&1
    same got wanted "$name: the same events"
    for file in "$trace" back.ctf; do
        "$HEAPTAP" info --json "$file" | grep -vE '"(name|host|stored_bytes|compression|trace_bytes|bytes_per_event|format_version|packets)"' >"info-${file##*/}"
    done
    same info-back.ctf "info-${trace##*/}" "$name: the same description"
    plain=$(gzip -c "$trace" | wc -c) events=$(wc -c <e.pb.gz)
    [ "$events" -lt "$plain" ]
    ok $? "$name: smaller than the gzipped trace ($events, $plain)"
    "$HEAPTAP" pprof --no-sizes "$trace" -o plain.pb.gz
    for type in alloc_space inuse_space; do
        "$HEAPTAP" flamegraph --sample=$type plain.pb.gz | sed 's/ [0-9]*$//' | sort >wanted
        "$HEAPTAP" flamegraph --sample=$type e.pb.gz | sed 's/ [0-9]*$//' | sort >got
        same got wanted "$name: the profile has the same stacks, $type"
    done
done

# All that a recording has: every kind of metadata, and what is recorded today.
"$MAKE_TRACE" metadata >metadata.ctf
"$HEAPTAP" record --all -o recorded.ctf -- ls / >/dev/null 2>&1 || true # not by a build with sanitizers
for trace in metadata.ctf recorded.ctf; do
    [ -e $trace ] || continue
    "$HEAPTAP" pprof --with-events $trace -o e.pb.gz 2>/dev/null
    run "$HEAPTAP" file convert e.pb.gz -o back.ctf
    is "$STATUS" 0 "$trace: converted back"
    for file in $trace back.ctf; do
        # how many frames two stacks share, by which a trace is short, is another number there
        "$HEAPTAP" dump $file 2>/dev/null | sed 's/ [0-9]*: /: /' >"dump-$file"
        "$HEAPTAP" info --json $file 2>/dev/null | grep -vE '"(name|host|stored_bytes|compression|trace_bytes|bytes_per_event|format_version|packets)"' >"info-$file"
    done
    same dump-back.ctf dump-$trace "$trace: the same events"
    same info-back.ctf info-$trace "$trace: the same description"
done

# Other ways in and out.
"$HEAPTAP" pprof --with-events --host "$GOLDEN/valid/lists-and-sets-v1.ctf" -o e.pb.gz
"$HEAPTAP" dump "$GOLDEN/valid/lists-and-sets-v1.ctf" >wanted
"$HEAPTAP" file convert - -o - <e.pb.gz | "$HEAPTAP" dump - >got
same got wanted "through pipes"
"$HEAPTAP" file convert e.pb.gz -o back.ctf.zst
"$HEAPTAP" dump back.ctf.zst >got
same got wanted "... compressed"
is "$("$HEAPTAP" info --json back.ctf.zst | grep '"host"')" \
    "$("$HEAPTAP" info --json "$GOLDEN/valid/lists-and-sets-v1.ctf" | grep '"host"')" "--host keeps the machine's name"
"$HEAPTAP" pprof --with-events back.ctf.zst -o again.pb.gz
"$HEAPTAP" file symbolize again.pb.gz -o named.pb.gz
"$HEAPTAP" file convert named.pb.gz -o back.ctf
"$HEAPTAP" dump back.ctf >got
same got wanted "symbolize leaves the events as they are"

# What can't be.
"$HEAPTAP" pprof "$GOLDEN/valid/lists-and-sets-v1.ctf" -o plain.pb.gz
run "$HEAPTAP" file convert plain.pb.gz -o no.ctf
is "$STATUS" 3 "a profile without events: bad input"
has err "holds no events" "... told so"
[ ! -e no.ctf ]
ok $? "... and nothing is written"
run "$HEAPTAP" file convert --to 2 e.pb.gz -o two.ctf
is "$STATUS" 0 "a trace of version 1 becomes one of version 2"
for other in --no-sizes --unsymbolized; do
    run "$HEAPTAP" pprof --with-events $other "$GOLDEN/valid/lists-and-sets-v1.ctf" -o no.pb.gz
    is "$STATUS" 2 "$other: wrong usage"
done
done_testing
