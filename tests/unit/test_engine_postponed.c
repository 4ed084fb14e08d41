/* Callbacks that wait for heaptap_thread_run_pending. */
#include "run_tests.h"
#include "tap/engine/state.h"
#include "engine_log.h"

static int set_up(void **state)
{
    struct fixture *f =
        fixture_begin(state, &(struct heaptap_engine_options){.seed = 42, .postpone = true});
    fixture_start(f, 1);
    return 0;
}

static void run(struct fixture *f)
{
    heaptap_thread_run_pending(&f->engine, &f->thread);
}

static void callbacks_wait(void **state)
{
    struct fixture *f = *state;
    assert_false(heaptap_thread_has_pending(&f->engine, &f->thread));
    assert_told(f, "minor 1 0x1000; major 2 0x2000;", "");
    assert_true(heaptap_thread_has_pending(&f->engine, &f->thread));
    run(f);
    assert_false(heaptap_thread_has_pending(&f->engine, &f->thread));
    assert_log(&f->log, "alloc_minor 1; alloc_major 2; ");
    play(f, "promote 0x1000 0x3000; free 0x2000;");
    assert_true(heaptap_thread_has_pending(&f->engine, &f->thread));
    assert_log(&f->log, "");
    assert_told(f, "run;", "promote 1; dealloc_major 2; ");
    assert_told(f, "run;", "");
}

static void a_whole_life_may_pass_before_the_first_callback(void **state)
{
    struct fixture *f = *state;
    assert_told(f,
                "minor 1 0x1000; promote 0x1000 0x2000; free 0x2000; "
                "minor 2 0x1000; free 0x1000; run;",
                "alloc_minor 1; promote 1; dealloc_major 1001; alloc_minor 2; dealloc_minor 2; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
}

static void the_stack_is_that_of_the_allocation(void **state)
{
    struct fixture *f = *state;
    uint64_t stack[1000];
    f->log.inside = NULL;
    for (uint64_t i = 1; i <= 3000; i++) { /* more than one chunk of stacks */
        for (int frame = 0; frame < 50; frame++)
            stack[frame] = i * 100 + (uint64_t)frame;
        struct heaptap_block block = {
            .address = i * 16, .words = 1, .tag = i, .stack = stack, .stack_length = 50};
        heaptap_thread_allocate(&f->engine, &f->thread, &block);
        memset(stack, 0, sizeof stack);
    }
    f->log.length = sizeof f->log.text - 1; /* no text */
    run(f);
    assert_int_equal(fixture_counts(f).alloc_major, 3000);
    assert_null(f->thread.state->stacks->next); /* the memory of the others is given back */
    assert_int_equal(f->log.last.tag, 3000);
    assert_int_equal(f->log.last.stack_length, 50);
    for (uint64_t frame = 0; frame < 50; frame++)
        assert_int_equal(f->log.frames[frame], 300000 + frame);
}

static void null_ends_the_tracking_later_too(void **state)
{
    struct fixture *f = *state;
    f->log.refuse_alloc = true;
    assert_told(f,
                "minor 1 0x1000; major 2 0x2000; major 3 0x3000; free 0x2000; run; "
                "free 0x3000; promote 0x1000 0x4000; run;",
                "alloc_minor 1; alloc_major 2; alloc_major 3; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
    for (uint64_t address = 0x1000; address <= 0x4000; address += 0x1000)
        assert_false(heaptap_engine_may_track(&f->engine, address));
}

static void stop_runs_what_is_postponed(void **state)
{
    struct fixture *f = *state;
    play(f, "minor 1 0x1000; run; free 0x1000; major 2 0x2000;");
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    assert_log(&f->log, "alloc_minor 1; alloc_major 2; dealloc_minor 1; ");
    assert_told(f, "free 0x2000; run;", "");
    assert_int_equal(fixture_counts(f).tracked, 0);
}

static void run_inside(struct log *log, struct heaptap_thread *thread)
{
    heaptap_thread_run_pending(log->engine, thread);
    heaptap_thread_free(log->engine, thread, 0x1000);
    log_add(log, "in; ");
}

static void a_callback_does_not_run_others(void **state)
{
    struct fixture *f = *state;
    play(f, "major 1 0x1000; major 2 0x2000;");
    f->log.inside = run_inside;
    assert_told(f, "run;", "alloc_major 1; in; dealloc_major 1; in; alloc_major 2; in; ");
}

static void allocations_are_told_by_their_own_thread(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_allocate(f, 0x1000, 1, false);
    heaptap_thread_run_pending(&f->engine, &other);
    assert_false(heaptap_thread_has_pending(&f->engine, &other));
    heaptap_thread_free(&f->engine, &other, 0x1000);
    heaptap_thread_run_pending(&f->engine, &other);
    assert_log(&f->log, "");
    assert_told(f, "run;", "alloc_major 1; dealloc_major 1; ");
    play(f, "major 2 0x1000; run; free 0x1000;");
    assert_true(heaptap_thread_has_pending(&f->engine, &other));
    heaptap_thread_run_pending(&f->engine, &other); /* the other events by any */
    assert_log(&f->log, "alloc_major 2; dealloc_major 2; ");
}

static void a_thread_that_ends_drops_its_allocations(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    struct heaptap_block block = {.address = 0x1000, .words = 1, .tag = 1};
    heaptap_thread_allocate(&f->engine, &other, &block);
    heaptap_thread_retire(&f->engine, &other);
    heaptap_thread_retire(&f->engine, &other);
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_told(f, "free 0x1000; run;", "");
    heaptap_thread_allocate(&f->engine, &other, &block); /* not sampled */
    play(f, "major 2 0x2000; run;");
    heaptap_thread_free(&f->engine, &other, 0x2000); /* but heard */
    assert_told(f, "run;", "alloc_major 2; dealloc_major 2; ");
}

static void stop_by_another_drops_a_threads_allocations(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_allocate(f, 0x1000, 1, false);
    assert_int_equal(heaptap_engine_stop(&f->engine, &other, NULL), HEAPTAP_OK);
    fixture_start(f, 1);
    assert_false(heaptap_thread_has_pending(&f->engine, &f->thread));
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_told(f, "major 2 0x1000; run;", "alloc_major 2; ");
}

int main(void)
{
    return RUN_EACH_WITHIN(
        set_up, fixture_end, callbacks_wait, a_whole_life_may_pass_before_the_first_callback,
        the_stack_is_that_of_the_allocation, null_ends_the_tracking_later_too,
        stop_runs_what_is_postponed, a_callback_does_not_run_others,
        allocations_are_told_by_their_own_thread, a_thread_that_ends_drops_its_allocations,
        stop_by_another_drops_a_threads_allocations);
}
