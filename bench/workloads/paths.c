/* Many call paths and sizes:  paths PAIRS PATHS SIZES.  PAIRS blocks are made and freed at once, by PATHS (a power of two, at
 * most 4096) paths in turn, each of SIZES sizes in turn; of each pair before it, one block in 64 stays for a while. */
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 12, KEPT = 4096 };

static void *kept[KEPT];
static volatile int sink;

__attribute__((noinline)) static void make(unsigned long i, size_t size)
{
    void *block = malloc(size);
    if (i % 64 == 0) {
        free(kept[i / 64 % KEPT]);
        kept[i / 64 % KEPT] = block;
    } else {
        free(block);
    }
    sink++;
}

/* Each level goes by one of two calls, so that 12 levels are 4096 paths.  What follows the calls
 * differs, lest the compiler makes one of them. */
__attribute__((noinline)) static void go(int level, unsigned path, unsigned long i, size_t size)
{
    if (level == 0) {
        make(i, size);
        sink++;
    } else if (path & 1) {
        go(level - 1, path >> 1, i, size);
        sink += 2;
    } else {
        go(level - 1, path >> 1, i, size);
        sink += 3;
    }
}

int main(int argc, char **argv)
{
    unsigned long pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned paths = argc > 2 ? (unsigned)atoi(argv[2]) : 4096,
             sizes = argc > 3 ? (unsigned)atoi(argv[3]) : 256;
    for (unsigned long i = 0; i < pairs; i++)
        go(DEPTH, (unsigned)(i % paths), i, 16 + 16 * (i / paths % sizes));
    return 0;
}
