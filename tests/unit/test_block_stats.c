
#include "run_tests.h"
#include "report/blocks/block_stats.h"

static const struct heaptap_trace_info info = {.sample_rate = 0.5, .word_bits = 64};

static void feed(struct block_stats *stats, enum heaptap_event_kind kind, uint64_t id,
                 int64_t time_us, uint64_t length, enum heaptap_source source)
{
    struct heaptap_event event = {.kind = kind,
                                  .id = id,
                                  .time_us = time_us,
                                  .length = length,
                                  .source = source,
                                  .samples = 2};
    assert_true(block_stats_add(stats, &event));
}

/* Four blocks: 0 dies in the minor heap; 1 is promoted and dies; 2 is allocated in the major heap
 * and stays; 3 stays in the minor heap. */
static void feed_story(struct block_stats *stats)
{
    feed(stats, HEAPTAP_ALLOC, 0, 100, 3, HEAPTAP_MINOR);
    feed(stats, HEAPTAP_ALLOC, 1, 110, 7, HEAPTAP_MINOR);
    feed(stats, HEAPTAP_COLLECT, 0, 120, 0, 0);
    feed(stats, HEAPTAP_ALLOC, 2, 130, 500, HEAPTAP_MAJOR);
    feed(stats, HEAPTAP_PROMOTE, 1, 150, 0, 0);
    feed(stats, HEAPTAP_ALLOC, 3, 160, 1, HEAPTAP_MINOR);
    feed(stats, HEAPTAP_COLLECT, 1, 190, 0, 0);
    feed(stats, HEAPTAP_ALLOC, 4, 200, 1, HEAPTAP_MINOR);
    assert_true(block_stats_finish(stats));
}

static void check_lifetimes(const struct lifetimes *lifetimes, const uint64_t *wanted, size_t count)
{
    uint64_t sum = 0, wanted_sum = 0;
    assert_int_equal(lifetimes->count, count);
    for (size_t i = 0; i < count; i++) {
        sum += lifetimes->values[i] * lifetimes->values[i];
        wanted_sum += wanted[i] * wanted[i];
    }
    assert_int_equal(sum, wanted_sum);
}

static void all_blocks(void **state)
{
    struct block_stats stats;
    block_stats_init(&stats, &info, false, false, false);
    feed_story(&stats);
    assert_int_equal(stats.ticks, 7);
    assert_int_equal(stats.sizes.count, 5);
    assert_int_equal(stats.survivors, 3);
    /* Ticks: 0 from 1 to 3, 1 from 2 to 6, 2 from 4 to 8, 3 from 5 to 8, 4 from 7 to 8. */
    check_lifetimes(&stats.in_events, (uint64_t[]){2, 4, 4, 3, 1}, 5);
    check_lifetimes(&stats.in_us, (uint64_t[]){20, 80, 70, 40, 0}, 5);
    block_stats_release(&stats);
}

static void major_only(void **state)
{
    struct block_stats stats;
    struct size_part whole;
    block_stats_init(&stats, &info, true, false, false);
    feed_story(&stats);
    assert_int_equal(stats.ticks, 3);
    assert_int_equal(stats.survivors, 1);
    /* Ticks: 2 from 1 to 4, 1 from 2 to 3; the last kept event is at 190. */
    check_lifetimes(&stats.in_events, (uint64_t[]){3, 1}, 2);
    check_lifetimes(&stats.in_us, (uint64_t[]){60, 40}, 2);
    assert_true(size_stats_whole(&stats.sizes, &whole));
    assert_true(whole.spread.mean == 253.5);
    block_stats_release(&stats);
}

static void estimated(void **state)
{
    struct block_stats stats;
    struct size_part whole;
    struct lifetime_figures figures;
    block_stats_init(&stats, &info, false, true, false);
    feed(&stats, HEAPTAP_ALLOC, 0, 0, 3, HEAPTAP_MINOR);  /* stands for 2 / (0.5 * 4) = 1 */
    feed(&stats, HEAPTAP_ALLOC, 1, 0, 15, HEAPTAP_MINOR); /* ... 2 / (0.5 * 16) = 0.25 */
    assert_true(block_stats_finish(&stats));
    assert_true(size_stats_whole(&stats.sizes, &whole));
    assert_int_equal(whole.blocks, 2);
    assert_true(whole.spread.count == 1.25);
    assert_true(whole.spread.mean == 5.4);
    assert_true(stats.survivor_weight == 1.25);
    assert_true(lifetimes_figures(&stats.in_events, &figures));
    assert_true(figures.bins[2] == 1 && figures.bins[1] == 0.25);
    block_stats_release(&stats);
}

static void clock_steps_back(void **state)
{
    struct block_stats stats;
    block_stats_init(&stats, &info, false, false, false);
    feed(&stats, HEAPTAP_ALLOC, 0, -5, 1, HEAPTAP_MINOR);
    feed(&stats, HEAPTAP_ALLOC, 1, 100, 1, HEAPTAP_MINOR);
    feed(&stats, HEAPTAP_COLLECT, 1, 50, 0, 0);
    feed(&stats, HEAPTAP_COLLECT, 0, 60, 0, 0);
    assert_true(block_stats_finish(&stats));
    check_lifetimes(&stats.in_us, (uint64_t[]){0, 105}, 2);
    block_stats_release(&stats);
}

static void blocks_that_never_were(void **state)
{
    struct block_stats stats;
    block_stats_init(&stats, &info, true, false, false);
    feed(&stats, HEAPTAP_PROMOTE, 9, 0, 0, 0);
    feed(&stats, HEAPTAP_COLLECT, 9, 0, 0, 0);
    feed(&stats, HEAPTAP_ALLOC, 1, 0, 1, HEAPTAP_EXTERNAL);
    feed(&stats, HEAPTAP_PROMOTE, 1, 0, 0, 0);
    assert_true(block_stats_finish(&stats));
    assert_int_equal(stats.unknown_promotions, 2);
    assert_int_equal(stats.unknown_collections, 1);
    assert_int_equal(stats.ticks, 1);
    block_stats_release(&stats);
}

int main(void)
{
    return RUN_TESTS(all_blocks, major_only, estimated, clock_steps_back, blocks_that_never_were);
}
