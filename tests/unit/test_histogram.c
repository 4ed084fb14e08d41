
#include "run_tests.h"
#include "report/blocks/histogram.h"

static void equal_bins(void **state)
{
    struct histogram histogram;
    histogram_init_linear(&histogram, 32, 256, 14);
    assert_int_equal(histogram.count, 14);
    histogram_add(&histogram, 31, 1);
    histogram_add(&histogram, 32, 1);
    histogram_add(&histogram, 47, 2);
    histogram_add(&histogram, 48, 4);
    histogram_add(&histogram, 255, 8);
    histogram_add(&histogram, 256, 16);
    assert_true(histogram.weights[0] == 3);
    assert_true(histogram.weights[1] == 4);
    assert_true(histogram.weights[13] == 8);
    assert_true(histogram.total == 15);
}

static void octaves(void **state)
{
    static const double edges[] = {256, 512, 1024, 2048, 4096, 8192, 10000};
    struct histogram histogram;
    histogram_init_octaves(&histogram, 256, 10000, 1);
    assert_int_equal(histogram.count, 6);
    for (int i = 0; i < 7; i++)
        assert_true(histogram.edges[i] == edges[i]);
    histogram_init_octaves(&histogram, 10000, 30000, 1);
    assert_int_equal(histogram.count, 2);
    assert_true(histogram.edges[1] == 16384);
    histogram_init_octaves(&histogram, 0.5, 4, 2);
    assert_int_equal(histogram.count, 6);
    assert_true(histogram.edges[2] == 1);
}

static void no_range_no_bins(void **state)
{
    struct histogram histogram;
    histogram_init_octaves(&histogram, 10000, 1, 4);
    histogram_add(&histogram, 5, 1);
    assert_int_equal(histogram.count, 0);
}

int main(void)
{
    return RUN_TESTS(equal_bins, octaves, no_range_no_bins);
}
