#!/bin/bash
# Whatever ends a program, every block that it got before is in the trace: by its own count, which it keeps in a
# shared file, for heaptap's reader and for the second decoder, before the trace is finished and after it.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

gcc -O1 -g -fno-builtin "$SOURCE/tests/targets/die.c" -o die -pthread || exit 1

counted() { # what the program counted
    od -An -tu8 -N8 counter | tr -d ' '
}
by_heaptap() {
    "$HEAPTAP" dump --order true t.ctf 2>errors | grep -c 'len=3001 '
}
by_decoder() {
    python3 "$SOURCE/tests/helpers/decode_trace.py" t.ctf | grep -c 'len=3001 '
}

# A block may have been recorded, and the program ended before it counted it.
agrees() { # NAME
    local count got other
    count=$(counted)
    got=$(by_heaptap)
    other=$(by_decoder)
    [ "$got" = "$other" ] && [ "$got" -ge "$count" ] && [ "$got" -le $((count + 2)) ]
    ok $? "$1 (counted $count, heaptap $got, decoder $other)"
}

# Where MEMTRACE_TOOLS names the folder of memtrace's own tools: they read what heaptap has put right.
memtrace_agrees() { # FILE NAME
    [ -n "${MEMTRACE_TOOLS:-}" ] || return 0
    is "$("$MEMTRACE_TOOLS/dump_trace.exe" "$1" 2>&1 | grep -c ' alloc')" "$("$HEAPTAP" dump "$1" | grep -c ' alloc')" \
        "$2: memtrace's dump_trace reads as many blocks"
    for tool in hotspots identify flamegraph; do
        "$MEMTRACE_TOOLS/$tool.exe" "$1" >/dev/null 2>&1
        ok $? "... its $tool reads it"
    done
}

for how in exit _exit exit_group SIGTERM SIGKILL SIGSEGV abort exec crash_in_malloc thread burst sleep \
    busy-_exit busy-exit busy-quick_exit busy-exit_group busy-SIGKILL; do
    rm -f t*.ctf counter
    "$HEAPTAP" record -q --no-symbols --no-follow --all -o t.ctf -- ./die "$how" counter >output 2>&1
    agrees "$how"
    memtrace_agrees t.ctf "$how"
    rm -f t*.ctf counter
    ("$HEAPTAP" record -q --no-symbols --no-follow --all -o t.ctf -- ./die "$how" counter too >output 2>&1) 2>/dev/null
    sleep 0.6
    [ "$how" = sleep ] && sleep 1
    agrees "$how, and heaptap was killed before"
    rm -f right.ctf
    "$HEAPTAP" file convert -o right.ctf t.ctf
    memtrace_agrees right.ctf "$how, and heaptap was killed before, converted"
done
done_testing
