#!/bin/sh
# Programs whose memory is limited: where recording would take what they lack, they run without it, and that is said.  Files
# that may hardly grow, and full disks: the program runs as it does without heaptap, and what is missing is said.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cc -O1 -o blocks "$SOURCE/tests/targets/blocks.c" || exit 1

# Runs blocks under a limit: $1 is what ulimit sets, the rest are options of record.
limited() {
    limit=$1
    shift
    rm -f ./*.ctf ./*.pb.gz
    run "$HEAPTAP" record --no-symbols "$@" -- sh -c "ulimit $limit; exec ./blocks"
}
for case in "-d 3000 data" "-v 900000 address space"; do
    limit=$(echo "$case" | cut -d' ' -f1,2)
    why=$(echo "$case" | cut -d' ' -f3-)
    for output in x.ctf x.pb.gz; do
        limited "$limit" --all -o $output
        is "$STATUS $(cat out)" "7 0 failed" "ulimit $limit, --all -o $output: the program has what it has without"
        is "$(grep -c "blocks is started with too little $why for --all, less than 1 GB (ulimit ${limit%% *}): it ran without being recorded" err)" 1 \
            "... and is not recorded, which is said"
        lacks err "goes through malloc" "... nothing false beside it"
        lacks err "out of memory" "... and nothing else"
    done
done
for output in x.ctf x.pb.gz; do
    limited "-d 10000" -o $output
    is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 10000, -o $output: the program has what it has without"
    has err "blocks is started with less than 32 MB of data (ulimit -d): it ran without being recorded" "... is said"
    limited "-v 30000" -o $output
    is "$STATUS $(cat out)" "7 0 failed" "ulimit -v 30000, -o $output: the program has what it has without"
    has err "blocks is started with less than 32 MB of address space (ulimit -v): it ran without being recorded" "... is said"
    limited "-d 40000" --rate 0.01 -o $output
    is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 40000, -o $output: the program has what it has without"
    has err " objects; estimates from " "... and is recorded"
done
limited "-d 40000" -o x.ctf
is "$STATUS $(cat out)" "7 0 failed" "ulimit -d 40000: the program has what it has without"
has err "blocks 1.9 MB (x.ctf)" "... and is recorded, each block"

# Where it is not recorded, it has the memory that it has without heaptap, to the last block.
cat >all.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int blocks = 0;
    for (void *volatile block; blocks < 1000000 && (block = malloc(1000)); blocks++)
        ;
    return printf("%d\n", blocks) < 0;
}
EOF
cc -O1 -fno-builtin -o all all.c || exit 1
for limit in "-d 200" "-d 1000" "-d 5000" "-d 10000" "-d 32000" "-v 5000" "-v 10000" "-v 32000"; do
    plain=$(sh -c "ulimit $limit; exec ./all")
    is "$(for options in "-o x.ctf" "-o x.ctf --all" "-o x.pb.gz" "-o every --every 1"; do
        rm -rf x.* every
        run "$HEAPTAP" record --no-symbols $options -- sh -c "ulimit $limit; exec ./all"
        [ "$STATUS $(cat out)" = "0 $plain" ] || echo "$options: $STATUS $(cat out), and $plain without"
        run sh -c "ulimit $limit; LD_PRELOAD= '$HEAPTAP' record --no-symbols $options -- sh -c 'exec ./all'"
        case $limit in *000) [ "$STATUS" != 0 ] || [ "$(cat out)" = "$plain" ] || echo "heaptap under it, $options: $(cat out), and $plain without" ;; esac
    done)" "" "ulimit $limit: as many blocks as without"
done
rm -rf every

# Few open files: the program has as many as without heaptap.
cat >files.c <<'EOF'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int files = 0;
    free(malloc(100));
    while (files < 100 && open("/dev/null", O_RDONLY) >= 0)
        files++;
    free(malloc(100));
    return printf("%d\n", files) < 0;
}
EOF
cc -O1 -fno-builtin -o files files.c || exit 1
for limit in "-n 4" "-n 5" "-n 6" "-n 10" "-n 15" "-S -n 4" "-S -n 6" "-n 16"; do
    plain=$(sh -c "ulimit $limit; exec ./files")
    is "$(for options in "-o x.ctf" "-o x.ctf --all" "-o x.pb.gz" "-o every --every 1"; do
        rm -rf x.* every
        run sh -c "ulimit $limit; exec '$HEAPTAP' record $options -- ./files"
        [ "$STATUS $(cat out)" = "0 $plain" ] || echo "heaptap under it, $options: $STATUS $(cat out), and $plain without: $(cat err)"
        grep -qE 'files is started with less than 16 open files \(ulimit -n\): it runs without being recorded|objects; exact|^1 profile of 1 process' err || echo "$options: $(cat err)"
        rm -rf x.* every
        run "$HEAPTAP" record $options -- sh -c "ulimit $limit; exec ./files"
        [ "$STATUS $(cat out)" = "0 $plain" ] || echo "$options: $STATUS $(cat out), and $plain without: $(cat err)"
    done)" "" "ulimit $limit: as many files as without, and recorded or said"
done
rm -rf every

# A process that has no descriptor left as it is forked can't write a trace, but it is known of.
cat >fewer.c <<'EOF'
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    void *volatile block = malloc(1000);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    if (argv[1][0] == 'f' && fork() == 0)
        exit(!(block = malloc(10)));
    while (wait(NULL) > 0)
        ;
    return !block;
}
EOF
cc -O1 -fno-builtin -o fewer fewer.c || exit 1
for output in x.ctf x.pb.gz; do
    run "$HEAPTAP" record --json --all -o "$output" -- ./fewer fork
    is "$STATUS:$(grep -c '"complete": false' out):$(grep -c '"lacks": "fewer (pid [0-9]*): .*Too many open files; the program runs without being recorded"' out)" \
        0:1:1 "-o $output: a child without a descriptor is told, and the answer lacks it"
    rm -f x.*
done
run "$HEAPTAP" record --json --all -o x.ctf -- ./fewer alone
is "$STATUS:$(grep -c '"complete": true' out):$(grep -c '"lacks"' out)" 0:1:0 "... and is whole where there is none"
rm -f x.*

# Where it is recorded, the recording gives way before the program lacks memory, however that is limited: what stays is the library.
cat >bounded.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
static int failed;
/* bounded RESOURCE kB HOW: limits itself, after some blocks; the rest is taken by HOW. */
int main(int argc, char **argv)
{
    struct rlimit limit = {strtoul(argv[2], NULL, 10) * 1024, strtoul(argv[2], NULL, 10) * 1024};
    int blocks = 0, all = !strcmp(argv[1], "lock");
    for (int i = 0; i < 1000; i++)
        free(malloc(100 + i));
    if (all)
        failed = mlockall(MCL_CURRENT | MCL_FUTURE);
    else
        setrlimit(!strcmp(argv[1], "data") ? RLIMIT_DATA : RLIMIT_AS, &limit);
    char *volatile block = NULL, *volatile grown = NULL;
    for (int most = 3000000; blocks < most; blocks++) {
        switch (*argv[3]) {
        case 'm': block = malloc(1000); break;
        case 'c': block = calloc(10, 100); break;
        case 'a': block = aligned_alloc(64, 1024); break;
        case 'p': if (posix_memalign((void **)&block, 64, 1024)) block = NULL; break;
        case 'r': block = realloc(NULL, 1000); break;
        case 'g': block = realloc(grown, 100000 * (blocks + 1ul)); grown = block ? block : grown; break;
        }
        if (!block)
            break;
    }
    return printf("%d %d\n", failed, blocks) < 0;
}
EOF
cc -O1 -fno-builtin -w -o bounded bounded.c || exit 1
# What a command has less than without: it may be so many blocks.  $1: as whom; $2: how many; the rest is the command.
gives_way() {
    as=$1 most=$2
    shift 2
    plain=$($as "$@")
    for options in "-o x.ctf" "-o x.ctf --all" "-o x.ctf --rate 0.01" "-o x.pb.gz" "-o x.pb.gz --all" "-o every --every 1"; do
        rm -rf x.* every
        run $as "$HEAPTAP" record --no-symbols $options -- "$@"
        [ "$STATUS $(cut -d' ' -f1 out)" = "0 ${plain% *}" ] && [ $((${plain#* } - $(cut -d' ' -f2 out))) -le "$most" ] ||
            echo "$options: $STATUS $(cat out), and $plain without"
        grep -q "the program needed the memory that recording took; the recording ends here" err || echo "$options: not said: $(cat err)"
        case $options in
        *x.ctf*) "$HEAPTAP" info --json x.ctf | grep -q '"complete": false' || echo "$options: said to be complete" ;;
        esac
    done
}
for how in malloc calloc aligned_alloc posix_memalign realloc grown; do
    most=1100
    [ $how != grown ] || most=8
    is "$(gives_way '' $most ./bounded data 40000 $how)" "" "RLIMIT_DATA of 40 MB, $how: the recording gives way"
done
is "$(gives_way '' 1100 ./bounded data 5000 malloc)" "" "... of 5 MB, less than recording has taken"
is "$(gives_way '' 1100 ./bounded space 60000 malloc)" "" "RLIMIT_AS of 60 MB: the recording gives way"
cp "$PRELOAD" here.so # where anybody may read it
lowly() { # COMMAND: as somebody whose limit counts
    HEAPTAP_PRELOAD=$PWD/here.so setpriv --reuid 65534 --clear-groups "$@"
}
if chmod 777 . && lowly sh -c "ulimit -l 8000 && exec ./bounded lock 0 malloc" >/dev/null 2>&1; then
    ulimit -l 8000
    is "$(gives_way lowly 1100 ./bounded lock 0 malloc)" "" "mlockall under RLIMIT_MEMLOCK of 8 MB: the recording gives way"
else
    skip "mlockall" "nobody can be somebody else here"
fi
rm -rf x.* every here.so

# The tables of blocks grow by an eighth of the limit at most, however many there are: the next one was of 64 MB.
cat >many.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char line[256];
    for (int i = 0; i < 20000; i++) {
        void *volatile block = malloc(16 + i % 500);
        (void)block;
    }
    for (FILE *file = fopen("/proc/self/status", "r"); fgets(line, sizeof line, file);)
        if (!strncmp(line, "VmSize:", 7))
            return printf("%d\n", atoi(line + 7)) < 0;
    return 1;
}
EOF
cc -O1 -o many many.c || exit 1
for limit in "-v 40000" "-v 150000" "-d 150000" "-v 300000"; do
    for output in "x.ctf" "x.pb.gz" "x.ctf --rate 0.1"; do
        rm -f x.*
        plain=$(sh -c "ulimit $limit; exec ./many")
        run "$HEAPTAP" record --no-symbols -o $output -- sh -c "ulimit $limit; exec ./many"
        taken=$(($(cat out) - plain)) of=${limit#-? }
        is "$STATUS $([ $((8 * taken)) -lt $((3 * of)) ] || echo "$taken of $of")" "0 " "ulimit $limit, -o $output: recording takes less than three eighths of it"
        lacks err "missing in all figures" "... and drops nothing"
    done
done

# Nothing that is begun before that is found stays.
rm -f ./*.ctf
run sh -c "ulimit -d 3000; exec '$HEAPTAP' record --no-symbols --all -o x.ctf -- ./blocks"
is "$STATUS $(cat out)" "7 0 failed" "heaptap itself under the limit: the program has what it has without"
lacks err "goes through malloc" "... nothing false is said"
is "$(ls ./*.ctf 2>/dev/null)" "" "... and no empty trace is left"

# A file that may have this many pages, or a disk of them: the beginning of a trace has no room, or what comes soon after.
# $1: how the room is limited; $2: where to; the rest are options of record.  Prints what went wrong.
cramped() {
    how=$1 place=$2
    shift 2
    for pages in $(seq 1 20); do
        rm -rf ./$place/x* ./$place/every
        case $how in
        size) run sh -c "ulimit -f $((8 * pages)); exec \"\$@\"" - "$HEAPTAP" record --no-symbols "$@" -- ./blocks ;;
        disk) run unshare -m sh -c "mount -t tmpfs -o size=$((4 * pages))k none $place && exec \"\$@\"" - \
            "$HEAPTAP" record --no-symbols "$@" -- ./blocks ;;
        esac
        [ "$STATUS $(cat out)" = "7 0 failed" ] || echo "$pages pages: $STATUS $(cat out)"
        grep -qE 'runs without being recorded|the recording ends here|lacks what was recorded|last interval can.t be written|No space left| objects; |[0-9] profiles? of 1 process' err ||
            echo "$pages pages: nothing said: $(cat err)"
        grep -E 'goes through malloc|nothing was sampled|somebody cut|was removed or renamed' err
    done
}
for output in "x.ctf" "x.ctf --all" "x.pb.gz" "every --every 1"; do
    is "$(cramped size . -o $output)" "" "no more than 1 to 20 pages of a file, -o $output: the program is as without, what is missing is said"
done
mkdir small
if unshare -m mount -t tmpfs -o size=4k none small 2>/dev/null; then
    export TMPDIR=$TMP/own
    mkdir own
    for output in "x.ctf" "x.ctf --all" "x.pb.gz" "every --every 1"; do
        is "$(cramped disk small -o small/$output)" "" "a disk of 1 to 20 pages, -o $output: the same"
    done
    # What had no room in the last place is saved by the next recording, where it has.
    run unshare -m sh -c "mount -t tmpfs -o size=4k none small && exec '$HEAPTAP' record --no-symbols -o small/late.pb.gz -- ./blocks"
    has err ".late.pb.gz.sums: the data gathered for it stay there" "a profile without room: where it stays is said"
    has err "no allocation was recorded" "... and nothing false"
    "$HEAPTAP" record -q --every 1 -o every -- ./blocks 2>err >out
    is "$("$HEAPTAP" info --json small/late.pb.gz | grep -c '"alloc_objects"')$(cat err)" 1 "... is saved by the next heaptap record"
    is "$(find own -name '*late*')" "" "... and nothing stays"
    unset TMPDIR
else
    skip "a disk of 1 to 20 pages" "nothing can be mounted here"
fi
# --max-size is such a limit.
for size in 1 4k 8k 12k 16k; do
    run "$HEAPTAP" record --no-symbols --max-size $size -o max.ctf -- ./blocks
    is "$STATUS $(cat out)" "7 0 failed" "--max-size $size: the program is as without"
    ok "$(grep -qE 'max.ctf: the size limit (leaves no room for it; the program runs without being recorded|was reached; the recording ends here)' err; echo $?)" "... said"
done
is "$(sh -c "ulimit -f 0; '$HEAPTAP' record -q -o z.ctf -- ./blocks 2>messages >/dev/null; echo \$?" | cat)" 7 "a limit of 0 on files: heaptap's own messages end nothing"
# The recorder alone.
is "$(for pages in $(seq 1 20); do
    rm -f y.ctf
    run sh -c "ulimit -f $((8 * pages)); LD_PRELOAD='$PRELOAD' MEMTRACE=y.ctf exec ./blocks"
    [ "$STATUS $(cat out)" = "7 0 failed" ] || echo "$pages pages: $STATUS $(cat out)"
done)" "" "LD_PRELOAD alone, 1 to 20 pages of a file"
done_testing
