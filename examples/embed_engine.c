/* Embedding the engine in an allocator, from heaptap/engine.h alone: a bump arena that counts
 * bytes, so that the rate is per byte, and a tracker that adds up what is live.  The stack is the
 * one code that the caller gives. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <heaptap/engine.h>

static struct heaptap_engine engine;
static __thread struct heaptap_thread self;
static char arena[1 << 20];
static size_t used;
static const double rate = 1e-3;
static uint64_t live[2], peak; /* samples: by site, and together */

static void *on_alloc(void *context, struct heaptap_thread *thread,
                      const struct heaptap_sample *sample)
{
    uint64_t site = sample->stack[0];
    live[site] += sample->n_samples;
    if (live[0] + live[1] > peak)
        peak = live[0] + live[1];
    return (void *)(uintptr_t)(sample->n_samples * 2 + site +
                               1); /* what on_dealloc needs to know; not NULL */
}

static void on_dealloc(void *context, struct heaptap_thread *thread, void *metadata)
{
    uint64_t word = (uintptr_t)metadata - 1;
    live[word % 2] -= word / 2;
}

static void *arena_allocate(size_t size, uint64_t site)
{
    void *memory = used + size <= sizeof arena ? arena + used : NULL;
    used += memory ? size : 0;
    struct heaptap_block block = {.address = (uintptr_t)memory,
                                  .words = size,
                                  .size = size,
                                  .stack = &site,
                                  .stack_length = 1};
    heaptap_thread_allocate(&engine, &self, &block);
    return memory;
}

static void arena_free_all(void)
{
    heaptap_thread_region_reset(&engine, &self, (uintptr_t)arena, (uintptr_t)arena + sizeof arena);
    used = 0;
}

int main(void)
{
    struct heaptap_engine_options options = {.seed = 1};
    struct heaptap_tracker tracker = {.alloc_major = on_alloc, .dealloc_major = on_dealloc};
    struct heaptap_error error;
    if (heaptap_engine_init(&engine, &options, &error) ||
        heaptap_engine_start(&engine, &self, rate, 1, &tracker, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    for (int request = 0; request < 100; request++) {
        for (int i = 0; i < 500; i++)
            if (!arena_allocate(1024, 0) || !arena_allocate(512, 1))
                return EXIT_FAILURE;
        arena_free_all();
    }
    printf("peak: about %.0f bytes of %d\n", (double)peak / rate, 500 * (1024 + 512));
    printf("left: %" PRIu64 " samples\n", live[0] + live[1]);
    heaptap_engine_release(&engine);
    return live[0] + live[1] == 0 && peak > 600 && peak < 1000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
