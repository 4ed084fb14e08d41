/* Allocates known blocks, through inlined functions; the tests know these lines.
 *   allocates [HOW]
 * keeps 100 blocks of 1000 bytes, frees 50 of 2000, and exits with status 5.  HOW:
 *   kill     ends by SIGKILL instead
 *   fork     a child does the same, with 25 blocks more, and exits first
 *   thread   a thread frees 50 blocks of 2000 bytes too
 *   chdir    begins by going to /
 *   daemon   a child does it after a second, not waited for
 *   toggle, last   does it before SIGUSR2, and again after it; last ends by SIGKILL */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[400];
static int count;

static inline __attribute__((always_inline)) void *leaf(size_t size)
{
    return malloc(size); /* line 22 */
}

static inline __attribute__((always_inline)) void *middle(size_t size)
{
    return leaf(size); /* line 27 */
}

static __attribute__((noinline)) void keep(int more)
{
    for (int i = 0; i < more; i++)
        kept[count++] = middle(1000); /* line 33 */
}

static __attribute__((noinline)) void *drop(void *unused)
{
    for (int i = 0; i < 50; i++) {
        void *volatile block = leaf(2000); /* line 39 */
        free(block);
    }
    return NULL;
}

static void work(void)
{
    keep(100);
    drop(NULL);
}

static void in_child(int seconds)
{
    if (fork() != 0)
        return;
    sleep((unsigned)seconds);
    keep(25);
    work();
    exit(0);
}

static void wait_for_toggle(void)
{
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR2); /* the recorder's */
    kill(getpid(), SIGUSR1);
    sigwaitinfo(&usr1, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;
    if (!strcmp(how, "chdir") && chdir("/") != 0)
        return 1;
    if (!strcmp(how, "fork")) {
        in_child(0);
        wait(NULL);
    }
    if (!strcmp(how, "daemon"))
        in_child(1);
    if (!strcmp(how, "thread") && pthread_create(&thread, NULL, drop, NULL) == 0)
        pthread_join(thread, NULL);
    work();
    if (!strcmp(how, "toggle") || !strcmp(how, "last")) {
        wait_for_toggle();
        work();
    }
    if (!strcmp(how, "kill") || !strcmp(how, "last"))
        raise(SIGKILL);
    return 5;
}
