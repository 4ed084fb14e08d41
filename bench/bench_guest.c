/* What the embedding API costs, in nanoseconds: each figure is the best of several runs.
 *
 *     build/bench/bench_guest FOLDER        results go into the folder, which can be removed
 * afterwards */
#include <stdio.h>
#include <time.h>

#include "heaptap/guest.h"

enum { BLOCKS = 1000000, SPACING = 48, RUNS = 7, DEPTH = 500 };

static struct heaptap_guest heap;
static struct heaptap_guest_thread calls;
static uint32_t type, line;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *block(uint64_t i)
{
    return (void *)(uintptr_t)(0x10000000 + i * SPACING);
}

static void kept(void)
{
    for (uint64_t i = 0; i < BLOCKS; i++)
        heaptap_guest_alloc(&heap, &calls, block(i), SPACING, type, line);
}

static void ended(void)
{
    for (uint64_t i = 0; i < BLOCKS; i++)
        heaptap_guest_free(&heap, block(i));
}

static void pairs(void)
{
    for (uint64_t i = 0; i < BLOCKS; i++) {
        heaptap_guest_alloc(&heap, &calls, block(i & 1023), SPACING, type, line);
        heaptap_guest_free(&heap, block(i & 1023));
    }
}

static double best(void (*body)(void), void (*after)(void))
{
    double least = 1e18;
    for (int run = 0; run < RUNS; run++) {
        double begun = now_ns();
        body();
        double spent = now_ns() - begun;
        least = spent < least ? spent : least;
        if (after)
            after();
    }
    return least / BLOCKS;
}

static void begin(const char *folder, double rate, bool stacks)
{
    struct heaptap_error error;
    struct heaptap_guest_options options = {.alignment = 16};
    struct heaptap_guest_request request = {
        .directory = folder, .rate = rate, .stacks = stacks, .seed = 1};
    if (heaptap_guest_start(&heap, "Bench", &options, &request, &error) != HEAPTAP_OK)
        fprintf(stderr, "bench_guest: %s\n", error.message);
    type = heaptap_guest_type(&heap, "list");
    line = heaptap_guest_location(&heap, "bench.x", "main", 1);
    for (uint32_t i = 0; i < DEPTH; i++)
        heaptap_guest_push(&calls, heaptap_guest_location(&heap, "bench.x", "down", i));
}

static void end(void)
{
    heaptap_guest_cut(&calls, 0);
    heaptap_guest_stop(&heap);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "/tmp";
    begin(folder, 1, false);
    printf("a block that is kept, its location given   %6.1f ns\n", best(kept, ended));
    printf("a block and its end                        %6.1f ns\n", best(pairs, NULL));
    end();
    begin(folder, 1, true);
    printf("... with stacks, 500 calls deep            %6.1f ns\n", best(pairs, NULL));
    end();
    begin(folder, 1e-3, false);
    printf("... at --rate 0.001                        %6.1f ns\n", best(pairs, NULL));
    end();
}
