
#include "run_tests.h"

#include <math.h>
#include <stdlib.h>

#include "report/blocks/size_stats.h"

static void spread_of_a_textbook(void **state)
{
    static const struct weighted_value values[] = {{2, 1}, {4, 3}, {5, 2}, {7, 1}, {9, 1}, {99, 0}};
    struct spread spread = spread_of(values, 6);
    assert_true(spread.count == 8);
    assert_true(spread.mean == 5);
    assert_true(spread.variance == 4);
    assert_true(spread.standard_deviation == 2);
    assert_int_equal(spread.max, 9);
    spread = spread_of(values, 0);
    assert_true(spread.count == 0 && spread.mean == 0 && spread.variance == 0);
}

/* A sum in doubles would lose the small ones. */
static void spread_keeps_small_terms(void **state)
{
    enum { COUNT = 1001 };
    static struct weighted_value values[COUNT];
    for (int i = 0; i < COUNT - 1; i++)
        values[i] = (struct weighted_value){1000000000000 + (uint64_t)i % 2, 1};
    values[COUNT - 1] = (struct weighted_value){1000000000000, 1e15};
    struct spread spread = spread_of(values, COUNT);
    /* 500 values of 1e12 + 1 among n = 1e15 + 1000: p (1 - p), p = 500 / n. */
    double p = 500 / (1e15 + 1000);
    assert_true(fabs(spread.variance / (p * (1 - p)) - 1) < 1e-6);
}

static void parts(void **state)
{
    struct size_stats stats;
    struct size_part list[10], whole;
    size_t count;
    size_stats_init(&stats, NULL);
    for (uint64_t i = 0; i < 11; i++)
        assert_true(size_stats_add(&stats, i % 2 ? 300 : i, 1 + i));
    assert_true(size_stats_parts(&stats, 10, list, &count));
    assert_int_equal(count, 6); /* parts of ceil(11 / 10) = 2, and one of 1 */
    assert_int_equal(list[0].blocks, 2);
    assert_int_equal(list[5].blocks, 1);
    assert_true(list[0].spread.mean == 150);
    assert_true(list[1].spread.mean == 151);
    assert_true(list[5].spread.mean == 10 && list[5].spread.variance == 0);
    assert_true(list[0].large == 1 && list[5].large == 0);
    assert_true(size_stats_whole(&stats, &whole));
    assert_int_equal(whole.blocks, 11);
    assert_true(whole.large == 5);
    assert_int_equal(whole.spread.max, 300);
    size_stats_release(&stats);
}

static void by_size(void **state)
{
    struct size_stats stats;
    struct weighted_value *list;
    size_t count;
    struct estimate estimate = {.sample_rate = 0.5, .header_words = 1};
    size_stats_init(&stats, &estimate);
    assert_true(size_stats_add(&stats, 9, 2));
    assert_true(size_stats_add(&stats, 3, 1));
    assert_true(size_stats_add(&stats, 9, 1));
    assert_true(size_stats_add(&stats, 9, 2));
    assert_true(size_stats_by_size(&stats, &list, &count));
    assert_int_equal(count, 2);
    assert_int_equal(list[0].value, 3);
    assert_true(list[0].weight == 0.5); /* 1 / (0.5 * 4) */
    assert_int_equal(list[1].value, 9);
    assert_true(fabs(list[1].weight - 1) < 1e-15); /* (2 + 1 + 2) / (0.5 * 10) */
    free(list);
    size_stats_release(&stats);
}

static void nothing(void **state)
{
    struct size_stats stats;
    struct size_part list[3], whole;
    struct weighted_value *sizes;
    size_t count = 9;
    size_stats_init(&stats, NULL);
    assert_true(size_stats_whole(&stats, &whole));
    assert_true(whole.spread.count == 0);
    assert_true(size_stats_parts(&stats, 3, list, &count));
    assert_int_equal(count, 0);
    assert_true(size_stats_by_size(&stats, &sizes, &count));
    assert_int_equal(count, 0);
    free(sizes);
    size_stats_release(&stats);
}

int main(void)
{
    return RUN_TESTS(spread_of_a_textbook, spread_keeps_small_terms, parts, by_size, nothing);
}
