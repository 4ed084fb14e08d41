/* The contract of heaptap/engine.h, sentence by sentence: the lives of blocks, callbacks, limits.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "tap/engine/state.h"
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

/* ---- The life of a block ---------------------------------------------------------- */

static void lives_of_blocks(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    assert_told(f, "minor 1 0x1000; free 0x1000;", "alloc_minor 1; dealloc_minor 1; ");
    assert_told(f, "major 2 0x1000; free 0x1000;", "alloc_major 2; dealloc_major 2; ");
    assert_told(f, "minor 3 0x1000; promote 0x1000 0x9000; free 0x1000; free 0x9000;",
                "alloc_minor 3; promote 3; dealloc_major 1003; ");
    struct heaptap_engine_counts counts = fixture_counts(f);
    assert_int_equal(counts.sampled_blocks, 3);
    assert_int_equal(counts.samples, 6);
    assert_int_equal(counts.tracked, 0);
    assert_int_equal(counts.alloc_minor, 2);
    assert_int_equal(counts.alloc_major, 1);
    assert_int_equal(counts.promote, 1);
    assert_int_equal(counts.dealloc_minor, 1);
    assert_int_equal(counts.dealloc_major, 2);
}

static void unknown_and_odd_addresses_are_ignored(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    for (uint64_t address = 0; address < 20; address++)
        heaptap_thread_freed(&f->engine, &f->thread, address);
    heaptap_thread_freed(&f->engine, &f->thread, UINT64_MAX);
    assert_told(f, "major 1 1;" /* no block is at 1 */, "");
    fixture_allocate(f, 2, 2, false);
    fixture_allocate(f, UINT64_MAX, 3, false);
    play(f, "free 2; free 2;");
    fixture_free(f, UINT64_MAX);
    assert_log(&f->log, "alloc_major 2; alloc_major 3; dealloc_major 2; dealloc_major 3; ");
}

static void an_end_that_escaped_is_told_when_the_address_comes_again(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    assert_told(f, "major 1 0x1000; major 2 0x1000; free 0x1000;",
                "alloc_major 1; alloc_major 2; dealloc_major 1; dealloc_major 2; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
}

static void null_from_alloc_ends_the_tracking(void **state)
{
    struct fixture *f = *state;
    f->log.refuse_alloc = true;
    fixture_start(f, 1);
    play(f, "minor 1 0x1000; major 2 0x2000;");
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_false(heaptap_engine_may_track(&f->engine, 0x1000));
    assert_told(f, "promote 0x1000 0x3000; free 0x2000; free 0x3000;",
                "alloc_minor 1; alloc_major 2; ");
}

static void null_from_promote_ends_the_tracking(void **state)
{
    struct fixture *f = *state;
    f->log.refuse_promote = true;
    fixture_start(f, 1);
    play(f, "minor 1 0x1000; promote 0x1000 0x2000;");
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_told(f, "move 0x2000 0x3000; free 0x2000; free 0x3000;", "alloc_minor 1; promote 1; ");
    assert_told(f, "major 4 0x3000; free 0x3000;", "alloc_major 4; dealloc_major 4; ");
}

static void callbacks_may_be_left_out(void **state)
{
    struct fixture *f = *state;
    f->tracker.dealloc_major = NULL;
    f->tracker.alloc_minor = NULL;
    fixture_start(f, 1);
    assert_told(f, "major 1 0x1000; free 0x1000; minor 2 0x2000; free 0x2000;", "alloc_major 1; ");
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_OK);
    f->tracker = log_tracker(&f->log);
    f->tracker.promote = NULL;
    fixture_start(f, 1);
    assert_told(f, "minor 1 0x1000; promote 0x1000 0x1000; free 0x1000;", "alloc_minor 1; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
}

/* ---- In callbacks ----------------------------------------------------------------- */

static void allocate_and_free_inside(struct log *log, struct heaptap_thread *thread)
{
    struct heaptap_block block = {.address = 0x5000, .words = 1000000, .size = 1, .tag = 99};
    heaptap_thread_allocate(log->engine, thread, &block);
    heaptap_thread_allocated(log->engine, thread, &block);
    heaptap_thread_free(log->engine, thread, 0x5000);
    heaptap_thread_run_pending(log->engine, thread);
    errno = ENOENT;
}

static void sampling_is_off_in_a_callback(void **state)
{
    struct fixture *f = *state;
    f->log.inside = allocate_and_free_inside;
    fixture_start(f, 1);
    errno = EDOM;
    play(f, "minor 1 0x1000; promote 0x1000 0x2000; free 0x2000;");
    assert_int_equal(errno, EDOM);
    assert_log(&f->log, "alloc_minor 1; promote 1; dealloc_major 1001; ");
    assert_told(f, "minor 2 0x1000;", "alloc_minor 2; ");
}

static void words_allocated_in_a_callback_do_not_count(void **state)
{
    struct fixture plain, busy;
    setup(&plain);
    setup(&busy);
    busy.log.inside = allocate_and_free_inside;
    fixture_start(&plain, 0.01);
    fixture_start(&busy, 0.01);
    for (uint64_t i = 1; i < 3000; i++) {
        fixture_allocate(&plain, i * 16, i, false);
        fixture_allocate(&busy, i * 16, i, false);
    }
    assert_string_equal(plain.log.text, busy.log.text);
    assert_true(fixture_counts(&plain).samples > 20);
    teardown(&plain);
    teardown(&busy);
}

static void free_both_inside(struct log *log, struct heaptap_thread *thread)
{
    log_add(log, "( ");
    heaptap_thread_free(log->engine, thread, 0x1000);
    heaptap_thread_free(log->engine, thread, 0x2000);
    log_add(log, ") ");
}

static void a_free_in_a_callback_is_told_afterwards(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    play(f, "major 1 0x1000; major 2 0x2000;");
    f->log.inside = free_both_inside;
    assert_told(f, "major 3 0x3000;",
                "alloc_major 1; alloc_major 2; alloc_major 3; ( ) dealloc_major 1; ( ) "
                "dealloc_major 2; ( ) ");
}

/* The block of the very callback: freed before its allocator has returned it. */
static void free_own_inside(struct log *log, struct heaptap_thread *thread)
{
    heaptap_thread_free(log->engine, thread, 0x1000);
}

static void a_block_may_end_in_its_own_callback(void **state)
{
    struct fixture *f = *state;
    f->log.inside = free_own_inside;
    fixture_start(f, 1);
    assert_told(f, "major 1 0x1000;", "alloc_major 1; dealloc_major 1; ");
    f->log.refuse_alloc = true;
    assert_told(f, "major 2 0x1000;", "alloc_major 2; ");
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_false(heaptap_engine_may_track(&f->engine, 0x1000));
}

static void control_inside(struct log *log, struct heaptap_thread *thread)
{
    struct heaptap_error error;
    assert_int_equal(heaptap_engine_stop(log->engine, thread, &error), HEAPTAP_BAD_STATE);
    assert_string_equal(error.message,
                        "sampling cannot be stopped in a callback or while suspended");
    assert_int_equal(heaptap_engine_start(log->engine, thread, 1, 0, &heaptap_null_tracker, &error),
                     HEAPTAP_BAD_STATE);
    assert_string_equal(error.message,
                        "sampling cannot be started in a callback or while suspended");
}

static void a_callback_can_neither_start_nor_stop(void **state)
{
    struct fixture *f = *state;
    f->log.inside = control_inside;
    fixture_start(f, 1);
    assert_told(f, "major 1 0x1000; free 0x1000;", "alloc_major 1; dealloc_major 1; ");
    assert_true(heaptap_engine_started(&f->engine));
}

static void suspend_and_resume_nest(void **state)
{
    struct fixture *f = *state;
    fixture_start(f, 1);
    fixture_allocate(f, 0x1000, 1, false);
    heaptap_thread_suspend(&f->engine, &f->thread);
    heaptap_thread_suspend(&f->engine, &f->thread);
    heaptap_thread_resume(&f->engine, &f->thread);
    play(f, "major 2 0x2000; free 0x1000;");
    assert_int_equal(heaptap_engine_stop(&f->engine, &f->thread, NULL), HEAPTAP_BAD_STATE);
    assert_log(&f->log, "alloc_major 1; ");
    errno = EXDEV;
    heaptap_thread_resume(&f->engine, &f->thread);
    assert_int_equal(errno, EXDEV);
    assert_log(&f->log, "dealloc_major 1; ");
    heaptap_thread_resume(&f->engine, &f->thread);
    assert_told(f, "major 3 0x2000;", "alloc_major 3; ");
}

/* ---- Threads that came before or are gone ----------------------------------------- */

/* A thread that was in the engine when another started does not use the profile that it knows. */
static void a_visitor_learns_of_a_newer_profile(void **state)
{
    struct fixture *f = *state;
    struct log old = {0};
    struct heaptap_tracker old_tracker = log_tracker(&old);
    struct heaptap_thread visitor = {0};
    assert_int_equal(heaptap_engine_start(&f->engine, &visitor, 1, 0, &old_tracker, NULL),
                     HEAPTAP_OK);
    assert_int_equal(heaptap_engine_stop(&f->engine, &visitor, NULL), HEAPTAP_OK);
    heaptap_thread_suspend(&f->engine, &visitor);
    fixture_start(f, 1);
    assert_told(f, "major 1 0x1000; gc_begin; free 0x1000;", "alloc_major 1; ");
    heaptap_thread_resume(&f->engine, &visitor);
    assert_log(&f->log, "dealloc_major 1; ");
    assert_log(&old, "");
}

static void a_retired_thread_still_frees(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_start(f, 1);
    struct heaptap_block block = {.address = 0x1000, .words = 1, .tag = 1};
    heaptap_thread_allocate(&f->engine, &other, &block);
    for (uint64_t i = 2; i < 10; i++)
        fixture_allocate(f, i * 0x1000, i, false);
    f->log.text[0] = '\0', f->log.length = 0;
    heaptap_thread_retire(&f->engine, &other);
    heaptap_thread_retire(&f->engine, &other);
    f->log.inside =
        free_both_inside; /* a callback is not entered twice by a retired thread either */
    heaptap_thread_free(&f->engine, &other, 0x9000);
    assert_log(&f->log, "dealloc_major 9; ( ) dealloc_major 1; ( ) dealloc_major 2; ( ) ");
    f->log.inside = NULL;
    block.address = 0x20000;
    block.words = 1000000;
    heaptap_thread_allocate(&f->engine, &other, &block);
    heaptap_thread_suspend(&f->engine, &other);
    heaptap_thread_resume(&f->engine, &other);
    heaptap_thread_rearm(&other);
    heaptap_thread_allocate(&f->engine, &other, &block);
    heaptap_thread_allocated(&f->engine, &other, &block);
    assert_log(&f->log, "");
}

static void a_thread_that_never_allocated_may_free(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_start(f, 1);
    fixture_allocate(f, 0x1000, 1, false);
    heaptap_thread_free(&f->engine, &other, 0x1000);
    assert_log(&f->log, "alloc_major 1; dealloc_major 1; ");
}

/* ---- realloc
 * -------------------------------------------------------------------------------------------------------
 */

static void forget_and_keep(void **state)
{
    struct fixture *f = *state;
    struct heaptap_forgotten forgotten;
    fixture_start(f, 1);
    fixture_allocate(f, 0x1000, 1, false);
    assert_true(heaptap_thread_forget(&f->engine, &f->thread, 0x1000, &forgotten));
    assert_told(f, "free 0x1000;" /* finds nothing */, "alloc_major 1; ");
    heaptap_thread_forget_keep(&f->engine, &f->thread, &forgotten);
    heaptap_thread_forget_keep(&f->engine, &f->thread, &forgotten);
    assert_told(f, "major 2 0x1000;", "dealloc_major 1; alloc_major 2; ");
    assert_false(heaptap_thread_forget(&f->engine, &f->thread, 0x4000, &forgotten));
    heaptap_thread_forget_keep(&f->engine, &f->thread, &forgotten);
    heaptap_thread_forget_undo(&f->engine, &f->thread, &forgotten);
}

static void forget_and_undo(void **state)
{
    struct fixture *f = *state;
    struct heaptap_forgotten forgotten;
    fixture_start(f, 1);
    for (uint64_t i = 1; i <= 2000; i++) /* several levels of the table */
        fixture_allocate(f, i * 16, i, false);
    f->log.text[0] = '\0', f->log.length = 0;
    for (uint64_t i = 1; i <= 2000; i++) {
        assert_true(heaptap_thread_forget(&f->engine, &f->thread, i * 16, &forgotten));
        heaptap_thread_forget_undo(&f->engine, &f->thread, &forgotten);
    }
    assert_log(&f->log, "");
    assert_int_equal(fixture_counts(f).tracked, 2000);
    fixture_free(f, 1999 * 16);
    assert_log(&f->log, "dealloc_major 1999; ");
}

/* ---- Limits
 * -----------------------------------------------------------------------------------------------------------
 */

static void drops_are_counted_and_not_spread(void **state)
{
    struct fixture f;
    fixture_init(&f, &(struct heaptap_engine_options){.max_tracked = 3});
    fixture_start(&f, 1);
    for (uint64_t i = 1; i <= 5; i++)
        fixture_allocate(&f, i * 16, i, false);
    struct heaptap_engine_counts counts = fixture_counts(&f);
    assert_int_equal(counts.tracked, 3);
    assert_int_equal(counts.dropped_blocks, 2);
    assert_int_equal(counts.dropped_samples, 4);
    assert_int_equal(counts.samples, 10);
    play(&f, "free 16; major 6 16;");
    assert_int_equal(f.log.last.n_samples, 2);
    assert_log(&f.log,
               "alloc_major 1; alloc_major 2; alloc_major 3; dealloc_major 1; alloc_major 6; ");
    teardown(&f);
}

static void hundreds_of_thousands_of_blocks_come_and_go(void **state)
{
    struct fixture *f = *state;
    enum { N = 300000 };
    fixture_start(f, 1);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 1; i <= N; i++)
            fixture_allocate(f, i * 48, i, false);
        assert_int_equal(fixture_counts(f).tracked, N);
        for (uint64_t i = 1; i <= N; i++)
            fixture_free(f, i * 48);
    }
    assert_int_equal(fixture_counts(f).tracked, 0);
    assert_int_equal(fixture_counts(f).dealloc_major, 2 * N);
    assert_int_equal(fixture_counts(f).dropped_blocks, 0);
}

/* Records go round when one thread allocates what another frees. */
static void records_are_used_again_by_other_threads(void **state)
{
    struct fixture *f = *state;
    struct heaptap_thread other = {0};
    fixture_start(f, 1);
    for (int round = 0; round < 20; round++) {
        for (uint64_t i = 1; i <= 2000; i++)
            fixture_allocate(f, i * 16, i, false);
        for (uint64_t i = 1; i <= 2000; i++)
            heaptap_thread_free(&f->engine, &other, i * 16);
    }
    int chunks = 0;
    for (struct record_chunk *i = f->engine.state->chunks; i; i = i->next)
        chunks++;
    assert_int_equal(fixture_counts(f).dealloc_major, 40000);
    assert_in_range(chunks, 3, 5); /* 682 records each */
}

/* In a process that gets no more memory: 0 if all is well, else the number of the check that
 * failed. */
static int without_memory(bool postpone)
{
    struct fixture f;
    struct heaptap_thread late = {0};
    struct heaptap_block block = {.address = 16, .words = 1};
    fixture_init(&f, &(struct heaptap_engine_options){.postpone = postpone, .seed = 1});
    fixture_start(&f, 1);
    fixture_allocate(&f, 8, 1, false);
    if (setrlimit(RLIMIT_AS, &(struct rlimit){0, 0}) != 0)
        return 1;
    for (uint64_t i = 1; i <= 2000; i++)
        fixture_allocate(&f, i * 16, i, false);
    struct heaptap_engine_counts before = fixture_counts(&f);
    if (before.dropped_blocks == 0 || before.dropped_samples != 2 * before.dropped_blocks ||
        before.tracked + before.dropped_blocks != 2001)
        return 2;
    for (uint64_t i = 1; i <= 2000; i++) /* closer together: more of them want one place */
        heaptap_thread_move(&f.engine, &f.thread, i * 16, 1000000 + i * 8, false);
    heaptap_thread_run_pending(&f.engine, &f.thread);
    struct heaptap_engine_counts after = fixture_counts(&f);
    if (after.lost_blocks == 0 || after.tracked + after.lost_blocks != before.tracked)
        return 3;
    if (after.alloc_major != (postpone ? after.tracked : before.tracked) ||
        after.dealloc_major != 0)
        return 4;
    heaptap_thread_allocate(&f.engine, &late, &block);
    if (fixture_counts(&f).dropped_blocks != before.dropped_blocks + 1)
        return 5;
    if (heaptap_engine_stop(&f.engine, &late, NULL) != HEAPTAP_NO_MEMORY ||
        heaptap_engine_stop(&f.engine, &f.thread, NULL) != HEAPTAP_OK ||
        fixture_counts(&f).tracked != 0)
        return 6;
    for (int i = 0; i < 1 << TABLE_FIRST_BITS; i++)
        if (f.engine.state->table.levels[0][i].overflow != 0)
            return 7;
    return 0;
}

/* Emulators give memory beyond the limit. */
static bool limits_hold(void)
{
    pid_t child = fork();
    int status;
    if (child == 0)
        _exit(setrlimit(RLIMIT_AS, &(struct rlimit){0, 0}) == 0 &&
              mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void want_of_memory_drops_and_counts(void **state)
{
    if (!limits_hold()) {
        print_message("# want of memory is not tested: limits don't hold here\n");
        return;
    }
    for (int postpone = 0; postpone < 2; postpone++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(without_memory(postpone));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
    return RUN_EACH_WITHIN(
        set_up, fixture_end, lives_of_blocks, unknown_and_odd_addresses_are_ignored,
        an_end_that_escaped_is_told_when_the_address_comes_again, null_from_alloc_ends_the_tracking,
        null_from_promote_ends_the_tracking, callbacks_may_be_left_out,
        sampling_is_off_in_a_callback, words_allocated_in_a_callback_do_not_count,
        a_free_in_a_callback_is_told_afterwards, a_block_may_end_in_its_own_callback,
        a_callback_can_neither_start_nor_stop, suspend_and_resume_nest,
        a_visitor_learns_of_a_newer_profile, a_retired_thread_still_frees,
        a_thread_that_never_allocated_may_free, forget_and_keep, forget_and_undo,
        drops_are_counted_and_not_spread, hundreds_of_thousands_of_blocks_come_and_go,
        records_are_used_again_by_other_threads, want_of_memory_drops_and_counts);
}
