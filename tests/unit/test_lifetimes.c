
#include "run_tests.h"
#include "report/blocks/lifetimes.h"

static void bins(void **state)
{
    assert_int_equal(lifetimes_bin_of(0), 0);
    assert_int_equal(lifetimes_bin_of(31), 31);
    assert_int_equal(lifetimes_bin_of(32), 32);
    assert_int_equal(lifetimes_bin_of(63), 32);
    assert_int_equal(lifetimes_bin_of(64), 33);
    assert_int_equal(lifetimes_bin_of(UINT64_MAX), LIFETIMES_BINS - 1);
    for (unsigned i = 0; i < LIFETIMES_BINS; i++) {
        assert_int_equal(lifetimes_bin_of(lifetimes_bin_begin(i)), i);
        assert_int_equal(lifetimes_bin_of(lifetimes_bin_begin(i + 1) - 1), i);
    }
}

static struct lifetime_figures figures_of(const uint64_t *values, size_t count)
{
    struct lifetimes lifetimes = {0};
    struct lifetime_figures figures;
    for (size_t i = 0; i < count; i++)
        assert_true(lifetimes_add(&lifetimes, values[i], 1, false));
    assert_true(lifetimes_figures(&lifetimes, &figures));
    lifetimes_release(&lifetimes);
    return figures;
}

static void odd_number(void **state)
{
    struct lifetime_figures figures = figures_of((uint64_t[]){900000, 3, 40, 3, 70000}, 5);
    assert_true(figures.count == 5);
    assert_true(figures.median == 40);
    assert_true(figures.mean == 194009.2);
    assert_int_equal(figures.max, 900000);
    assert_true(figures.bins[3] == 2);
    assert_true(figures.bins[32] == 1);
}

static void even_number(void **state)
{
    struct lifetime_figures figures = figures_of((uint64_t[]){65536, 1, 65539, 70000}, 4);
    assert_true(figures.median == 65537.5);
    figures = figures_of((uint64_t[]){UINT64_MAX, UINT64_MAX}, 2);
    assert_true(figures.median == (double)UINT64_MAX);
}

static void none(void **state)
{
    struct lifetime_figures figures = figures_of(NULL, 0);
    assert_true(figures.count == 0 && figures.mean == 0 && figures.median == 0);
}

static void weighted(void **state)
{
    struct lifetimes lifetimes = {0};
    struct lifetime_figures figures;
    assert_true(lifetimes_add(&lifetimes, 10, 0.5, true));
    assert_true(lifetimes_add(&lifetimes, 2, 3, true));
    assert_true(lifetimes_add(&lifetimes, 100, 1.5, true));
    assert_true(lifetimes_figures(&lifetimes, &figures));
    assert_true(figures.count == 5);
    assert_true(figures.median == 2);
    assert_true(figures.mean == 161. / 5);
    assert_true(figures.bins[2] == 3);
    lifetimes_release(&lifetimes);
}

int main(void)
{
    return RUN_TESTS(bins, odd_number, even_number, none, weighted);
}
