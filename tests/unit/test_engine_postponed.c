/* Callbacks that wait for heaptap_thread_run_pending. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tap/engine/state.h"
#include "engine_log.h"

static void setup(struct fixture *f)
{
    fixture_init(f, &(struct heaptap_engine_options){.seed = 42, .postpone = true});
    fixture_start(f, 1);
}

static void teardown(struct fixture *f)
{
    heaptap_engine_release(&f->engine);
}

static void run(struct fixture *f)
{
    heaptap_thread_run_pending(&f->engine, &f->thread);
}

static void callbacks_wait(void **state)
{
    struct fixture f;
    setup(&f);
    assert_false(heaptap_thread_has_pending(&f.engine, &f.thread));
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x2000, 2, false);
    assert_log(&f.log, "");
    assert_true(heaptap_thread_has_pending(&f.engine, &f.thread));
    run(&f);
    assert_false(heaptap_thread_has_pending(&f.engine, &f.thread));
    assert_log(&f.log, "alloc_minor 1; alloc_major 2; ");
    heaptap_thread_move(&f.engine, &f.thread, 0x1000, 0x3000, true);
    fixture_free(&f, 0x2000);
    assert_true(heaptap_thread_has_pending(&f.engine, &f.thread));
    assert_log(&f.log, "");
    run(&f);
    assert_log(&f.log, "promote 1; dealloc_major 2; ");
    run(&f);
    assert_log(&f.log, "");
    teardown(&f);
}

static void a_whole_life_may_pass_before_the_first_callback(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    heaptap_thread_move(&f.engine, &f.thread, 0x1000, 0x2000, true);
    fixture_free(&f, 0x2000);
    fixture_allocate(&f, 0x1000, 2, true);
    fixture_free(&f, 0x1000);
    run(&f);
    assert_log(&f.log,
               "alloc_minor 1; promote 1; dealloc_major 1001; alloc_minor 2; dealloc_minor 2; ");
    assert_int_equal(fixture_counts(&f).tracked, 0);
    teardown(&f);
}

static void the_stack_is_that_of_the_allocation(void **state)
{
    struct fixture f;
    setup(&f);
    uint64_t stack[1000];
    f.log.inside = NULL;
    for (uint64_t i = 1; i <= 3000; i++) { /* more than one chunk of stacks */
        for (int frame = 0; frame < 50; frame++)
            stack[frame] = i * 100 + (uint64_t)frame;
        struct heaptap_block block = {
            .address = i * 16, .words = 1, .tag = i, .stack = stack, .stack_length = 50};
        heaptap_thread_allocate(&f.engine, &f.thread, &block);
        memset(stack, 0, sizeof stack);
    }
    f.log.length = sizeof f.log.text - 1; /* no text */
    run(&f);
    assert_int_equal(fixture_counts(&f).alloc_major, 3000);
    assert_null(f.thread.state->stacks->next); /* the memory of the others is given back */
    assert_int_equal(f.log.last.tag, 3000);
    assert_int_equal(f.log.last.stack_length, 50);
    for (uint64_t frame = 0; frame < 50; frame++)
        assert_int_equal(f.log.frames[frame], 300000 + frame);
    teardown(&f);
}

static void null_ends_the_tracking_later_too(void **state)
{
    struct fixture f;
    setup(&f);
    f.log.refuse_alloc = true;
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x2000, 2, false);
    fixture_allocate(&f, 0x3000, 3, false);
    fixture_free(&f, 0x2000);
    run(&f);
    fixture_free(&f, 0x3000);
    heaptap_thread_move(&f.engine, &f.thread, 0x1000, 0x4000, true);
    run(&f);
    assert_log(&f.log, "alloc_minor 1; alloc_major 2; alloc_major 3; ");
    assert_int_equal(fixture_counts(&f).tracked, 0);
    for (uint64_t address = 0x1000; address <= 0x4000; address += 0x1000)
        assert_false(heaptap_engine_may_track(&f.engine, address));
    teardown(&f);
}

static void stop_runs_what_is_postponed(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    run(&f);
    fixture_free(&f, 0x1000);
    fixture_allocate(&f, 0x2000, 2, false);
    assert_int_equal(heaptap_engine_stop(&f.engine, &f.thread, NULL), HEAPTAP_OK);
    assert_log(&f.log, "alloc_minor 1; alloc_major 2; dealloc_minor 1; ");
    fixture_free(&f, 0x2000);
    run(&f);
    assert_log(&f.log, "");
    assert_int_equal(fixture_counts(&f).tracked, 0);
    teardown(&f);
}

static void run_inside(struct log *log, struct heaptap_thread *thread)
{
    heaptap_thread_run_pending(log->engine, thread);
    heaptap_thread_free(log->engine, thread, 0x1000);
    log_add(log, "in; ");
}

static void a_callback_does_not_run_others(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, false);
    fixture_allocate(&f, 0x2000, 2, false);
    f.log.inside = run_inside;
    run(&f);
    assert_log(&f.log, "alloc_major 1; in; dealloc_major 1; in; alloc_major 2; in; ");
    teardown(&f);
}

static void allocations_are_told_by_their_own_thread(void **state)
{
    struct fixture f;
    struct heaptap_thread other = {0};
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, false);
    heaptap_thread_run_pending(&f.engine, &other);
    assert_false(heaptap_thread_has_pending(&f.engine, &other));
    heaptap_thread_free(&f.engine, &other, 0x1000);
    heaptap_thread_run_pending(&f.engine, &other);
    assert_log(&f.log, "");
    run(&f);
    assert_log(&f.log, "alloc_major 1; dealloc_major 1; ");
    fixture_allocate(&f, 0x1000, 2, false);
    run(&f);
    fixture_free(&f, 0x1000);
    assert_true(heaptap_thread_has_pending(&f.engine, &other));
    heaptap_thread_run_pending(&f.engine, &other); /* the other events by any */
    assert_log(&f.log, "alloc_major 2; dealloc_major 2; ");
    teardown(&f);
}

static void a_thread_that_ends_drops_its_allocations(void **state)
{
    struct fixture f;
    struct heaptap_thread other = {0};
    setup(&f);
    struct heaptap_block block = {.address = 0x1000, .words = 1, .tag = 1};
    heaptap_thread_allocate(&f.engine, &other, &block);
    heaptap_thread_retire(&f.engine, &other);
    heaptap_thread_retire(&f.engine, &other);
    assert_int_equal(fixture_counts(&f).tracked, 0);
    fixture_free(&f, 0x1000);
    run(&f);
    assert_log(&f.log, "");
    heaptap_thread_allocate(&f.engine, &other, &block); /* not sampled */
    fixture_allocate(&f, 0x2000, 2, false);
    run(&f);
    heaptap_thread_free(&f.engine, &other, 0x2000); /* but heard */
    run(&f);
    assert_log(&f.log, "alloc_major 2; dealloc_major 2; ");
    teardown(&f);
}

static void stop_by_another_drops_a_threads_allocations(void **state)
{
    struct fixture f;
    struct heaptap_thread other = {0};
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, false);
    assert_int_equal(heaptap_engine_stop(&f.engine, &other, NULL), HEAPTAP_OK);
    fixture_start(&f, 1);
    assert_false(heaptap_thread_has_pending(&f.engine, &f.thread));
    assert_int_equal(fixture_counts(&f).tracked, 0);
    fixture_allocate(&f, 0x1000, 2, false);
    run(&f);
    assert_log(&f.log, "alloc_major 2; ");
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_wait),
        cmocka_unit_test(a_whole_life_may_pass_before_the_first_callback),
        cmocka_unit_test(the_stack_is_that_of_the_allocation),
        cmocka_unit_test(null_ends_the_tracking_later_too),
        cmocka_unit_test(stop_runs_what_is_postponed),
        cmocka_unit_test(a_callback_does_not_run_others),
        cmocka_unit_test(allocations_are_told_by_their_own_thread),
        cmocka_unit_test(a_thread_that_ends_drops_its_allocations),
        cmocka_unit_test(stop_by_another_drops_a_threads_allocations),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
