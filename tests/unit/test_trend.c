
#include "run_tests.h"
#include <math.h>

#include "report/sites/trend.h"

static void assert_near(double got, double wanted, double error)
{
    assert_true(fabs(got - wanted) <= error);
}

static double factorial(unsigned n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* Of 12 parts one order in 12! has no pair that falls, eleven have one, and 65 two. */
static void few_orders_fall_so_rarely(void **state)
{
    double parts[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    assert_near(trend_p(parts, 12) * factorial(12), 1, 1e-6);
    parts[4] = 6, parts[5] = 5;
    assert_near(trend_p(parts, 12) * factorial(12), 12, 1e-6);
    parts[8] = 10, parts[9] = 9;
    assert_near(trend_p(parts, 12) * factorial(12), 77, 1e-6);
}

/* An order and the one that is turned round share the orders between them, but for those that are as good as each. */
static void the_middle_is_even(void **state)
{
    double parts[13] = {7, 6, 8, 5, 9, 4, 10, 3, 11, 2, 12, 1, 13}, turned[13];
    for (int i = 0; i < 13; i++)
        turned[i] = -parts[i];
    double chance_of_equal = trend_p(parts, 13) + trend_p(turned, 13) - 1;
    assert_true(chance_of_equal > 0 && chance_of_equal < 0.1);
}

static void too_few_parts(void **state)
{
    double parts[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, NAN};
    assert_near(trend_p(parts, 12), 1, 0);
    assert_false(trend_goes_on(parts, 12));
}

/* Equal parts are no growth. */
static void level(void **state)
{
    double parts[16] = {0};
    assert_near(trend_p(parts, 16), 0.5, 0.05);
    assert_false(trend_goes_on(parts, 16));
    assert_near(trend_rate(parts, 16).rate, 0, 0);
}

static void a_cache_that_is_full(void **state)
{
    double parts[16];
    for (int i = 0; i < 16; i++)
        parts[i] = i < 10 ? i : 10;
    assert_true(trend_p(parts, 16) < 1e-6);
    assert_false(trend_goes_on(parts, 16));
    for (int i = 0; i < 16; i++)
        parts[i] = 1 - exp(-i / 3.0);
    assert_false(trend_goes_on(parts, 16));
    for (int i = 0; i < 16; i++)
        parts[i] = i;
    assert_true(trend_goes_on(parts, 16));
}

/* The median of all slopes of the last half: of a straight line each; a part that is missing leaves the others where they are. */
static void rate(void **state)
{
    double parts[16];
    for (int i = 0; i < 16; i++)
        parts[i] = 5 + 3 * i;
    parts[12] = NAN;
    struct trend_rate straight = trend_rate(parts, 16);
    assert_near(straight.rate, 3, 0);
    assert_near(straight.range.low, 3, 0);
    assert_near(straight.range.high, 3, 0);
    for (int i = 0; i < 16; i++)
        parts[i] = 3 * i + (i % 2 ? 1 : -1);
    struct trend_rate shaken = trend_rate(parts, 16);
    assert_near(
        shaken.rate, 3,
        0); /* of 28 slopes six are less, twelve 3, and ten more: 2/7, 2/5 twice, 2/3 three times, 2 */
    assert_near(shaken.range.low, 3, 0);
    assert_near(shaken.range.high, 3 + 2.0 / 3, 1e-12);
}

int main(void)
{
    return RUN_TESTS(few_orders_fall_so_rarely, the_middle_is_even, too_few_parts, level,
                     a_cache_that_is_full, rate);
}
