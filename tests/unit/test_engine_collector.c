/* Moves, collections and resets of regions. */
#include "run_tests.h"
#include "engine_log.h"

static int set_up(void **state)
{
    struct fixture *f = fixture_begin(state, &(struct heaptap_engine_options){.seed = 42});
    fixture_start(f, 1);
    return 0;
}

static void move(struct fixture *f, uint64_t from, uint64_t to, bool promoted)
{
    heaptap_thread_move(&f->engine, &f->thread, from, to, promoted);
}

static void a_move_keeps_the_generation(void **state)
{
    struct fixture *f = *state;
    assert_told(f,
                "minor 1 0x1000; major 2 0x2000; move 0x1000 0x3000; "
                "move 0x2000 0x1000; free 0x2000; free 0x3000; free 0x1000;",
                "alloc_minor 1; alloc_major 2; dealloc_minor 1; dealloc_major 2; ");
}

static void a_block_is_promoted_once(void **state)
{
    struct fixture *f = *state;
    assert_told(f,
                "minor 1 0x1000; major 2 0x2000; promote 0x1000 0x1000; "
                "promote 0x1000 0x3000; promote 0x2000 0x2000;" /* is in the major heap already */,
                "alloc_minor 1; alloc_major 2; promote 1; ");
    assert_told(f, "free 0x3000;", "dealloc_major 1001; ");
}

static void a_region_reset_ends_what_did_not_move_out(void **state)
{
    struct fixture *f = *state;
    assert_told(
        f,
        "minor 1 0x0ff0; minor 2 0x1000; minor 3 0x1010; major 4 0x2000; "
        "promote 0x1010 0x9000; reset 0x1000 0x2000;",
        "alloc_minor 1; alloc_minor 2; alloc_minor 3; alloc_major 4; promote 3; dealloc_minor 2; ");
    assert_int_equal(fixture_counts(f).tracked, 3);
    assert_told(f, "reset 0x1000 0x2000; reset 0x3000 0x2000;", "");
}

static void a_region_may_have_many_blocks(void **state)
{
    struct fixture *f = *state;
    enum { N = 50000 };
    for (uint64_t i = 0; i < N; i++)
        fixture_allocate(f, 0x100000 + i * 16, i + 1, true);
    for (uint64_t i = 0; i < N; i += 10)
        move(f, 0x100000 + i * 16, 0x8000000 + i * 16, true);
    heaptap_thread_region_reset(&f->engine, &f->thread, 0x100000, 0x100000 + N * 16);
    struct heaptap_engine_counts counts = fixture_counts(f);
    assert_int_equal(counts.dealloc_minor, N - N / 10);
    assert_int_equal(counts.promote, N / 10);
    assert_int_equal(counts.tracked, N / 10);
}

static void callbacks_wait_for_the_end_of_a_collection(void **state)
{
    struct fixture *f = *state;
    assert_told(f, "minor 1 0x1000; minor 2 0x1010; major 3 0x9000;",
                "alloc_minor 1; alloc_minor 2; alloc_major 3; ");
    assert_told(f,
                "gc_begin; promote 0x1000 0x9010; free 0x9000; "
                "reset 0x1000 0x2000; major 4 0x9020; run;",
                "");
    assert_told(f, "gc_end;", "alloc_major 4; promote 1; dealloc_major 3; dealloc_minor 2; ");
    assert_told(f, "free 0x9010;", "dealloc_major 1001; ");
}

/* Sliding compaction: each block goes to where the one before it was; also a swap. */
static void blocks_may_move_to_where_others_are_yet_to_leave(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 1; i <= 5; i++)
        fixture_allocate(f, i * 0x1000, i, false);
    heaptap_thread_gc_begin(&f->engine, &f->thread);
    for (uint64_t i = 5; i >= 2; i--)
        move(f, i * 0x1000, (i - 1) * 0x1000, false);
    play(f, "move 0x1000 0x5000; gc_end;");
    f->log.text[0] = '\0', f->log.length = 0;
    for (uint64_t i = 1; i <= 5; i++)
        fixture_free(f, i * 0x1000);
    assert_log(
        &f->log,
        "dealloc_major 2; dealloc_major 3; dealloc_major 4; dealloc_major 5; dealloc_major 1; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
}

static void what_moves_within_a_reset_region_survives_in_a_collection(void **state)
{
    struct fixture *f = *state;
    assert_told(f,
                "minor 1 0x1000; minor 2 0x1010; gc_begin; move 0x1010 0x1000; "
                "reset 0x1000 0x2000; gc_end;",
                "alloc_minor 1; alloc_minor 2; dealloc_minor 1; ");
    assert_told(f, "free 0x1000;", "dealloc_minor 2; ");
}

static void collections_wait_even_longer_when_callbacks_are_postponed(void **state)
{
    struct fixture f;
    fixture_init(&f, &(struct heaptap_engine_options){.postpone = true});
    fixture_start(&f, 1);
    assert_told(&f, "minor 1 0x1000; gc_begin; promote 0x1000 0x9000; gc_end;", "");
    assert_told(&f, "run;", "alloc_minor 1; promote 1; ");
    teardown(&f);
}

static void a_promotion_refused_in_a_collection_ends_the_tracking(void **state)
{
    struct fixture *f = *state;
    f->log.refuse_promote = true;
    play(f, "minor 1 0x1000; gc_begin; promote 0x1000 0x9000; gc_end;");
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_told(f, "free 0x9000;", "alloc_minor 1; promote 1; ");
}

static void a_thread_that_ends_ends_its_collection(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_allocate(f, 0x1000, 1, true);
    heaptap_thread_gc_begin(&f->engine, &other);
    heaptap_thread_move(&f->engine, &other, 0x1000, 0x9000, true);
    heaptap_thread_retire(&f->engine, &other);
    assert_told(f, "free 0x9000;", "alloc_minor 1; promote 1; dealloc_major 1001; ");
}

int main(void)
{
    return RUN_EACH_WITHIN(set_up, fixture_end, a_move_keeps_the_generation,
                           a_block_is_promoted_once, a_region_reset_ends_what_did_not_move_out,
                           a_region_may_have_many_blocks,
                           callbacks_wait_for_the_end_of_a_collection,
                           blocks_may_move_to_where_others_are_yet_to_leave,
                           what_moves_within_a_reset_region_survives_in_a_collection,
                           collections_wait_even_longer_when_callbacks_are_postponed,
                           a_promotion_refused_in_a_collection_ends_the_tracking,
                           a_thread_that_ends_ends_its_collection);
}
