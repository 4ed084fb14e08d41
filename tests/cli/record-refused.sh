#!/bin/sh
# Where the kernel refuses system calls that recording could use (sandboxes, emulators, older kernels), it finds another way
# and loses nothing.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cc -O1 -o refuses "$SOURCE/tests/targets/refuses.c" || exit 1
cat >blocks.c <<'EOT'
#include <stdlib.h>
int main(void)
{
    for (int i = 0; i < 20000; i++) {
        void *volatile block = malloc(50);
        if (i % 2)
            free(block);
    }
    return 7;
}
EOT
cc -O1 -o blocks blocks.c || exit 1
number() {
    printf '#include <sys/syscall.h>\nSYS_%s\n' "$1" | cc -E -P - | tail -n 1
}
each="mremap madvise membarrier fallocate prlimit64 gettid rt_sigpending uname prctl"
all=
for name in $each; do
    all="$all,$(number "$name")"
done
for name in $each all-of-these; do
    calls=$(number "$name")
    [ $name != all-of-these ] || calls=${all#,}
    for output in blocks.ctf blocks.pb.gz; do
        rm -f blocks.ctf blocks.pb.gz
        run ./refuses "$calls" "$HEAPTAP" record --no-symbols --all -o $output -- ./blocks
        is "$STATUS" 7 "$name refused, into $output: the status"
        has err "20 k objects; exact" "... nothing is lost"
        "$HEAPTAP" hotspots --json $output >json
        has json '": 1000000,' "... the bytes of each block are counted"
    done
done
run ./refuses "$(number truncate)" "$HEAPTAP" record --no-symbols --all -o blocks.ctf -- ./blocks
is "$STATUS" 7 "no file can be lengthened: the status"
has err "blocks.ctf: Function not implemented; the program runs without being recorded" "... is said"
done_testing
