/* Phases of known allocations, each longer than the interval of a continuous recording:  phases SECONDS COUNT [kill | fork | exec].
 * In phase i, from 1 on, i * 100 blocks of 64 bytes are made, and half of them stay.  Then a block of 7 bytes is made and freed
 * every tenth of a second, so that the intervals end where phases are quiet. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile last;
/* The end of this tenth of a second, however late the last one's was noticed. */
static struct timespec next;

__attribute__((noinline)) static void make_blocks(int count)
{
    for (int i = 0; i < count; i++) {
        last = malloc(64);
        if (i % 2)
            free(last);
    }
}

__attribute__((noinline)) static void stay_awake(double seconds)
{
    for (int i = 0; i < seconds * 10; i++) {
        next.tv_nsec += 100000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        free(last = malloc(7));
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 1;
    const char *end = argc > 3 ? argv[3] : "";
    if (strcmp(end, "fork") == 0)
        for (int i = 0; i < 20; i++) {
            pid_t pid = fork();
            if (pid == 0)
                _exit(0);
            waitpid(pid, NULL, 0);
        }
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int i = 1; i <= count; i++) {
        make_blocks(i * 100);
        stay_awake(seconds);
    }
    if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(end, "exec") == 0)
        execl(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
    return 0;
}
