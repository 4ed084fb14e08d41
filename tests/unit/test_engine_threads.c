/* Threads that allocate and free for each other, and one that starts and stops meanwhile.
 *
 * Addresses come from a pool that the threads share, as malloc's do: one is pushed back after its
 * end was told, and can be another thread's block at once. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "run_tests.h"
#include "heaptap/engine.h"

enum { THREADS = 8, ROUNDS = 20000, SLOTS = 512, STATES_MAX = 1 << 22 };

static struct heaptap_engine engine;
static __thread struct heaptap_thread self __attribute__((tls_model("initial-exec")));

/* A ring of blocks in flight: put by one thread, taken and freed by any. */
static uint64_t exchange[SLOTS];

/* What the tracker knows of each tag: that the callbacks come in order, once each. */
enum { NEW = 0, ALLOCATED = 1, PROMOTED = 2, DEAD = 3 };
static uint8_t *lives;
static uint64_t next_tag, faults, allocs, promotes, deallocs, minor_deaths;

static void step(uint64_t tag, uint8_t from, uint8_t to)
{
    if (!__atomic_compare_exchange_n(&lives[tag], &from, to, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
}

static void *on_alloc(void *context, struct heaptap_thread *thread,
                      const struct heaptap_sample *sample)
{
    if (thread != &self)
        __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
    step(sample->tag, NEW, ALLOCATED);
    __atomic_fetch_add(&allocs, 1, __ATOMIC_RELAXED);
    return (void *)(uintptr_t)sample->tag;
}

static void *on_promote(void *context, struct heaptap_thread *thread, void *minor)
{
    step((uintptr_t)minor, ALLOCATED, PROMOTED);
    __atomic_fetch_add(&promotes, 1, __ATOMIC_RELAXED);
    return minor;
}

static void on_dealloc_minor(void *context, struct heaptap_thread *thread, void *minor)
{
    step((uintptr_t)minor, ALLOCATED, DEAD);
    __atomic_fetch_add(&deallocs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&minor_deaths, 1, __ATOMIC_RELAXED);
}

static void on_dealloc_major(void *context, struct heaptap_thread *thread, void *major)
{
    step((uintptr_t)major, PROMOTED, DEAD);
    __atomic_fetch_add(&deallocs, 1, __ATOMIC_RELAXED);
}

static const struct heaptap_tracker tracker = {on_alloc,         on_alloc,         on_promote,
                                               on_dealloc_minor, on_dealloc_major, NULL};

/* A toy heap of 16384 addresses, each free or taken. */
enum { ADDRESSES = 16384 };
static uint8_t taken[ADDRESSES];

static uint64_t heap_allocate(uint32_t *random)
{
    for (;;) {
        *random = *random * 1664525 + 1013904223;
        uint32_t i = *random >> 18;
        if (!__atomic_exchange_n(&taken[i], 1, __ATOMIC_ACQUIRE))
            return 0x100000 + (uint64_t)i * 16;
    }
}

static void heap_free(uint64_t address)
{
    heaptap_thread_free(&engine, &self, address);
    __atomic_store_n(&taken[(address - 0x100000) / 16], 0, __ATOMIC_RELEASE);
}

static uint64_t heap_move(uint64_t address, uint32_t *random)
{
    uint64_t to = heap_allocate(random);
    heaptap_thread_move(&engine, &self, address, to, true);
    __atomic_store_n(&taken[(address - 0x100000) / 16], 0, __ATOMIC_RELEASE);
    return to;
}

static void *churn(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument * 77777 + 1;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t address = heap_allocate(&random);
        struct heaptap_block block = {.address = address,
                                      .words = 1 + (random >> 28),
                                      .tag = __atomic_add_fetch(&next_tag, 1, __ATOMIC_RELAXED),
                                      .minor = true};
        heaptap_thread_allocate(&engine, &self, &block);
        uint64_t old =
            __atomic_exchange_n(&exchange[(random >> 8) % SLOTS], address, __ATOMIC_ACQ_REL);
        if (!old)
            continue;
        struct heaptap_forgotten forgotten;
        if (random % 16 == 0) {
            heaptap_thread_forget(&engine, &self, old, &forgotten);
            heaptap_thread_forget_undo(&engine, &self, &forgotten);
        }
        if (random % 4 < 2)
            old = heap_move(old, &random);
        heap_free(old);
        if (i % 64 == 0)
            heaptap_thread_run_pending(&engine, &self);
    }
    heaptap_thread_run_pending(&engine, &self);
    heaptap_thread_retire(&engine, &self);
    return NULL;
}

static void prepare(bool postpone)
{
    static uint8_t storage[STATES_MAX];
    lives = storage;
    memset(storage, 0, sizeof storage);
    memset(taken, 0, sizeof taken);
    memset(exchange, 0, sizeof exchange);
    memset(&self, 0, sizeof self);
    next_tag = faults = allocs = promotes = deallocs = minor_deaths = 0;
    struct heaptap_engine_options options = {.postpone = postpone, .seed = 5};
    assert_int_equal(heaptap_engine_init(&engine, &options, NULL), HEAPTAP_OK);
}

static void run_threads(pthread_t *threads)
{
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
}

static void everything_is_accounted_for(bool postpone, double rate)
{
    pthread_t threads[THREADS];
    prepare(postpone);
    assert_int_equal(heaptap_engine_start(&engine, &self, rate, 8, &tracker, NULL), HEAPTAP_OK);
    run_threads(threads);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        if (exchange[i])
            heap_free(exchange[i]);
    heaptap_thread_run_pending(&engine, &self);
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(&engine, &counts);
    assert_int_equal(faults, 0);
    assert_int_equal(counts.dropped_blocks, 0);
    assert_int_equal(counts.tracked, 0);
    assert_int_equal(counts.sampled_blocks, allocs);
    assert_int_equal(counts.alloc_minor, allocs);
    assert_int_equal(counts.promote, promotes);
    assert_int_equal(allocs, deallocs);
    assert_int_equal(promotes, deallocs - minor_deaths);
    if (rate == 1)
        assert_int_equal(allocs, THREADS * ROUNDS);
    else
        assert_true(allocs > 100 && allocs < THREADS * ROUNDS / 2);
    for (int i = 0; i < HEAPTAP_FILTER_SLOTS; i++)
        assert_int_equal(engine.filter[i], 0);
    heaptap_engine_release(&engine);
}

static void at_rate_one(void **state)
{
    everything_is_accounted_for(false, 1);
}

static void at_a_low_rate(void **state)
{
    everything_is_accounted_for(false, 0.005);
}

static void with_callbacks_postponed(void **state)
{
    everything_is_accounted_for(true, 1);
}

static void starts_and_stops_meanwhile(void **state)
{
    pthread_t threads[THREADS];
    prepare(false);
    run_threads(threads);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(heaptap_engine_start(&engine, &self, i % 2 ? 0.5 : 1, 8, &tracker, NULL),
                         HEAPTAP_OK);
        sched_yield();
        assert_int_equal(heaptap_engine_stop(&engine, &self, NULL), HEAPTAP_OK);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        if (exchange[i])
            heap_free(exchange[i]);
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(&engine, &counts);
    assert_int_equal(faults, 0);
    assert_int_equal(counts.tracked, 0);
    heaptap_engine_release(&engine);
}

/* Threads that come and go use the same few states again. */
static void *one_sample(void *argument)
{
    struct heaptap_block block = {
        .address = 0x1000, .words = 1, .tag = ++*(uint64_t *)argument, .minor = true};
    heaptap_thread_allocate(&engine, &self, &block);
    heaptap_thread_free(&engine, &self, 0x1000);
    heaptap_thread_retire(&engine, &self);
    return NULL;
}

static void threads_come_and_go(void **state)
{
    prepare(false);
    assert_int_equal(heaptap_engine_start(&engine, &self, 1, 0, &tracker, NULL), HEAPTAP_OK);
    uint64_t tag = 0;
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, one_sample, &tag), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(allocs, 300);
    assert_int_equal(deallocs, 300);
    assert_int_equal(faults, 0);
    heaptap_engine_release(&engine);
}

int main(void)
{
    return RUN_TESTS(at_rate_one, at_a_low_rate, with_callbacks_postponed,
                     starts_and_stops_meanwhile, threads_come_and_go);
}
