#!/bin/sh
# heaptap record of what runs heaptap record itself: the inner one works, and the outer one says what it does not have.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
cat >app.c <<'EOF'
#include <stdlib.h>
int main(void)
{
    void *volatile block;
    for (int i = 0; i < 100; i++)
        block = malloc(1000);
}
EOF
gcc -g -O0 -w app.c -o app || exit 1
blocks() { "$HEAPTAP" dump "$1" | grep -c 'len=1000 '; }

run "$HEAPTAP" record --all -o outer.ctf -- "$HEAPTAP" record --all -q -o inner.ctf -- ./app
is "$STATUS $(blocks inner.ctf)" "0 100" "the inner recording is whole"
is "$(grep -c "is recorded by a heaptap record that runs within this one, and not by this one" err)" 1 "... the outer one says that it is not its own"
lacks err memtrace "... and takes heaptap for no OCaml program"
is "$("$HEAPTAP" info --json outer.ctf | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["trace"]["executable"].split("/")[-1])')" heaptap "... it has heaptap's own memory"
run "$HEAPTAP" record -o outer.ctf -- sh -c '"$HEAPTAP" record -q -o inner.ctf -- ./app; ./app'
is "$STATUS $(blocks inner.ctf)" "0 100" "beneath a shell"
is "$(grep -c "is recorded by a heaptap record that runs within this one" err)" 1 "... the same"
run "$HEAPTAP" record -q -o outer.ctf -- "$HEAPTAP" record --every 10s -q -o inner -- ./app
is "$STATUS $(ls inner | wc -l) $(cat err)" "0 1 " "intervals, and -q"
run "$HEAPTAP" record -o one.ctf -- ./app
lacks err "within this one" "one recording alone: nothing is said"
done_testing
