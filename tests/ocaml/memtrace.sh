#!/bin/sh
# The OCaml library: programs that are traced by it, read by heaptap.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
cd "$OCAML_ROOT$WORK" || exit 1

# info NAME: a field of what heaptap says of the trace t.ctf.
info() {
    "$HEAPTAP" info --json t.ctf | /usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['trace']['$1'])"
}

# ---- A known program

inside env MEMTRACE=basic-%p.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/basic.exe"
ok $? "a traced program ends well"
mv basic-*.ctf t.ctf
is "basic-$(info pid).ctf" "$(inside cat name)" "%p in the trace's name is the process id"
"$HEAPTAP" dump t.ctf >dump
is "$(grep -c ' len=101 .*keep_bytes@' dump)" 1000 "at rate 1 each block is there, of its size, in its function"
is "$(grep -c ' len=300 .*drop_arrays@' dump)" 500 "... large ones too"
is "$(info context)" "a known program" "the context"
rm -f ./*
inside env MEMTRACE= "$OCAML_TESTS/basic.exe"
is "$(ls)" "" "an empty MEMTRACE: nothing happens"
inside env -u MEMTRACE "$OCAML_TESTS/basic.exe"
is "$(ls)" "" "no MEMTRACE: nothing happens"

# ---- heaptap.memtrace.auto: a program that says nothing of tracing

inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/linked.exe"
ok $? "a program that is linked to heaptap.memtrace.auto"
is "$("$HEAPTAP" dump t.ctf | grep -c ' len=123 .*Linked.make@')" 1 "... is traced"
inside env MEMTRACE=next.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/linked.exe"
peak() { # FILE...
    "$HEAPTAP" info --json "$@" | /usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['peak']['bytes'])"
}
is "$(peak t.ctf next.ctf)" "$({ peak t.ctf && peak next.ctf; } | sort -n | tail -1)" "of two programs in turn the first has ended: the peak of their sum"
rm -f ./*
inside "$OCAML_TESTS/linked.exe"
is "$?$(ls)" 0 "... when asked only"
inside env MEMTRACE=/no/such/folder/t.ctf "$OCAML_TESTS/linked.exe" 2>err
is "$?: $(cat err)" "0: heaptap: Memtrace: cannot open /no/such/folder/t.ctf: No such file or directory" \
    "... and goes on where it can't be"

# ---- A profile instead of a trace

inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/basic.exe"
ok $? "a program that is asked for a profile"
bytes() {
    "$HEAPTAP" hotspots --json p.pb.gz | /usr/bin/python3 -c "import json, sys
print(sum(site['value'] for site in json.load(sys.stdin)['sites'] if site['function'].endswith('$1')))"
}
is "$(bytes drop_arrays)" $((500 * 301 * 8)) "... leaves one with exact bytes at rate 1"
is "$(bytes keep_bytes)" $((1000 * (102 + 3) * 8)) "... of both functions"
rm -f ./*
inside env MEMTRACE=/no/such/folder/p.pb.gz "$OCAML_TESTS/linked.exe" 2>err
is "$?: $(cat err)" "0: heaptap: Memtrace: cannot open /no/such/folder/p.pb.gz: No such file or directory" \
    "... and is told at once that it can't be written"
rm -f ./*

# ---- A profile of each interval

inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 MEMTRACE_EVERY=0.2 "$OCAML_TESTS/intervals.exe"
ok $? "a program that is asked for intervals"
files=$(find . -name 'p.*.pb.gz' | sort)
[ "$(echo "$files" | wc -l)" -ge 3 ]
ok $? "... leaves a file of each: $(echo "$files" | tr '\n' ' ')"
is "$(find . -name 'p*' | wc -l)" "$(echo "$files" | wc -l)" "... and no other"
# shellcheck disable=SC2086
is "$("$HEAPTAP" hotspots --json -s alloc_space $files | /usr/bin/python3 -c "import json, sys
print(sum(site['value'] for site in json.load(sys.stdin)['sites'] if site['function'].endswith('keep_bytes')))")" $((4000 * (102 + 3) * 8)) \
    "... which add up to the whole, exactly"
rm -f ./*
inside env MEMTRACE=t.ctf MEMTRACE_EVERY=1 "$OCAML_TESTS/linked.exe" 2>err
is "$?: $(cat err)" "0: heaptap: Memtrace: intervals are profiles, whose names end in .pb.gz, not t.ctf" "... of a trace there are none"
inside env MEMTRACE=p.pb.gz MEMTRACE_EVERY=often "$OCAML_TESTS/linked.exe" 2>err
is "$?: $(cat err)" "0: heaptap: Memtrace: MEMTRACE_EVERY is \"often\", it must be a number of seconds, over 0 and at most a day" "... of no length, neither"
rm -f ./*

# ---- The examples of docs/ocaml.md

words() {
    "$HEAPTAP" hotspots --json t.ctf | /usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['total']['samples'])"
}
inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_BUILD/default/examples/boxing_after.exe" >out
is "$(cat out): $(($(words) / 1000))" "cd8773f8253b7d25 of 2000000 bytes: 250" "unboxed: the text, and what printing takes"
if [ -n "$OCAML_MORE" ]; then
    TRACE_TEST=squares "$OCAML_BUILD/default/examples/one_test.exe" >out
    is "$?$(ls ./*.ctf)" "0$(printf './squares.ctf\n./t.ctf')" "one test of an Alcotest suite is traced"
fi
rm -rf ./*

# ---- Killed: what was written stays

inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/killed.exe"
is $? 137 "a program that is killed"
"$HEAPTAP" dump t.ctf >dump 2>err
ok "$([ "$(grep -c ' len=64 ' dump)" -gt 5000 ]; echo $?)" "... leaves what it wrote"

# A profile is written at the end, whichever that is; but not where there is none.
arrays() {
    "$HEAPTAP" hotspots --json p.pb.gz | /usr/bin/python3 -c "import json, sys
print(sum(site['value'] for site in json.load(sys.stdin)['sites'] if site['function'].endswith('Killed.allocate')))"
}
for how in "exit 3" "raise 2" "later 137" "killed 137"; do
    inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/killed.exe" "${how% *}" 2>err
    is "$?" "${how#* }" "a program that is asked for a profile, and ends by: ${how% *}"
    case $how in
    killed*) ok "$(arrays | grep -q '^[0-9]*$'; echo $?)" "... leaves one that can be read, were it empty" ;;
    later*) ok "$([ "$(arrays)" -ge $((20000 * 65 * 8)) ]; echo $?)" "... leaves one that was written before" ;;
    *) is "$(arrays)" $((20000 * 65 * 8)) "... leaves all of it" ;;
    esac
done
done_testing
