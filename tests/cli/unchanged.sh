#!/bin/sh
# A program that is recorded, its children and grandchildren included, does what it does without heaptap: its output, its
# status, the environment that it sees, and the libraries that the user preloads.
. "$SOURCE/tests/cli/tap.sh"
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
cd "$TMP" || exit 1
PATH=$TMP:$PATH
export PATH

without_noise() { # what differs from run to run, and that nothing is recorded
    grep -av -e '^_=' -e '^$' -e '^heaptap record: .*: it runs without being recorded$' "$1" | sed -E 's/[0-9a-f]{6,}-[0-9a-f]{6,}.* //'
}
unchanged() { # COMMAND...: -- or with heaptap before it, all is the same
    run "$@"
    plain="$STATUS $(without_noise out) $(without_noise err)"
    rm -f u.*.ctf
    run "$HEAPTAP" record -q --all --no-symbols -o 'u.%e.%p.ctf' -- "$@"
    is "$STATUS $(without_noise out) $(without_noise err)" "$plain" "unchanged: $*"
}

# The user's own libraries: each changes something that can be seen.
cat >one.c <<'EOF2'
int getppid(void) { return 4242; }
EOF2
cat >two.c <<'EOF2'
long gethostid(void) { return 777; }
EOF2
cat >shows.c <<'EOF2'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
int main(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    char *volatile block = malloc(300000);
    block[1] = 2;
    printf("%d %d %s\n", getppid() == 4242, gethostid() == 777, getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libuser") && strstr(line, "r-xp"))
            printf("%s", strrchr(line, '/'));
    for (char **entry = environ; *entry; entry++)
        puts(*entry);
    free(block);
    return 3;
}
EOF2
cc -shared -fPIC one.c -o libuser-one.so && cc -shared -fPIC two.c -o libuser-two.so && cc -w shows.c -o shows || exit 1
one=$TMP/libuser-one.so two=$TMP/libuser-two.so

unchanged env
unchanged env A=1 B=2 ./shows
unchanged env -i A=1 "$TMP/shows"
unchanged sh -c 'env; ./shows; exit 5'
unchanged sh -c 'sh -c "./shows; env"; exit $?'
unchanged sh -c 'tr "\0" "\n" </proc/self/environ'
for value in "$one" "$one:$two" "$two $one" ":$one:" "$one::  $two" "" "/no/such/library.so:$one"; do
    unchanged env "LD_PRELOAD=$value" ./shows
    export value
    unchanged sh -c 'LD_PRELOAD=$value ./shows'
    unchanged sh -c 'LD_PRELOAD=$value sh -c "./shows; exit 4"; exit $?'
    unset value
done
export LD_PRELOAD="$two:$one"
unchanged ./shows
unchanged sh -c './shows; sh -c ./shows'
unset LD_PRELOAD
ok "$("$HEAPTAP" record -q --all -o preloaded.ctf -- env "LD_PRELOAD=$one" ./shows | grep -c '^1 0 '"$one"'$' |
    grep -qx 1; echo $?)" "a library that the program preloads is there"
set -- preloaded*.ctf
ok "$([ $# = 2 ]; echo $?)" "... and the program is recorded beside it"

# The names of our own settings are the user's, too.
export MEMTRACE=mine.ctf HEAPTAP_ALL=0 HEAPTAP_FOLLOW=0 HEAPTAP_CONTEXT=mine
unchanged sh -c './shows; ./shows'
ok "$([ ! -e mine.ctf ]; echo $?)" "a user's MEMTRACE is not ours"
unset MEMTRACE HEAPTAP_ALL HEAPTAP_FOLLOW HEAPTAP_CONTEXT

# Every way to start a program; all are recorded.
ways='execv execve execvp execl fexecve execveat syscall system popen vfork posix_spawn posix_spawnp'
for way in $ways; do
    unchanged "$TARGETS/starts" "$way" "$TMP/shows"
    LD_PRELOAD=$two unchanged "$TARGETS/starts" "$way" "$TARGETS/starts" "$way" "$TMP/shows"
    rm -f w.*
    run "$HEAPTAP" record -q --all --no-symbols -o 'w.%e.%p.ctf' -- "$TARGETS/starts" "$way" "$TMP/shows"
    # The kernel's name for what fexecve runs is that of the descriptor, the path of the program isn't.
    ok "$(ls w.shows.*.ctf >/dev/null 2>&1; echo $?)" "... and recorded: $way"
done
unchanged "$TARGETS/starts" system 'sh' -c 'kill -TERM $$'
unchanged "$TARGETS/starts" execvp "$TMP/no-such-program"

# What the recorder can't or mustn't go into runs as it is, in a child as at the top, and heaptap says so.
left_alone() { # PROGRAM WHY
    unchanged "$1"
    unchanged sh -c "$1; exit 9"
    for way in $ways; do
        unchanged "$TARGETS/starts" "$way" "$1"
    done
    printf '#!%s\n' "$1" >script
    chmod +x script
    unchanged ./script
    run "$HEAPTAP" record -- "$1"
    has err "heaptap record: $1 $2: it runs without being recorded" "$1 is named"
    run "$HEAPTAP" record -- sh -c "$1; $1; true"
    is "$(grep -cF "heaptap record: $1 $2: it ran without being recorded" err)" 1 "... as a child, once"
}
left_alone "$TARGETS/static-program" "is linked statically, where no library can be preloaded"
loader=$(readelf -lW shows | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp "$loader" ld-other.so.1
cc -w shows.c -o shows-other -Wl,--dynamic-linker="$TMP/ld-other.so.1"
left_alone "$TMP/shows-other" "uses another C library (its loader is $TMP/ld-other.so.1)"
for sanitizer in address thread; do
    export ASAN_OPTIONS=detect_leaks=0
    if cc -w -fsanitize=$sanitizer shows.c -o shows-$sanitizer 2>/dev/null && ./shows-$sanitizer >/dev/null 2>&1
        [ $? = 3 ]; then
        runtime=$(readelf -dW shows-$sanitizer | sed -n 's/.*NEEDED.*\[\(lib[at]san.*\)\]/\1/p')
        left_alone "$TMP/shows-$sanitizer" "has a sanitizer's runtime (${runtime:-__${sanitizer%%[!at]*}san_init}), which must come before every other library"
        run "$HEAPTAP" memtracer -- ./shows-$sanitizer
        is "$STATUS" 3 "memtracer runs it, too"
        has err "heaptap memtracer: ./shows-$sanitizer has a sanitizer's runtime" "... and says what can't be seen"
        [ "$runtime" ] || continue
        unchanged env "LD_PRELOAD=$(cc -print-file-name="${runtime%.so.*}.so")" ./shows
    else
        ok 0 "-fsanitize=$sanitizer # SKIP no runtime"
    fi
done
if echo 'int main(void) { return 4; }' >four.c && cc -m32 four.c -o shows-32 2>/dev/null && { ./shows-32; [ $? = 4 ]; }; then
    left_alone "$TMP/shows-32" "is built for another architecture"
else
    ok 0 "32 bits # SKIP no libraries for them"
fi

# A malloc linked in: what it lacks of the family goes to it all the same.
cat >own.c <<'EOF2'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char memory[1 << 20], *at = memory;
void *malloc(size_t size)
{
    char *block = at + 16;
    memcpy(at, &size, sizeof size);
    at += (size + 47) / 16 * 16;
    return block;
}
void free(void *block)
{
    if (block && ((char *)block < memory || (char *)block >= at))
        _exit(77);
}
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void *realloc(void *block, size_t size)
{
    size_t old = 0;
    free(block);
    if (block)
        memcpy(&old, (char *)block - 16, sizeof old);
    char *moved = malloc(size);
    return block ? memcpy(moved, block, old < size ? old : size) : moved;
}
int main(void)
{
    char *text = strcpy(malloc(10), "kept");
    for (int i = 1; i < 100; i++)
        text = reallocarray(text, 100, (size_t)i);
    int kept = !strcmp(text, "kept");
    free(text);
    return kept ? 5 : 6;
}
EOF2
cc -O1 -fno-builtin own.c -o own
run ./own
plain=$STATUS
run "$HEAPTAP" record -- ./own
is "$plain $STATUS" "5 5" "a malloc linked in: reallocarray"
is "$(cat err)" "heaptap record: the malloc of ./own comes before the recorder's; the program runs without being recorded" \
    "... named, by heaptap alone"
run "$HEAPTAP" record -q -- sh -c './own 2>own.err; exit $?'
is "$STATUS $(cat own.err)" "5 " "... which says nothing on its own standard error"

# A program that restricts its system calls: none of ours comes after.
cat >confined.c <<'EOF2'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void work(int blocks)
{
    for (int i = 0; i < blocks; i++) {
        char *volatile block = malloc(123);
        free(block);
    }
}
#define ALLOW(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(int count, char **arguments)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_exit_group), ALLOW(SYS_brk), ALLOW(SYS_write),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    void *volatile kept = malloc(1234);
    work(100);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 || errno != EFAULT)
        return 9; /* a question */
    program.len = 0;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != -1)
        return 10; /* a mistake */
    program.len = sizeof filter / sizeof *filter;
    work(100);
    if (!strcmp(arguments[1], "strict"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (!strcmp(arguments[1], "prctl"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    else if (!strcmp(arguments[1], "seccomp"))
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    else
        syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    work(count > 2 ? atoi(arguments[2]) : 100000);
    free(kept);
    if (!strcmp(arguments[1], "strict"))
        syscall(SYS_exit, 4);
    return 7;
}
EOF2
cc -O1 confined.c -o confined
for way in strict prctl seccomp syscall; do
    run ./confined $way
    plain=$STATUS
    if [ "$plain" != 7 ] && [ "$plain" != 4 ]; then
        ok 0 "seccomp: $way # SKIP not here"
        continue
    fi
    for how in --all --rate=0.01; do
        rm -f s.*
        run "$HEAPTAP" record --no-symbols $how -o s.ctf -- ./confined $way
        is "$STATUS" "$plain" "seccomp, by $way, $how: the status"
    done
    run "$HEAPTAP" record --rate 1e-9 -o s.pb.gz -- ./confined $way 0
    is "$STATUS" "$plain" "... a profile"
    has err "no allocation was sampled: there were few" "... in which nothing was sampled, for no other reason"
    run "$HEAPTAP" record --no-symbols --all -o s.pb.gz -- ./confined $way
    is "$STATUS" "$plain" "... an exact profile"
    has err " objects; exact" "... goes on, too"
    "$HEAPTAP" hotspots --json s.pb.gz >json
    has json '"value": 12325834' "... with each block"
    run "$HEAPTAP" record --all -o s.ctf -- ./confined $way
    has err " objects; exact" "... an exact recording goes on"
    is "$("$HEAPTAP" dump s.ctf | grep -c ' len=123 ')" 100200 "... with each block"
    run "$HEAPTAP" record --all -o s.ctf -- ./confined $way 4000000
    is "$STATUS" "$plain" "... until the memory kept for that is full: the status"
    has err "no room kept for after system calls were restricted" "... the answer says why it ended"
    "$HEAPTAP" info s.ctf >info
    has info "no room kept for after system calls were restricted" "... and so does the trace"
done
done_testing
