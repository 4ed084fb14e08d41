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

for how in exit _exit exit_group SIGTERM SIGKILL SIGSEGV abort exec crash_in_malloc thread burst sleep \
    busy-_exit busy-exit busy-quick_exit busy-exit_group busy-SIGKILL; do
    rm -f t*.ctf counter
    "$HEAPTAP" record -q --no-symbols --no-follow --all -o t.ctf -- ./die "$how" counter >output 2>&1
    agrees "$how"
    rm -f t*.ctf counter
    ("$HEAPTAP" record -q --no-symbols --no-follow --all -o t.ctf -- ./die "$how" counter too >output 2>&1) 2>/dev/null
    sleep 0.6
    [ "$how" = sleep ] && sleep 1
    agrees "$how, and heaptap was killed before"
done
done_testing
