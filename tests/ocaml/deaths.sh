#!/bin/sh
# Whatever ends a program that the OCaml library traces, every block that it got before is in its trace, its profile, or
# the profiles of its intervals: by its own count.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
cd "$OCAML_ROOT$WORK" || exit 1

counted() { # what the program counted
    od -An -v -w8 -td8 counter | awk '{ sum += $1 } END { print sum }'
}
in_trace() {
    "$HEAPTAP" dump t.ctf 2>>err | grep -c ' len=64 .*counted'
}
in_profiles() { # FILE...
    "$HEAPTAP" hotspots --json -s alloc_space "$@" 2>>err | /usr/bin/python3 -c "import json, sys
print(round(sum(site['value'] for site in json.load(sys.stdin)['sites'] if site['function'].endswith('counted')) / (65 * 8)))"
}
# A block may have been recorded, and the program ended before it counted it; of each domain one.
agrees() { # NAME GOT [DOMAINS]
    count=$(counted)
    [ "$count" -ge 3000 ] && [ "$2" -ge "$count" ] && [ "$2" -le $((count + ${3:-1})) ]
    ok $? "$1 (counted $count, recorded $2)"
}

for how in SIGKILL SIGTERM abort _exit exec exit; do
    rm -rf ./* .[a-z]*
    inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/deaths.exe" "$how" >out 2>&1
    agrees "$how, a trace" "$(in_trace)"
    inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/deaths.exe" "$how" >out 2>&1
    agrees "$how, a profile" "$(in_profiles p.pb.gz)"
    inside env MEMTRACE=i.pb.gz MEMTRACE_RATE=1 MEMTRACE_EVERY=0.05 "$OCAML_TESTS/deaths.exe" "$how" 0.12 >out 2>&1
    in_profiles i.1.pb.gz >out # which saves the last one
    agrees "$how, intervals" "$(in_profiles i.*.pb.gz)"
done
is "$(find . -name '*.sums')" "" "nothing is left behind"
inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/deaths.exe" SIGKILL >out 2>&1
"$HEAPTAP" file convert -o t.ctf t.ctf
agrees "SIGKILL, a trace that was converted" "$(in_trace)"
is "$("$SOURCE/tests/helpers/check_memtrace.py" "$OCAML_ROOT$WORK/t.ctf")" good "... as memtrace wants it"

# Several domains.
if [ "$OCAML" = 5 ]; then
    rm -rf ./*
    inside env MEMTRACE=t.ctf MEMTRACE_RATE=1 "$OCAML_TESTS/deaths_of_domains.exe"
    agrees "four domains, a trace" "$(in_trace)" 4
    inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/deaths_of_domains.exe"
    agrees "... and a profile" "$(in_profiles p.pb.gz)" 4
fi

# What is said of it, and what isn't.
said() { # PATTERN NAME
    grep -q "$1" err
    ok $? "$2"
}
rm -rf ./*
inside env MEMTRACE=p.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/deaths.exe" SIGKILL
"$HEAPTAP" info p.pb.gz >out 2>err
said '^heaptap info: p.pb.gz: completed with what process [0-9]* had gathered when it ended$' "a killed program's profile: a line says that it was completed"
"$HEAPTAP" info p.pb.gz >out 2>err
is "$(cat err)" "" "... once"
inside env MEMTRACE=i.pb.gz MEMTRACE_RATE=1 MEMTRACE_EVERY=60 "$OCAML_TESTS/deaths.exe" SIGKILL
"$HEAPTAP" info i.pb.gz >out 2>err
said '^heaptap info: i.1.pb.gz: a new file, the last interval: what process [0-9]* had gathered when it ended$' "of intervals: which file it is"

# A program that is still running.
inside env MEMTRACE=i.pb.gz MEMTRACE_RATE=1 MEMTRACE_EVERY=60 "$OCAML_TESTS/deaths.exe" "when told" &
running=$!
while [ ! -e .i.pb.gz.sums ]; do sleep 0.02; done
"$HEAPTAP" info i.pb.gz >out 2>err
[ -e .i.pb.gz.sums ]
ok $? "the sums of a running program stay"
inside env MEMTRACE=i.pb.gz MEMTRACE_RATE=1 "$OCAML_TESTS/deaths.exe" SIGKILL
[ -e .i.pb.gz.sums ]
ok $? "... also where another one has the same name"
: >end
wait $running
is "$(find . -name '*.sums')" "" "... and go with it"
done_testing
