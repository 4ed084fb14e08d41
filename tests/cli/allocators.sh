#!/bin/sh
# heaptap record on programs with a malloc that is not libc's: each block is recorded once, whichever way it was
# asked for, and its end too.  Those that are not installed are skipped.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
RECORD="$HEAPTAP record -q --all -o t.ctf --"

# counted FROM TO: blocks of these lengths, their bytes, those that have an end.
counted() {
    "$HEAPTAP" dump --order true t.ctf | awk -v from="$1" -v to="$2" '
        / alloc_/ { id = $2; match($0, /len=[0-9]+/); length_ = substr($0, RSTART + 4, RLENGTH - 4) + 0
            if (length_ >= from && length_ <= to) { n++; bytes += length_; mine[id] = 1 } }
        / collect/ { if ($2 in mine) ended++ }
        END { print n + 0, bytes + 0, ended + 0 }'
}
has_library() { # NAME
    echo 'int main(void) { return 0; }' | gcc -xc - -Wl,--no-as-needed "-l$1" -o probe 2>/dev/null && return
    skip "$1" "lib$1 is not installed"
    return 1
}
allocator() {
    "$HEAPTAP" info t.ctf | sed -n 's/.*allocator = //p' | sed 's|.*/lib||; s/\.so.*//'
}

# Ten blocks of each form; a wide one has 9024 bytes, rounded up to its alignment.
forms="$((10 * (9000 + 9001 + 9002 + 9003 + 9024 + 9005 + 9006 + 9007)))"
for library in jemalloc tcmalloc tcmalloc_minimal mimalloc; do
    has_library $library || continue
    gcc -O2 -g -pthread -Wl,--no-as-needed "$SOURCE/tests/targets/allocates.c" -l$library -o allocates
    run $RECORD ./allocates thread
    is "$STATUS $(counted 1000 2000)" "5 200 300000 100" "$library, linked: malloc and free, on two threads"
    is "$(allocator)" "$library" "... is named"
    g++ -std=c++17 -O2 -w -DNEVER_FAILS -Wl,--no-as-needed "$SOURCE/tests/targets/recorded_new.cc" -l$library -o forms
    run $RECORD ./forms
    is "$STATUS $(counted 9000 9100)" "0 80 $forms 80" "... all forms of new and delete"
    file=$(ldd forms | sed -n "s/.*lib$library\.so[^ ]* => \([^ ]*\).*/\1/p")
    gcc -O2 -g -pthread "$SOURCE/tests/targets/allocates.c" -o plain
    LD_PRELOAD=$file run $RECORD ./plain fork
    is "$STATUS $(counted 1000 2000)" "5 150 200000 50" "$library, preloaded"
done
done_testing
