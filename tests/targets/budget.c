/* Allocates blocks of many sizes from two sites, as many as asked, in as many threads, and keeps some: each thread has
 * 1000 slots, and a new block takes the place of the one that is in its slot.
 *
 *     budget BLOCKS THREADS [HOW]
 *
 * prints how many bytes were allocated, by each site, and how many are live at the end, without a malloc of libc's.
 * HOW is fork (half of the blocks are allocated in a child, which prints its own line), slow (a second's rest after each fourth of the blocks)
 * or kill (SIGKILL at the end). */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 1000, MOST_THREADS = 8 };

struct worker {
    pthread_t thread;
    long blocks;
    uint64_t random;
    void *slots[SLOTS];
    size_t sizes[SLOTS];
    uint64_t small_bytes, large_bytes, live_bytes;
};

static struct worker workers[MOST_THREADS];

static uint64_t next(struct worker *worker)
{
    worker->random ^= worker->random << 13;
    worker->random ^= worker->random >> 7;
    return worker->random ^= worker->random << 17;
}

static __attribute__((noinline)) void *small(size_t size)
{
    void *volatile block = malloc(size);
    return block;
}

static __attribute__((noinline)) void *large(size_t size)
{
    void *volatile block = malloc(size);
    return block;
}

static void *work(void *of)
{
    struct worker *worker = of;
    for (long i = 0; i < worker->blocks; i++) {
        size_t slot = next(worker) % SLOTS, size = 1 + next(worker) % 300;
        int is_large = next(worker) % 64 == 0;
        if (is_large)
            size *= 100;
        free(worker->slots[slot]);
        worker->live_bytes += size - worker->sizes[slot];
        worker->slots[slot] = is_large ? large(size) : small(size);
        worker->sizes[slot] = size;
        *(is_large ? &worker->large_bytes : &worker->small_bytes) += size;
    }
    return NULL;
}

static char *put(char *at, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(at, first, (size_t)(digits + sizeof digits - first));
    at += digits + sizeof digits - first;
    *at = ' ';
    return at + 1;
}

static void tell(void)
{
    uint64_t small_bytes = 0, large_bytes = 0, live_bytes = 0;
    char line[128], *at = line;
    for (int i = 0; i < MOST_THREADS; i++) {
        small_bytes += workers[i].small_bytes;
        large_bytes += workers[i].large_bytes;
        live_bytes += workers[i].live_bytes;
    }
    at = put(put(put(put(at, small_bytes + large_bytes), small_bytes), large_bytes), live_bytes);
    at[-1] = '\n';
    if (write(1, line, (size_t)(at - line)) < 0)
        _exit(1);
}

static void run(long blocks, int threads)
{
    for (int i = 0; i < threads; i++) {
        workers[i].blocks = blocks / threads;
        workers[i].random = 88172645463325252u + (uint64_t)i * 7919;
    }
    for (int i = 1; i < threads; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
}

int main(int argc, char **argv)
{
    long blocks = argc > 1 ? atol(argv[1]) : 1000;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    const char *how = argc > 3 ? argv[3] : "";
    int status, forks = strcmp(how, "fork") == 0, parts = strcmp(how, "slow") == 0 ? 4 : 1;
    for (int i = 0; i < parts; i++) {
        run((forks ? blocks / 2 : blocks) / parts, threads);
        sleep(parts > 1);
    }
    if (forks && fork() == 0) {
        memset(workers, 0, sizeof workers);
        run(blocks / 2, 1);
        tell();
        return 0;
    }
    if (forks)
        wait(&status);
    tell();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
