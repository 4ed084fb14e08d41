/* Gets blocks of 3001 bytes, counts each in the first word of a file, and ends:  die HOW FILE [too].  With `too`, kills its
 * parent first.  Where HOW begins with "busy-", two threads go on getting blocks meanwhile. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKS = 2000, SIZE = 3001 };
static volatile unsigned long *counter;

static void burst(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        void *volatile block = malloc(SIZE);
        __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
        if (i % 2)
            free(block);
    }
}

static void *thread(void *unused)
{
    burst();
    pause();
    return unused;
}

static void *busy(void *unused)
{
    for (;;)
        burst();
    return unused;
}

static void die(const char *how)
{
    pthread_t other;
    if (strncmp(how, "busy-", 5) == 0) {
        pthread_create(&other, NULL, busy, NULL);
        pthread_create(&other, NULL, busy, NULL);
        usleep(5000);
        how += 5;
    }
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(how, "exit_group") == 0)
        syscall(SYS_exit_group, 0);
    if (strcmp(how, "SIGTERM") == 0)
        raise(SIGTERM);
    if (strcmp(how, "SIGKILL") == 0)
        raise(SIGKILL);
    if (strcmp(how, "SIGSEGV") == 0)
        *(volatile int *)16 = 0;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0) {
        execl("/nonexistent", "nonexistent", NULL);
        raise(SIGKILL);
    }
    if (strcmp(how, "crash_in_malloc") == 0) { /* the list of small blocks leads nowhere */
        void **block = malloc(24);
        free(block);
        block[0] = (void *)0x4141414141414141;
        for (int i = 0; i < 9; i++) {
            void *volatile lost = malloc(24);
            (void)lost;
        }
        abort();
    }
    if (strcmp(how, "thread") == 0) {
        pthread_create(&other, NULL, thread, NULL);
        while (*counter < 2 * BLOCKS)
            usleep(1000);
        raise(SIGKILL);
    }
    if (strcmp(how, "burst") == 0) /* until another process kills it */
        for (;;)
            burst();
    sleep(1); /* nothing happens any more */
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 2;
    counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    burst();
    if (argc > 3) { /* heaptap dies first */
        kill(getppid(), SIGKILL);
        usleep(100000);
    }
    if (strcmp(argv[1], "burst") == 0 && fork() == 0) {
        usleep(200000);
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    die(argv[1]);
}
