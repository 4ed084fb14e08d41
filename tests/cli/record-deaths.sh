#!/bin/sh
# However a program ends, what it allocated until then is recorded: it counts for itself.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

# COUNT blocks of 4242 bytes by each of THREADS, every second freed, then a death.
cat >dies.c <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int count;
static void *allocate(void *unused)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(4242);
        if (i % 2)
            free(block);
    }
    return unused;
}
static void die(const char *how)
{
    if (strcmp(how, "sleeping") == 0) {
        alarm(1);
        pause();
    }
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "term") == 0)
        kill(getpid(), SIGTERM);
    if (strcmp(how, "raw") == 0)
        syscall(SYS_exit_group, 0);
    if (strcmp(how, "crash") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "corrupt") == 0) /* libc ends it within free */
        free((char *)malloc(4242) + 8);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "quick") == 0)
        quick_exit(0);
}
int main(int argc, char **argv)
{
    pthread_t threads[8];
    int n = atoi(argv[3]);
    count = atoi(argv[2]);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    die(argv[1]);
    return 0;
}
EOF
gcc -w -O1 -g -fno-builtin -pthread dies.c -o dies || exit 1
recorded() { # blocks of that size, and how many of them were freed
    "$HEAPTAP" dump dies.ctf --format=csv size=4242 2>dump.err | /usr/bin/awk -F, '/alloc/ { a++ } /collect/ { c++ } END { print a + 0, c + 0 }'
}
for death in kill:9:Killed term:15:Terminated raw crash:11:Segmentation\ fault _exit abort:6:Aborted exec quick return; do
    IFS=: read -r how signal name <<EOF
$death
EOF
    rm -f dies.ctf
    timeout 60 "$HEAPTAP" record --all --no-symbols -o dies.ctf -- ./dies "$how" 1000 3 >out 2>err
    is "$(recorded)" "3000 1500" "$how: each of 3000 blocks, and each end"
    is "$(sed -n 's/^Ended  *//p' err)" "${signal:+by signal $signal ($name)}" "... and what ended it"
done
timeout 60 "$HEAPTAP" record --json --no-symbols -o dies.ctf -- ./dies crash 1000 3 >out 2>err
is "$(sed -n 's/^  "end_signal": //p' out)" "11," "... also for programs"
timeout 60 "$HEAPTAP" record --all --no-symbols -o dies.ctf -- ./dies corrupt 1000 3 >out 2>err
is "$(recorded)" "3001 1500" "a crash within free: each of 3001 blocks"
timeout 60 "$HEAPTAP" record --all --no-symbols -o dies.ctf -- ./dies sleeping 7 1 >out 2>err
is "$(recorded)" "7 3" "killed asleep, a second after its last event: each of 7 blocks"
timeout 60 "$HEAPTAP" record --all --no-symbols -o dies.ctf -- ./dies kill 300000 2 >out 2>err
is "$(recorded)" "600000 300000" "killed, over many regions of the file: each of 600000 blocks"
done_testing
