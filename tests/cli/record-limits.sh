#!/bin/sh
# Programs whose memory is limited: where recording would take what they lack, they run without it, and that is said.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cat >blocks.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int failed = 0;
    for (int i = 0; i < 2000; i++) {
        void *volatile block = malloc(1000);
        failed += !block;
    }
    printf("%d failed\n", failed);
    return 7;
}
EOF
cc -O1 -o blocks blocks.c || exit 1

# Runs blocks under a limit: $1 is what ulimit sets, the rest are options of record.
limited() {
    limit=$1
    shift
    rm -f ./*.ctf ./*.pb.gz
    run "$HEAPTAP" record --no-symbols "$@" -- sh -c "ulimit $limit; exec ./blocks"
}
for case in "-d 3000 its data are limited to less than" "-v 900000 the address space is limited to less than"; do
    limit=$(echo "$case" | cut -d' ' -f1,2)
    why=$(echo "$case" | cut -d' ' -f3-)
    for output in x.ctf x.pb.gz; do
        limited "$limit" --all -o $output
        is "$STATUS $(cat out)" "7 0 failed" "ulimit $limit, --all -o $output: the program has what it has without"
        is "$(grep -c "recording every block: $why 1 GB (ulimit ${limit%% *}); the program runs without being recorded" err)" 1 \
            "... and is not recorded, which is said"
        lacks err "goes through malloc" "... nothing false beside it"
        lacks err "out of memory" "... and nothing else"
    done
done
for output in x.ctf x.pb.gz; do
    limited "-d 10000" -o $output
    is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 10000, -o $output: the program has what it has without"
    has err "recording: its data are limited to less than 16 MB (ulimit -d); the program runs without being recorded" "... is said"
    limited "-d 20000" --rate 0.01 -o $output
    is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 20000, -o $output: the program has what it has without"
    has err "allocated  about" "... and is recorded"
done
limited "-d 20000" -o x.ctf
is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 20000: the program has what it has without"
has err "in 2.0 k objects, all of them recorded" "... and is recorded, each block"

# Nothing that is begun before that is found stays.
rm -f ./*.ctf
run sh -c "ulimit -d 3000; exec '$HEAPTAP' record --no-symbols --all -o x.ctf -- ./blocks"
is "$STATUS $(cat out)" "7 0 failed" "heaptap itself under the limit: the program has what it has without"
lacks err "goes through malloc" "... nothing false is said"
is "$(ls ./*.ctf 2>/dev/null)" "" "... and no empty trace is left"
done_testing
