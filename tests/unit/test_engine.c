/* The contract of heaptap/engine.h, sentence by sentence: start and stop, and what is sampled. */
#include <math.h>

#include "run_tests.h"
#include "engine_log.h"

static void setup(struct fixture *f)
{
    fixture_init(f, &(struct heaptap_engine_options){.seed = 42});
}

static int set_up(void **state)
{
    fixture_begin(state, &(struct heaptap_engine_options){.seed = 42});
    return 0;
}

/* ---- start and stop --------------------------------------------------------------- */

static enum heaptap_status try_start(struct fixture *f, double rate, int64_t size,
                                     struct heaptap_error *error)
{
    return heaptap_engine_start(&f->engine, &f->thread, rate, size, &f->tracker, error);
}

static void start_rejects_bad_arguments(void **state)
{
    struct fixture *f = *state;
    struct heaptap_error error;
    assert_int_equal(try_start(f, -0.1, 0, &error), HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, "the sampling rate must be between 0 and 1");
    assert_int_equal(error.status, HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(try_start(f, 1.0001, 0, NULL), HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(try_start(f, NAN, 0, NULL), HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(try_start(f, 0.5, -1, &error), HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, "the callstack size must not be negative");
    assert_int_equal(heaptap_engine_start(&f->engine, &f->thread, 0.5, 0, NULL, &error),
                     HEAPTAP_BAD_ARGUMENT);
    assert_false(heaptap_engine_started(&f->engine));
    assert_int_equal(try_start(f, 0, 0, NULL), HEAPTAP_OK);
    assert_true(heaptap_engine_started(&f->engine));
}

static void start_fails_when_started(void **state)
{
    struct fixture *f = *state;
    struct heaptap_error error;
    fixture_start(f, 1);
    assert_int_equal(try_start(f, 0.5, 3, &error), HEAPTAP_BAD_STATE);
    assert_string_equal(error.message, "sampling is started already");
    assert_true(heaptap_engine_rate(&f->engine) == 1);
    assert_int_equal(heaptap_engine_callstack_size(&f->engine), 64);
}

static void stop_fails_when_not_started(void **state)
{
    struct fixture *f = *state;
    struct heaptap_error error;
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, &error), HEAPTAP_BAD_STATE);
    assert_string_equal(error.message, "sampling is not started");
    fixture_start(f, 1);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, &error), HEAPTAP_OK);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, &error), HEAPTAP_BAD_STATE);
}

static void an_engine_not_initialised_does_nothing(void **state)
{
    static struct fixture f;
    struct heaptap_error error;
    f.tracker = log_tracker(&f.log);
    play(&f, "major 1 0x1000; free 0x1000; promote 0x1000 0x2000;");
    heaptap_thread_region_reset(&f.engine, &f.thread, 0, UINT64_MAX);
    heaptap_thread_run_pending(&f.engine, &f.thread);
    heaptap_engine_after_fork_child(&f.engine, &f.thread);
    assert_false(heaptap_thread_has_pending(&f.engine, &f.thread));
    assert_int_equal(try_start(&f, 1, 0, &error), HEAPTAP_BAD_STATE);
    assert_int_equal(heaptap_engine_stop(&f.engine, &f.thread, &error), HEAPTAP_BAD_STATE);
    assert_int_equal(fixture_counts(&f).samples, 0);
    /* It may be initialised later; the thread then notices within its idle words. */
    assert_int_equal(heaptap_engine_init(&f.engine, NULL, NULL), HEAPTAP_OK);
    fixture_start(&f, 1);
    assert_told(&f, "major 1 0x1000;", "alloc_major 1; ");
    teardown(&f);
}

static void starting_again_takes_the_new_profile(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1e-9);
    fixture_allocate(f, 0x1000, 1, false);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    assert_int_equal(try_start(f, 1, INT64_MAX, NULL), HEAPTAP_OK);
    assert_true(heaptap_engine_rate(&f->engine) == 1);
    assert_int_equal(heaptap_engine_callstack_size(&f->engine), HEAPTAP_CALLSTACK_MAX);
    assert_told(f, "major 2 0x2000;", "alloc_major 2; ");
}

static void stop_drops_what_is_tracked(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    for (uint64_t i = 1; i <= 20000; i++)
        fixture_allocate(f, i * 16, i, false);
    assert_int_equal(fixture_counts(f).tracked, 20000);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_int_equal(fixture_counts(f).dealloc_major, 0);
    for (uint64_t address = 16; address <= 20000 * 16; address += 16)
        assert_false(heaptap_engine_may_track(&f->engine, address));
    f->log.text[0] = '\0', f->log.length = 0;
    fixture_start(f, 1);
    assert_told(f, "free 16; major 5 16; free 16;", "alloc_major 5; dealloc_major 5; ");
}

static void after_stop_nothing_is_sampled(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    for (uint64_t i = 1; i < 10000; i++)
        fixture_allocate(f, i * 16, i, false);
    assert_log(&f->log, "");
}

/* ---- Other threads notice --------------------------------------------------------- */

static uint64_t words_until_sampled(struct fixture *f, struct heaptap_thread *thread)
{
    struct heaptap_block block = {.address = 0x1000, .words = 1, .tag = 1};
    uint64_t words = 0, before = fixture_counts(f).samples;
    while (fixture_counts(f).samples == before && words < 100000) {
        heaptap_thread_allocate(&f->engine, thread, &block);
        words++;
    }
    return words;
}

static void an_idle_thread_notices_a_start(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread idle = {0}, rearmed = {0}, fresh = {0};
    f->tracker = heaptap_null_tracker;
    struct heaptap_block block = {.address = 0x1000, .words = 1};
    heaptap_thread_allocate(&f->engine, &idle, &block);
    heaptap_thread_allocate(&f->engine, &rearmed, &block);
    fixture_start(f, 1);
    assert_in_range(words_until_sampled(f, &idle), 1000, 4097);
    heaptap_thread_rearm(&rearmed);
    assert_int_equal(words_until_sampled(f, &rearmed), 1);
    assert_int_equal(words_until_sampled(f, &fresh), 1);
}

static void a_thread_in_a_long_gap_notices_another_profile(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    f->tracker = heaptap_null_tracker;
    fixture_start(f, 1e-12);
    struct heaptap_block block = {.address = 0x1000, .words = 1};
    heaptap_thread_allocate(&f->engine, &other, &block);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    fixture_start(f, 1);
    assert_in_range(words_until_sampled(f, &other), 1, 65537);
    assert_int_equal(words_until_sampled(f, &other), 1);
}

/* A thread that is rearmed keeps its gap: the blocks sampled are the same. */
static void rearming_does_not_bias(void **state)
{
    struct fixture plain, rearmed;
    setup(&plain);
    setup(&rearmed);
    fixture_start(&plain, 0.01);
    fixture_start(&rearmed, 0.01);
    for (uint64_t i = 1; i < 3000; i++) {
        fixture_allocate(&plain, i * 16, i, false);
        heaptap_thread_rearm(&rearmed.thread);
        fixture_allocate(&rearmed, i * 16, i, false);
    }
    assert_string_equal(plain.log.text, rearmed.log.text);
    assert_true(plain.log.length > 100);
    teardown(&plain);
    teardown(&rearmed);
}

/* ---- What an allocation tells ----------------------------------------------------- */

static void a_sample_tells_what_was_given(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    const uint64_t stack[] = {11, 22, 33};
    struct heaptap_block block = {.address = 0x1000,
                                  .words = 9,
                                  .size = 8,
                                  .tag = 77,
                                  .unmarshalled = true,
                                  .stack = stack,
                                  .stack_length = 3};
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    assert_int_equal(f->log.last.n_samples, 9);
    assert_int_equal(f->log.last.size, 8);
    assert_int_equal(f->log.last.tag, 77);
    assert_true(f->log.last.unmarshalled);
    assert_int_equal(f->log.last.stack_length, 3);
    assert_memory_equal(f->log.frames, stack, sizeof stack);
    assert_int_equal(f->log.last.stack_shared, -1);
    assert_log(&f->log, "alloc_major 77; ");
}

static void stacks_are_cut_to_the_callstack_size(void **state)
{
    struct fixture *f = *state;
    const uint64_t stack[] = {11, 22, 33};
    struct heaptap_block block = {.address = 0x1000, .words = 1, .stack = stack, .stack_length = 3};
    assert_int_equal(try_start(f, 1, 2, NULL), HEAPTAP_OK);
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    assert_int_equal(f->log.last.stack_length, 2);
    assert_int_equal(f->log.frames[0], 11);
    assert_int_equal(f->log.frames[1], 22);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    assert_int_equal(try_start(f, 1, 0, NULL), HEAPTAP_OK);
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    assert_int_equal(f->log.last.stack_length, 0);
}

static size_t count_down(void *context, struct heaptap_thread *thread, const void *hint,
                         uint64_t *frames, size_t max, int64_t *shared)
{
    int *calls = context;
    (*calls)++;
    assert_int_equal(*shared, -1);
    *shared = 2;
    size_t length = (size_t) * (const int *)hint;
    for (size_t i = 0; i < length && i < max; i++)
        frames[i] = 100 - i;
    return length;
}

static void the_capture_function_takes_the_stack(void **state)
{
    struct fixture f;
    int calls = 0, depth = 5;
    fixture_init(
        &f, &(struct heaptap_engine_options){.capture = count_down, .capture_context = &calls});
    fixture_start(&f, 1);
    struct heaptap_block block = {.address = 0x1000, .words = 1, .hint = &depth};
    heaptap_thread_allocate(&f.engine, &f.thread, &block);
    assert_int_equal(calls, 1);
    assert_int_equal(f.log.last.stack_length, 5);
    assert_int_equal(f.log.frames[0], 100);
    assert_int_equal(f.log.frames[4], 96);
    assert_int_equal(f.log.last.stack_shared, 2);
    depth = 1000; /* says more than it may */
    block.address = 0x2000;
    heaptap_thread_allocate(&f.engine, &f.thread, &block);
    assert_int_equal(f.log.last.stack_length, 64);
    const uint64_t given[] = {1};
    block =
        (struct heaptap_block){.address = 0x3000, .words = 1, .stack = given, .stack_length = 1};
    heaptap_thread_allocate(&f.engine, &f.thread, &block);
    assert_int_equal(calls, 2);
    assert_int_equal(f.log.last.stack_length, 1);
    teardown(&f);
}

static void the_null_tracker_tracks_nothing_but_counts(void **state)
{
    struct fixture f;
    int calls = 0;
    fixture_init(
        &f, &(struct heaptap_engine_options){.capture = count_down, .capture_context = &calls});
    f.tracker = heaptap_null_tracker;
    fixture_start(&f, 1);
    play(&f, "minor 1 0x1000; major 2 0x2000;");
    struct heaptap_engine_counts counts = fixture_counts(&f);
    assert_int_equal(calls, 0);
    assert_int_equal(counts.samples, 4);
    assert_int_equal(counts.tracked, 0);
    assert_int_equal(counts.dropped_blocks, 0);
    assert_int_equal(counts.alloc_minor + counts.alloc_major, 0);
    teardown(&f);
}

static void a_zero_word_block_is_never_sampled(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    struct heaptap_block block = {.address = 0x1000, .words = 0};
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    assert_log(&f->log, "");
}

static void a_failed_allocation_is_not_sampled(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    assert_told(f, "major 1 0;", "");
    assert_true(heaptap_thread_tick(&f->thread, UINT64_MAX)); /* malloc(SIZE_MAX), which fails */
    assert_true(heaptap_thread_tick(&f->thread, (uint64_t)3 << 62));
    assert_told(f, "major 2 0x1000;", "alloc_major 2; ");
}

static void huge_blocks_take_no_time(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 0.25);
    struct heaptap_block block = {.address = 0x1000, .words = (uint64_t)1 << 40, .size = 1};
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    double mean = 0x1p38, sigma = sqrt(0x1p40 * 0.25 * 0.75);
    assert_true(fabs((double)f->log.last.n_samples - mean) < 5 * sigma);
}

static void a_fixed_seed_repeats_a_run(void **state)
{
    struct fixture f;
    uint64_t first[20], n = 0;
    for (int run = 0; run < 2; run++) {
        setup(&f);
        fixture_start(&f, 0.01);
        n = 0;
        for (uint64_t i = 1; n < 20; i++) {
            fixture_allocate(&f, i * 16, i, false);
            if (f.log.last.tag != i)
                continue;
            if (run == 0)
                first[n] = i;
            assert_int_equal(first[n++], i);
        }
        teardown(&f);
    }
    static const uint64_t expected[] = {5,   34,  38,  44,  63,  105, 167, 240, 270, 525,
                                        529, 545, 562, 577, 630, 638, 654, 698, 714, 720};
    assert_memory_equal(first, expected, sizeof expected);
}

/* 16 words at rate 2^-4 each: mean 1 sample, and (15/16)^16 of the blocks without any. */
static void the_engine_samples_at_the_rate(void **state)
{
    struct fixture *f = *state;
    f->tracker = heaptap_null_tracker;
    fixture_start(f, 1.0 / 16);
    struct heaptap_block block = {.address = 0x1000, .words = 16, .size = 15};
    const int n = 1000000;
    for (int i = 0; i < n; i++)
        heaptap_thread_allocate(&f->engine, &f->thread, &block);
    struct heaptap_engine_counts counts = fixture_counts(f);
    double hit = 1 - pow(15.0 / 16, 16);
    assert_true(fabs((double)counts.samples - n) < 5 * sqrt(n * 15.0 / 16));
    assert_true(fabs((double)counts.sampled_blocks - n * hit) < 5 * sqrt(n * hit * (1 - hit)));
    assert_int_equal(counts.dropped_samples, 0);
}

static void long_gaps_are_served_in_pieces(void **state)
{
    struct fixture *f = *state;
    f->tracker = heaptap_null_tracker;
    fixture_start(f, 1e-7);
    struct heaptap_block block = {.address = 0x1000, .words = 1000};
    const int n = 3000000;
    for (int i = 0; i < n; i++)
        heaptap_thread_allocate(&f->engine, &f->thread, &block);
    assert_true(fabs((double)fixture_counts(f).samples - 300) < 5 * sqrt(300));
}

static void rate_zero_samples_nothing(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 0);
    struct heaptap_block block = {.address = 0x1000, .words = (uint64_t)1 << 50};
    heaptap_thread_allocate(&f->engine, &f->thread, &block);
    for (uint64_t i = 1; i < 100000; i++)
        fixture_allocate(f, i * 16, i, false);
    assert_log(&f->log, "");
    assert_int_equal(fixture_counts(f).samples, 0);
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
}

int main(void)
{
    return RUN_EACH_WITHIN(
        set_up, fixture_end, start_rejects_bad_arguments, start_fails_when_started,
        stop_fails_when_not_started, an_engine_not_initialised_does_nothing,
        starting_again_takes_the_new_profile, stop_drops_what_is_tracked,
        after_stop_nothing_is_sampled, an_idle_thread_notices_a_start,
        a_thread_in_a_long_gap_notices_another_profile, rearming_does_not_bias,
        a_sample_tells_what_was_given, stacks_are_cut_to_the_callstack_size,
        the_capture_function_takes_the_stack, the_null_tracker_tracks_nothing_but_counts,
        a_zero_word_block_is_never_sampled, a_failed_allocation_is_not_sampled,
        huge_blocks_take_no_time, a_fixed_seed_repeats_a_run, the_engine_samples_at_the_rate,
        long_gaps_are_served_in_pieces, rate_zero_samples_nothing);
}
