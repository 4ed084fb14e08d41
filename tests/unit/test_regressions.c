
#include "run_tests.h"
#include <math.h>
#include <stdlib.h>

#include "report/change/binomial.h"
#include "report/change/grown_sites.h"
#include "base/random.h"

static void assert_near(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-9 * fabs(wanted));
}

/* Against sums of binomial coefficients. */
static void tails(void **state)
{
    assert_near(binomial_upper_tail(1, 1, 0.25), 0.25);
    assert_near(binomial_upper_tail(3, 3, 0.5), 0.125);
    assert_near(binomial_upper_tail(8, 10, 0.5), 56.0 / 1024);
    assert_near(binomial_upper_tail(2, 4, 0.1), 0.0523);
    assert_near(binomial_upper_tail(40, 40, 0.95), pow(0.95, 40));
    assert_near(binomial_upper_tail(4, 4, 0.05), pow(0.05, 4));
    assert_true(binomial_upper_tail(0, 10, 0.3) == 1);
    /* The normal approximation of many joins what is exact of fewer. */
    double exact = binomial_upper_tail(20300, 40000, 0.5),
           many = binomial_upper_tail(20301, 40002, 0.5);
    assert_true(fabs(exact / many - 1) < 0.05);
}

enum { SITES = 200, RUNS = 2000 };

static struct site_sum sampled(struct random *random, uint64_t samples, double share, double period)
{
    double count = (double)random_binomial(random, samples, share);
    return (struct site_sum){count * period, count * period * period};
}

static void add(struct site_sum *total, const struct site_sum *sum)
{
    total->value += sum->value;
    total->variance += sum->variance;
}

/* Two versions of a program of SITES sites, 1/rank the share of each, that of the planted one larger in the second.  The
 * result: how many sites are below `rate`, and whether the planted one is the first. */
static size_t compare_versions(struct random *random, uint64_t samples, double base_part,
                               double period, double growth, double rate, int *is_found)
{
    struct site_change sites[SITES] = {0};
    struct site_sum base = {0}, new = {0};
    static const char planted[] = "planted", other[] = "other";
    size_t count = 0;
    for (int i = 0; i < SITES; i++) {
        double share = 1 / (5.88 * (i + 1)); /* 1 + 1/2 + ... + 1/200 = 5.878 */
        sites[i].function = i == 3 ? planted : other;
        sites[i].base = sampled(random, (uint64_t)((double)samples * base_part), share, 512e3);
        sites[i].new = sampled(random, samples, i == 3 ? share * growth : share, period);
        add(&base, &sites[i].base);
        add(&new, &sites[i].new);
    }
    regressions_find(sites, SITES, &base, &new);
    while (count < SITES && sites[count].adjusted <= rate)
        count++;
    *is_found = count > 0 && sites[0].function == planted;
    return count;
}

/* Versions that do not differ: at most 5 of 100 comparisons name any site.  2000 runs at 5 % have a standard deviation of 10. */
static void false_alarms(void **state)
{
    static const double parts[] = {0.05, 0.3, 1, 3, 20};
    static const double periods[] = {512e3, 64e3, 4e6};
    struct random random;
    int is_found;
    random_init(&random, 15);
    for (size_t part = 0; part < 5; part++) {
        int alarms = 0;
        for (int i = 0; i < RUNS; i++)
            alarms += compare_versions(&random, 3000, parts[part], periods[i % 3], 1, 0.05,
                                       &is_found) > 0;
        assert_true(alarms <= RUNS * 0.05 + 30);
    }
}

/* The same of blocks, where one site has thousands of samples and the others few, each of which stands for many small blocks:
 * what is sampled poorly is the whole, not the site. */
static void false_alarms_of_few(void **state)
{
    enum { FEW = 10 };
    struct random random;
    int alarms = 0;
    random_init(&random, 17);
    for (int run = 0; run < RUNS; run++) {
        struct site_change sites[FEW] = {0};
        struct site_sum base = {0}, new = {0};
        for (int i = 0; i < FEW; i++) {
            double share = i == 0 ? 0.003 : 0.00001, weight = i == 0 ? 1 : 60;
            sites[i].function = "site";
            sites[i].base = sampled(&random, 500000, share, weight);
            sites[i].new = sampled(&random, 1000000, share, weight);
            add(&base, &sites[i].base);
            add(&new, &sites[i].new);
        }
        regressions_find(sites, FEW, &base, &new);
        alarms += sites[0].adjusted <= 0.05;
    }
    assert_true(alarms <= RUNS * 0.05 + 30);
}

/* A site of 4 % that takes 6 % is found in nearly all comparisons of 20000 samples, and others seldom with it. */
static void planted(void **state)
{
    struct random random;
    int found = 0, others = 0, is_found;
    random_init(&random, 16);
    for (int i = 0; i < 50; i++) {
        size_t count = compare_versions(&random, 20000, 1, 64e3, 1.5, 0.05, &is_found);
        found += is_found;
        others += count > (size_t)is_found;
    }
    assert_true(found >= 49);
    assert_true(others <= 6);
}

/* What is counted exactly needs no chance: any growth of a share is one. */
static void exact(void **state)
{
    struct site_change sites[2] = {{.base = {1000000, 0}, .new = {1100000, 0}},
                                   {.base = {1000000, 0}, .new = {900000, 0}}};
    struct site_sum total = {2000000, 0};
    regressions_find(sites, 2, &total, &total);
    assert_true(sites[0].adjusted < 1e-6 && sites[0].new.value == 1100000);
    assert_true(sites[1].p == 1);
}

int main(void)
{
    return RUN_TESTS(tails, false_alarms, false_alarms_of_few, planted, exact);
}
