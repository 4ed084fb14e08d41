/* Programs whose live bytes are known: what bench/peak.py records, and compares with what it is told.
 *
 *   peaks waves      rises four times to near 5.5 MB, in blocks of 16 B to 64 kB, with little between
 *   peaks small      a quarter of a million blocks of 16 to 48 bytes, freed in an order of their own, twice
 *   peaks steady     a level of 5.5 MB that goes up and down by chance: its peak is little above it
 *   peaks few        a megabyte, in blocks of 100 to 2000 bytes, freed at once
 *
 * Prints "bytes objects live peak", of its own blocks.  Nothing differs from run to run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 1 << 19 };

static void *blocks[BLOCKS_MAX];
static uint32_t sizes[BLOCKS_MAX];
static size_t count;
static uint64_t state = 0x9E3779B97F4A7C15, bytes, objects, live, peak;

static uint64_t chance(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 16) % below;
}

__attribute__((noinline)) static void take(size_t size)
{
    char *block = malloc(size);
    if (!block || count == BLOCKS_MAX)
        abort();
    block[0] = block[size - 1] = 1;
    blocks[count] = block;
    sizes[count++] = (uint32_t)size;
    bytes += size;
    objects++;
    live += size;
    peak = live > peak ? live : peak;
}

__attribute__((noinline)) static void drop(size_t index)
{
    free(blocks[index]);
    live -= sizes[index];
    blocks[index] = blocks[--count];
    sizes[index] = sizes[count];
}

/* 16 B to 64 kB: as many bytes in each octave. */
static size_t mixed_size(void)
{
    uint64_t octave = 4;
    while (octave < 15 && chance(2))
        octave++;
    return ((size_t)1 << octave) + chance((uint64_t)1 << octave);
}

static void rise(uint64_t to, size_t (*size)(void))
{
    while (live < to)
        take(size());
}

static void fall(uint64_t to)
{
    while (live > to)
        drop(chance(count));
}

static void waves(void)
{
    static const uint64_t tops[] = {5300000, 5500000, 5100000, 5400000};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        rise(tops[i], mixed_size);
        fall(1500000);
    }
}

static size_t small_size(void)
{
    return 16 + 8 * chance(5);
}

static void small(void)
{
    rise(8000000, small_size);
    fall(2000000);
    rise(6000000, small_size);
    fall(1000000);
}

static size_t churned_size(void)
{
    return 16 + chance(497);
}

static void steady(void)
{
    rise(5500000, churned_size);
    for (int i = 0; i < 300000; i++) {
        drop(chance(count));
        take(churned_size());
    }
}

static size_t few_size(void)
{
    return 100 + chance(1901);
}

static void few(void)
{
    rise(1000000, few_size);
    fall(0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } shapes[] = {{"waves", waves}, {"small", small}, {"steady", steady}, {"few", few}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (argc > 1 && strcmp(argv[1], shapes[i].name) == 0) {
            shapes[i].run();
            printf("%llu %llu %llu %llu\n", (unsigned long long)bytes, (unsigned long long)objects,
                   (unsigned long long)live, (unsigned long long)peak);
            return 0;
        }
    fputs("usage: peaks waves|small|steady|few\n", stderr);
    return 2;
}
