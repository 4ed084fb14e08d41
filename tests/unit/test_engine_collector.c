/* Moves, collections and resets of regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_log.h"

static void setup(struct fixture *f)
{
    fixture_init(f, &(struct heaptap_engine_options){.seed = 42});
    fixture_start(f, 1);
}

static void teardown(struct fixture *f)
{
    heaptap_engine_release(&f->engine);
}

static void move(struct fixture *f, uint64_t from, uint64_t to, bool promoted)
{
    heaptap_thread_move(&f->engine, &f->thread, from, to, promoted);
}

static void a_move_keeps_the_generation(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x2000, 2, false);
    move(&f, 0x1000, 0x3000, false);
    move(&f, 0x2000, 0x1000, false);
    fixture_free(&f, 0x2000);
    fixture_free(&f, 0x3000);
    fixture_free(&f, 0x1000);
    assert_log(&f.log, "alloc_minor 1; alloc_major 2; dealloc_minor 1; dealloc_major 2; ");
    teardown(&f);
}

static void a_block_is_promoted_once(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x2000, 2, false);
    move(&f, 0x1000, 0x1000, true);
    move(&f, 0x1000, 0x3000, true);
    move(&f, 0x2000, 0x2000, true); /* is in the major heap already */
    assert_log(&f.log, "alloc_minor 1; alloc_major 2; promote 1; ");
    fixture_free(&f, 0x3000);
    assert_log(&f.log, "dealloc_major 1001; ");
    teardown(&f);
}

static void a_region_reset_ends_what_did_not_move_out(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x0ff0, 1, true);
    fixture_allocate(&f, 0x1000, 2, true);
    fixture_allocate(&f, 0x1010, 3, true);
    fixture_allocate(&f, 0x2000, 4, false);
    move(&f, 0x1010, 0x9000, true);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x1000, 0x2000);
    assert_log(
        &f.log,
        "alloc_minor 1; alloc_minor 2; alloc_minor 3; alloc_major 4; promote 3; dealloc_minor 2; ");
    assert_int_equal(fixture_counts(&f).tracked, 3);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x1000, 0x2000);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x3000, 0x2000);
    assert_log(&f.log, "");
    teardown(&f);
}

static void a_region_may_have_many_blocks(void **state)
{
    struct fixture f;
    enum { N = 50000 };
    setup(&f);
    for (uint64_t i = 0; i < N; i++)
        fixture_allocate(&f, 0x100000 + i * 16, i + 1, true);
    for (uint64_t i = 0; i < N; i += 10)
        move(&f, 0x100000 + i * 16, 0x8000000 + i * 16, true);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x100000, 0x100000 + N * 16);
    struct heaptap_engine_counts counts = fixture_counts(&f);
    assert_int_equal(counts.dealloc_minor, N - N / 10);
    assert_int_equal(counts.promote, N / 10);
    assert_int_equal(counts.tracked, N / 10);
    teardown(&f);
}

static void callbacks_wait_for_the_end_of_a_collection(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x1010, 2, true);
    fixture_allocate(&f, 0x9000, 3, false);
    assert_log(&f.log, "alloc_minor 1; alloc_minor 2; alloc_major 3; ");
    heaptap_thread_gc_begin(&f.engine, &f.thread);
    move(&f, 0x1000, 0x9010, true);
    fixture_free(&f, 0x9000);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x1000, 0x2000);
    fixture_allocate(&f, 0x9020, 4, false);
    heaptap_thread_run_pending(&f.engine, &f.thread);
    assert_log(&f.log, "");
    heaptap_thread_gc_end(&f.engine, &f.thread);
    assert_log(&f.log, "alloc_major 4; promote 1; dealloc_major 3; dealloc_minor 2; ");
    fixture_free(&f, 0x9010);
    assert_log(&f.log, "dealloc_major 1001; ");
    teardown(&f);
}

/* Sliding compaction: each block goes to where the one before it was; also a swap. */
static void blocks_may_move_to_where_others_are_yet_to_leave(void **state)
{
    struct fixture f;
    setup(&f);
    for (uint64_t i = 1; i <= 5; i++)
        fixture_allocate(&f, i * 0x1000, i, false);
    heaptap_thread_gc_begin(&f.engine, &f.thread);
    for (uint64_t i = 5; i >= 2; i--)
        move(&f, i * 0x1000, (i - 1) * 0x1000, false);
    move(&f, 0x1000, 0x5000, false);
    heaptap_thread_gc_end(&f.engine, &f.thread);
    f.log.text[0] = '\0', f.log.length = 0;
    for (uint64_t i = 1; i <= 5; i++)
        fixture_free(&f, i * 0x1000);
    assert_log(
        &f.log,
        "dealloc_major 2; dealloc_major 3; dealloc_major 4; dealloc_major 5; dealloc_major 1; ");
    assert_int_equal(fixture_counts(&f).tracked, 0);
    teardown(&f);
}

static void what_moves_within_a_reset_region_survives_in_a_collection(void **state)
{
    struct fixture f;
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    fixture_allocate(&f, 0x1010, 2, true);
    heaptap_thread_gc_begin(&f.engine, &f.thread);
    move(&f, 0x1010, 0x1000, false);
    heaptap_thread_region_reset(&f.engine, &f.thread, 0x1000, 0x2000);
    heaptap_thread_gc_end(&f.engine, &f.thread);
    assert_log(&f.log, "alloc_minor 1; alloc_minor 2; dealloc_minor 1; ");
    fixture_free(&f, 0x1000);
    assert_log(&f.log, "dealloc_minor 2; ");
    teardown(&f);
}

static void collections_wait_even_longer_when_callbacks_are_postponed(void **state)
{
    struct fixture f;
    fixture_init(&f, &(struct heaptap_engine_options){.postpone = true});
    fixture_start(&f, 1);
    fixture_allocate(&f, 0x1000, 1, true);
    heaptap_thread_gc_begin(&f.engine, &f.thread);
    move(&f, 0x1000, 0x9000, true);
    heaptap_thread_gc_end(&f.engine, &f.thread);
    assert_log(&f.log, "");
    heaptap_thread_run_pending(&f.engine, &f.thread);
    assert_log(&f.log, "alloc_minor 1; promote 1; ");
    teardown(&f);
}

static void a_promotion_refused_in_a_collection_ends_the_tracking(void **state)
{
    struct fixture f;
    setup(&f);
    f.log.refuse_promote = true;
    fixture_allocate(&f, 0x1000, 1, true);
    heaptap_thread_gc_begin(&f.engine, &f.thread);
    move(&f, 0x1000, 0x9000, true);
    heaptap_thread_gc_end(&f.engine, &f.thread);
    assert_int_equal(fixture_counts(&f).tracked, 0);
    fixture_free(&f, 0x9000);
    assert_log(&f.log, "alloc_minor 1; promote 1; ");
    teardown(&f);
}

static void a_thread_that_ends_ends_its_collection(void **state)
{
    struct fixture f;
    struct heaptap_thread other = {0};
    setup(&f);
    fixture_allocate(&f, 0x1000, 1, true);
    heaptap_thread_gc_begin(&f.engine, &other);
    heaptap_thread_move(&f.engine, &other, 0x1000, 0x9000, true);
    heaptap_thread_retire(&f.engine, &other);
    fixture_free(&f, 0x9000);
    assert_log(&f.log, "alloc_minor 1; promote 1; dealloc_major 1001; ");
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_keeps_the_generation),
        cmocka_unit_test(a_block_is_promoted_once),
        cmocka_unit_test(a_region_reset_ends_what_did_not_move_out),
        cmocka_unit_test(a_region_may_have_many_blocks),
        cmocka_unit_test(callbacks_wait_for_the_end_of_a_collection),
        cmocka_unit_test(blocks_may_move_to_where_others_are_yet_to_leave),
        cmocka_unit_test(what_moves_within_a_reset_region_survives_in_a_collection),
        cmocka_unit_test(collections_wait_even_longer_when_callbacks_are_postponed),
        cmocka_unit_test(a_promotion_refused_in_a_collection_ends_the_tracking),
        cmocka_unit_test(a_thread_that_ends_ends_its_collection),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
