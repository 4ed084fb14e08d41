/* The sampler against its mathematics: fixed seeds, so that each statistic is one number, and
 * bounds of five standard errors, which a right sampler passes with any seed but one in a million
 * and a biased one does not. */
#include <math.h>
#include <stdlib.h>

#include "run_tests.h"
#include "tap/engine/logarithm.h"
#include "tap/engine/sampler.h"

static const double sigmas = 5;

/* Fails unless `value` is within `error` of `expected`. */
static void assert_near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.12g is not within %.3g of %.12g", value, error, expected);
}

static struct sampler make_sampler(double rate, uint64_t seed)
{
    struct sampler sampler = {0};
    sampler_seed(&sampler, seed, 0);
    sampler_set_rate(&sampler, rate);
    return sampler;
}

/* ---- Elementary functions --------------------------------------------------------- */

static void worst_log(double x, double *worst)
{
    long double exact = logl((long double)x);
    if (exact == 0) {
        assert_true(natural_log(x) == 0);
        return;
    }
    double error = (double)fabsl((natural_log(x) - exact) / exact);
    if (error > *worst)
        *worst = error;
}

static void log_keeps_its_error_bound(void **state)
{
    struct generator generator;
    generator_seed(&generator, 1, 0);
    double worst = 0;
    for (int i = 0; i < 200000; i++) {
        double u = generator_uniform(&generator);
        worst_log(u, &worst);
        worst_log(1 - u * 1e-3, &worst);
        worst_log(1 + u * 1e-9, &worst);
        worst_log(ldexp(u, (int)(generator_next(&generator) % 1900) - 960), &worst);
    }
    worst_log(sqrt(0.5), &worst);
    worst_log(nextafter(sqrt(0.5), 0), &worst);
    worst_log(0x1p-53, &worst);
    worst_log(1 - 0x1p-53, &worst);
    if (worst > 0x1p-51)
        fail_msg("relative error %g", worst);
    assert_true(natural_log(1) == 0);
}

static void log_1m_keeps_its_error_bound(void **state)
{
    struct generator generator;
    generator_seed(&generator, 2, 0);
    for (int i = 0; i < 200000; i++) {
        double x = generator_uniform(&generator);
        if (i % 2)
            x = ldexp(x, -(int)(generator_next(&generator) % 100));
        long double exact = log1pl(-(long double)x);
        assert_near(natural_log_1m(x), (double)exact, (double)-exact * 0x1p-50);
    }
}

static void square_root_is_close(void **state)
{
    for (double x = 1e-9; x < 1e15; x *= 1.37)
        assert_near(square_root(x), sqrt(x), sqrt(x) * 0x1p-51);
}

/* ---- Generators ------------------------------------------------------------------- */

static void generator_is_xoshiro256plusplus(void **state)
{
    struct generator generator = {{1, 2, 3, 4}};
    assert_true(generator_next(&generator) == 41943041u);
    assert_true(generator_next(&generator) == 58720359u);
    assert_true(generator_next(&generator) == 3588806011781223u);
}

static void uniform_stays_inside(void **state)
{
    struct generator generator;
    generator_seed(&generator, 3, 0);
    double sum = 0, squares = 0;
    const int n = 1000000;
    for (int i = 0; i < n; i++) {
        double u = generator_uniform(&generator);
        assert_true(u > 0 && u < 1);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
    }
    assert_near(sum / n, 0.5, sigmas * sqrt(1 / 12.0 / n));
    assert_near(squares / n, 1 / 12.0, sigmas * sqrt(1 / 180.0 / n));
}

static void uniform_reaches_neither_end(void **state)
{
    struct generator zeros = {{0, 1, 0, 0}}, ones = {{0, 1, 0, UINT64_MAX}};
    assert_true(generator_uniform(&zeros) == 0x1p-53);
    assert_true(generator_uniform(&ones) == 1 - 0x1p-53);
}

static void streams_differ(void **state)
{
    struct sampler a = make_sampler(1e-3, 7), b = {0}, c = make_sampler(1e-3, 8),
                   d = make_sampler(1e-3, 7);
    sampler_seed(&b, 7, 1);
    sampler_set_rate(&b, 1e-3);
    int same_stream = 0, same_seed = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t gap = sampler_gap(&a);
        same_stream += gap == sampler_gap(&b);
        same_seed += gap == sampler_gap(&c);
        assert_true(gap == sampler_gap(&d));
    }
    assert_true(same_stream < 10 && same_seed < 10);
}

static void surroundings_give_other_seeds(void **state)
{
    assert_true(seed_of_surroundings(1) != seed_of_surroundings(2));
}

/* ---- Gaps ------------------------------------------------------------------------- */

static void gaps_repeat_under_a_seed(void **state)
{
    static const uint64_t expected[8] = {844, 5848, 669, 1169, 3834, 8423, 12307, 14639};
    struct sampler sampler = make_sampler(1e-4, 42);
    for (int i = 0; i < 8; i++)
        assert_int_equal(sampler_gap(&sampler), expected[i]);
}

/* Mean and variance of the gap: (1 - r) / r and (1 - r) / r^2; the fourth central moment of a
 * geometric variate is (1 - r)(9 (1 - r) + r^2) / r^4, which gives the error of the variance. */
static void moments_at(double rate, int n)
{
    struct sampler sampler = make_sampler(rate, 11);
    double q = 1 - rate, mean = q / rate, variance = q / (rate * rate);
    double fourth = q * (9 * q + rate * rate) / pow(rate, 4);
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double gap = (double)sampler_gap(&sampler);
        sum += gap - mean;
        squares += (gap - mean) * (gap - mean);
    }
    assert_near(sum / n, 0, sigmas * sqrt(variance / n));
    assert_near(squares / n, variance, sigmas * sqrt((fourth - variance * variance) / n));
}

static void gap_moments_at_all_rates(void **state)
{
    static const double rates[] = {1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1,
                                   0.3,  0.5,  0.7,  0.9,  0.99, 0.9999};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        moments_at(rates[i], 400000);
}

/* Chi-square of the gap's distribution: 50 cells of nearly equal probability at low rates, fewer
 * where a single value has much of it. */
static void chi_square_at(double rate)
{
    enum { CELLS = 50 };
    uint64_t limits[CELLS], counts[CELLS] = {0};
    double below[CELLS + 1] = {0};
    int cells = 0, n = 200000;
    for (int i = 1; i <= CELLS; i++) {
        double target = (double)i / CELLS;
        uint64_t limit = i == CELLS ? UINT64_MAX : (uint64_t)(log1p(-target) / log1p(-rate)) + 1;
        if (cells > 0 && limit <= limits[cells - 1])
            continue;
        double probability = i == CELLS ? 1 : -expm1((double)limit * log1p(-rate));
        if (i < CELLS && (1 - probability) * n < 50)
            continue;
        limits[cells] = limit;
        below[++cells] = probability;
    }
    struct sampler sampler = make_sampler(rate, 13);
    for (int i = 0; i < n; i++) {
        uint64_t gap = sampler_gap(&sampler);
        int cell = 0;
        while (gap >= limits[cell])
            cell++;
        counts[cell]++;
    }
    double chi = 0, degrees = cells - 1;
    for (int i = 0; i < cells; i++) {
        double expected = n * (below[i + 1] - below[i]);
        chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    if (degrees > 0)
        assert_near(chi, degrees, sigmas * sqrt(2 * degrees) + 5);
}

static void gap_distribution_at_all_rates(void **state)
{
    static const double rates[] = {1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        chi_square_at(rates[i]);
}

static void rate_one_has_no_gaps(void **state)
{
    struct sampler sampler = make_sampler(1, 5);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(sampler_gap(&sampler), 0);
}

static void tiny_rates_are_cut(void **state)
{
    static const double rates[] = {1e-25, 1e-300, 5e-324};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct sampler sampler = make_sampler(rates[i], 5);
        for (int j = 0; j < 1000; j++)
            assert_true(sampler_gap(&sampler) <= SAMPLER_GAP_MAX);
    }
}

/* ---- Binomial variates ------------------------------------------------------------ */

static void log_probability_is_right(void **state)
{
    static const double cases[][3] = {{10, 0.3, 4},     {1000, 0.01, 17},  {1000, 0.5, 480},
                                      {40, 0.25, 0},    {40, 0.25, 40},    {20, 0.5, 19},
                                      {1e5, 1e-3, 130}, {1e5, 0.4, 39000}, {200, 0.45, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double n = cases[i][0], p = cases[i][1], k = cases[i][2];
        long double exact = lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1) + k * logl(p) +
                            (n - k) * log1pl(-(long double)p);
        assert_near(binomial_log_probability(n, p, k), (double)exact,
                    1e-11 * (1 + fabs((double)exact)));
    }
}

static void binomial_moments_at(uint64_t n, double p, int draws)
{
    struct generator generator;
    generator_seed(&generator, 17, n);
    double mean = (double)n * p, variance = mean * (1 - p), sum = 0, squares = 0;
    for (int i = 0; i < draws; i++) {
        uint64_t k = binomial_draw(&generator, n, p);
        assert_true(k <= n);
        sum += (double)k - mean;
        squares += ((double)k - mean) * ((double)k - mean);
    }
    double fourth = variance * variance * 3 + variance * (1 - 6 * p * (1 - p));
    assert_near(sum / draws, 0, sigmas * sqrt(variance / draws));
    assert_near(squares / draws, variance, sigmas * sqrt((fourth - variance * variance) / draws));
}

static void binomial_moments(void **state)
{
    static const double rates[] = {1e-9, 1e-5, 0.001, 0.1, 0.5, 0.8, 0.999, 1 - 1e-9};
    for (uint64_t n = 10; n <= (uint64_t)1 << 42; n = n * 7 + 3)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
            binomial_moments_at(n, rates[i], 5000);
    binomial_moments_at((uint64_t)1 << 40, 0.3, 200000);
    binomial_moments_at((uint64_t)1 << 40, 1e-9, 200000);
}

/* Chi-square against the exact probabilities, of the rejection algorithm in particular. */
static void binomial_distribution_at(uint64_t n, double p)
{
    enum { MOST = 4096 };
    uint64_t counts[MOST] = {0};
    int draws = 300000;
    struct generator generator;
    generator_seed(&generator, 19, 0);
    for (int i = 0; i < draws; i++)
        counts[binomial_draw(&generator, n, p)]++;
    double chi = 0, cells = 0, expected = 0, seen = 0;
    for (uint64_t k = 0; k <= n; k++) {
        expected +=
            draws * exp((double)(lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L) +
                                 k * logl(p) + (n - k) * log1pl(-(long double)p)));
        seen += (double)counts[k];
        if (expected < 50 && k < n)
            continue;
        if (expected >= 5) {
            chi += (seen - expected) * (seen - expected) / expected;
            cells++;
        }
        expected = seen = 0;
    }
    assert_near(chi, cells - 1, sigmas * sqrt(2 * (cells - 1)) + 5);
}

static void binomial_distribution(void **state)
{
    binomial_distribution_at(30, 0.5);
    binomial_distribution_at(30, 0.2);
    binomial_distribution_at(25, 0.45);
    binomial_distribution_at(100, 0.105);
    binomial_distribution_at(1000, 0.3);
    binomial_distribution_at(1000, 0.9);
    binomial_distribution_at(4000, 0.003);
    binomial_distribution_at(4000, 0.5);
}

static void binomial_at_the_ends(void **state)
{
    struct generator generator;
    generator_seed(&generator, 23, 0);
    assert_int_equal(binomial_draw(&generator, (uint64_t)1 << 40, 1), (uint64_t)1 << 40);
    assert_int_equal(binomial_draw(&generator, (uint64_t)1 << 40, 0), 0);
    assert_int_equal(binomial_draw(&generator, 0, 0.5), 0);
    for (int i = 0; i < 100; i++)
        assert_true(binomial_draw(&generator, 1, 0.5) <= 1);
}

/* ---- Samples in blocks ------------------------------------------------------------ */

/* Allocates `blocks` blocks of `words` words; returns their samples, and the sum of squares about
 * the mean. */
static double samples_in_blocks(double rate, uint64_t words, int blocks, double *squares)
{
    struct sampler sampler = make_sampler(rate, 29 + words);
    uint64_t gap = sampler_gap(&sampler);
    double mean = (double)words * rate, sum = 0;
    *squares = 0;
    for (int i = 0; i < blocks; i++) {
        uint64_t n = 0;
        if (words > gap)
            n = sampler_count(&sampler, words, &gap);
        else
            gap -= words;
        sum += (double)n;
        *squares += ((double)n - mean) * ((double)n - mean);
    }
    return sum;
}

static void samples_are_binomial_whatever_the_size(void **state)
{
    static const double rates[] = {1e-6, 1e-4, 0.01, 0.2, 0.7, 0.99};
    for (uint64_t words = 1; words <= 100000000; words *= 10)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            double p = rates[i], mean = (double)words * p, variance = mean * (1 - p), squares;
            int blocks = 20000;
            double sum = samples_in_blocks(p, words, blocks, &squares);
            double fourth = variance * variance * 3 + variance * (1 - 6 * p * (1 - p));
            assert_near(sum, mean * blocks, sigmas * sqrt(variance * blocks) + 3);
            assert_near(squares / blocks, variance,
                        sigmas * sqrt((fourth - variance * variance) / blocks) + 3.0 / blocks);
        }
}

/* Sizes mixed, so that gaps run over from big blocks to small ones: each size has its own share. */
static void mixed_sizes_are_unbiased(void **state)
{
    enum { SIZES = 5 };
    static const uint64_t sizes[SIZES] = {1, 3, 40, 5000, 1000000};
    static const int weights[SIZES] = {100000, 30000, 3000, 30, 1};
    static const double rates[] = {1e-4, 1e-2, 0.3};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        struct sampler sampler = make_sampler(rates[r], 31);
        struct generator order;
        generator_seed(&order, 37, r);
        uint64_t gap = sampler_gap(&sampler), words[SIZES] = {0}, samples[SIZES] = {0};
        for (int i = 0; i < 1000000; i++) {
            int pick = (int)(generator_next(&order) % 133031), size = 0;
            while (pick >= weights[size])
                pick -= weights[size++];
            words[size] += sizes[size];
            if (sizes[size] > gap)
                samples[size] += sampler_count(&sampler, sizes[size], &gap);
            else
                gap -= sizes[size];
        }
        for (int size = 0; size < SIZES; size++) {
            double mean = (double)words[size] * rates[r];
            assert_near((double)samples[size], mean, sigmas * sqrt(mean * (1 - rates[r])));
        }
    }
}

static void every_word_is_a_sample_at_rate_one(void **state)
{
    struct sampler sampler = make_sampler(1, 41);
    uint64_t gap = sampler_gap(&sampler);
    for (uint64_t words = 1; words <= (uint64_t)1 << 40; words = words * 3 + 1) {
        assert_int_equal(sampler_count(&sampler, words, &gap), words);
        assert_int_equal(gap, 0);
    }
}

int main(void)
{
    return RUN_TESTS(log_keeps_its_error_bound, log_1m_keeps_its_error_bound, square_root_is_close,
                     generator_is_xoshiro256plusplus, uniform_stays_inside,
                     uniform_reaches_neither_end, streams_differ, surroundings_give_other_seeds,
                     gaps_repeat_under_a_seed, gap_moments_at_all_rates,
                     gap_distribution_at_all_rates, rate_one_has_no_gaps, tiny_rates_are_cut,
                     log_probability_is_right, binomial_moments, binomial_distribution,
                     binomial_at_the_ends, samples_are_binomial_whatever_the_size,
                     mixed_sizes_are_unbiased, every_word_is_a_sample_at_rate_one);
}
