/* What the engine costs, in nanoseconds: unsampled allocations and frees, gaps, sampled lives. Each
 * figure is the best of several runs, less the empty loop; figures of one run can be compared with
 * each other. */
#include <stdio.h>
#include <time.h>

#include "tap/engine/sampler.h"
#include "heaptap/engine.h"

static struct heaptap_engine engine;
static __thread struct heaptap_thread self __attribute__((tls_model("initial-exec")));
enum { LIVE = 1024 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Keeps the compiler from knowing `x`. */
static inline uint64_t opaque(uint64_t x)
{
    __asm__ volatile("" : "+r"(x)::"memory");
    return x;
}

static void empty(int n)
{
    for (int i = 0; i < n; i++)
        opaque((uint64_t)i * 48);
}

static void tick(int n)
{
    for (int i = 0; i < n; i++)
        if (heaptap_thread_tick(&self, opaque(6))) {
            struct heaptap_block block = {.address = 0x1000, .words = 6};
            heaptap_thread_allocated(&engine, &self, &block);
        }
}

static void free_unsampled(int n)
{
    for (int i = 0; i < n; i++)
        heaptap_thread_free(&engine, &self, opaque(0x7f0000000000 + (uint64_t)i * 48));
}

static void gaps(int n)
{
    static struct sampler sampler;
    sampler_seed(&sampler, 1, 0);
    sampler_set_rate(&sampler, 1e-4);
    for (int i = 0; i < n; i++)
        opaque(sampler_gap(&sampler));
}

static void binomials(int n)
{
    struct generator generator;
    generator_seed(&generator, 1, 0);
    for (int i = 0; i < n; i++)
        opaque(binomial_draw(&generator, (uint64_t)1 << 40, 1e-4));
}

static void sampled(int n)
{
    for (int i = 0; i < n; i++) {
        struct heaptap_block block = {.address = opaque(0x10000 + (uint64_t)(i % 512) * 64),
                                      .words = 6};
        heaptap_thread_allocate(&engine, &self, &block);
        heaptap_thread_free(&engine, &self, block.address);
    }
}

static void *keep(void *context, struct heaptap_thread *thread, const struct heaptap_sample *sample)
{
    return context;
}

/* Best time of one call of `run`, per round. */
static double measure(void (*run)(int n), int n)
{
    double best = 1e30;
    for (int i = 0; i < 7; i++) {
        double start = now_ns();
        run(n);
        double time = (now_ns() - start) / n;
        if (time < best)
            best = time;
    }
    return best;
}

static int start(double rate, const struct heaptap_tracker *tracker)
{
    return heaptap_engine_start(&engine, &self, rate, 16, tracker, NULL) != HEAPTAP_OK;
}

static int stop(void)
{
    return heaptap_engine_stop(&engine, &self, NULL) != HEAPTAP_OK;
}

int main(void)
{
    struct heaptap_tracker keeping = {.alloc_major = keep, .context = &engine};
    struct heaptap_engine_options options = {.seed = 1};
    if (heaptap_engine_init(&engine, &options, NULL) || start(1e-9, &keeping))
        return 1;
    printf("%-44s %8.2f ns\n", "empty loop", measure(empty, 20000000));
    printf("%-44s %8.2f ns\n", "allocate, unsampled", measure(tick, 20000000));
    printf("%-44s %8.2f ns\n", "free, nothing tracked", measure(free_unsampled, 20000000));
    if (stop() || start(1, &keeping))
        return 1;
    for (uint64_t i = 0; i < LIVE; i++) {
        struct heaptap_block block = {.address = 0x10000 + i * 4096, .words = 1};
        heaptap_thread_allocate(&engine, &self, &block);
    }
    printf("%-44s %8.2f ns\n", "free, unsampled, 1024 blocks tracked",
           measure(free_unsampled, 20000000));
    if (stop() || start(1e-4, &heaptap_null_tracker))
        return 1;
    printf("%-44s %8.2f ns\n", "allocate at rate 1e-4, 6 words, null tracker",
           measure(tick, 20000000));
    printf("%-44s %8.2f ns\n", "gap", measure(gaps, 2000000));
    printf("%-44s %8.2f ns\n", "binomial of 2^40 words at 1e-4", measure(binomials, 200000));
    if (stop() || start(1, &heaptap_null_tracker))
        return 1;
    printf("%-44s %8.2f ns\n", "sampled allocate + free, null tracker", measure(sampled, 500000));
    if (stop() || start(1, &keeping))
        return 1;
    printf("%-44s %8.2f ns\n", "sampled allocate + free, tracked", measure(sampled, 500000));
    heaptap_engine_release(&engine);
    return 0;
}
