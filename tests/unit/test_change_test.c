
#include "run_tests.h"
#include <math.h>

#include "report/change/change_test.h"
#include "report/change/difference_test.h"
#include "base/random.h"

/* ---- Single tests, against sums of binomial coefficients ------------------------------ */

static struct site_sum samples_of(double samples, double weight)
{
    return (struct site_sum){samples * weight, weight > 1 ? samples * weight * weight : 0};
}

static double p_of(double before, double before_weight, double after, double after_weight)
{
    struct change_rules rules = {before_weight, after_weight, 0, 0.05};
    struct site_sum earlier = samples_of(before, before_weight),
                    later = samples_of(after, after_weight);
    return change_p(&earlier, &later, &rules);
}

static void assert_near(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-9 * fabs(wanted));
}

static void few(void **state)
{
    (void)state;
    assert_near(p_of(0, 1e5, 5, 1e5), 2 / 32.0);
    assert_near(p_of(5, 1e5, 0, 1e5), 2 / 32.0);
    assert_near(p_of(1, 1e5, 9, 1e5), 2 * 11 / 1024.0);
    assert_near(p_of(4, 1e5, 4, 1e5), 1);
    assert_near(p_of(0, 1e5, 0, 1e5), 1);
    /* Where three of four samples fall into the later recording, by its rate. */
    assert_near(p_of(0, 3e5, 4, 1e5), 2 * pow(0.75, 4));
    assert_near(p_of(4, 3e5, 0, 1e5), 2 * pow(0.25, 4));
}

/* Exact ones tell each byte, and of one exact side only the other has errors. */
static void exact(void **state)
{
    (void)state;
    assert_true(p_of(59000000, 1, 59000581, 1) == 0);
    assert_true(p_of(59000000, 1, 59000000, 1) == 1);
    double p = p_of(1e7, 1, 120, 1e5); /* 100 samples wanted, and 120 seen: 2 deviations */
    assert_true(p > 0.04 && p < 0.07);
}

static void ranges(void **state)
{
    (void)state;
    struct estimate_range touching = {0, 20, false}, exact = {10, 10, false}, same = {0, 0, false};
    assert_true(fabs(change_p_of_range(10, &touching) - 0.05) < 1e-6);
    assert_true(change_p_of_range(10, &exact) == 0);
    assert_true(change_p_of_range(0, &same) == 1);
}

static void verdicts(void **state)
{
    (void)state;
    struct change_rules rules = {1, 1, 100, 0.05};
    assert_int_equal(change_judge(0.3, 0, &rules), CHANGE_SAME);
    assert_int_equal(change_judge(99, 0, &rules), CHANGE_SMALL);
    assert_int_equal(change_judge(-100, 0, &rules), CHANGE_SMALLER);
    assert_int_equal(change_judge(100, 0.05, &rules), CHANGE_LARGER);
    assert_int_equal(change_judge(100, 0.051, &rules), CHANGE_CHANCE);
}

/* ---- Programs ------------------------------------------------------------------------- */

enum { FUNCTIONS = 150, RUNS = 160 };

/* What is like in a program's recordings. */
struct program {
    double samples;       /* of the earlier recording, on average */
    double later;         /* those of the later one, in proportion: its rate */
    bool blocks;          /* blocks of many sizes are counted, not bytes */
    int planted;          /* the function that grows; -1: none */
    double growth;        /* by what factor */
    double smallest_part; /* of the total */
};

/* A weight of a function's samples of its own, where blocks are counted: those of small blocks stand for many. */
static double weight_in(const struct program *program, int function, double rate)
{
    return (program->blocks ? 100.0 * (1 << function % 7) : 1e5) / rate;
}

static struct site_sum record(struct random *random, const struct program *program, int function,
                              double rate, double growth)
{
    double share = 1 / (5.59 * (function + 1)); /* 1 + 1/2 + ... + 1/150 = 5.59 */
    uint64_t words = (uint64_t)(program->samples * share * growth * 1e3);
    double weight = weight_in(program, function, rate);
    return samples_of((double)random_binomial(random, words, 1e-3 * rate), weight);
}

/* How many functions are named; `*found`: the planted one is. */
static size_t compare(struct random *random, const struct program *program, bool *found)
{
    struct change_test tests[FUNCTIONS];
    double total = 0;
    size_t named = 0;
    *found = false;
    for (int i = 0; i < FUNCTIONS; i++) {
        tests[i].before = record(random, program, i, 1, 1);
        tests[i].after =
            record(random, program, i, program->later, i == program->planted ? program->growth : 1);
        total += tests[i].before.value;
    }
    struct change_rules rules = {weight_in(program, 3, 1), weight_in(program, 3, program->later),
                                 program->smallest_part * total, 0.05};
    assert_true(changes_test(tests, FUNCTIONS, &rules));
    for (int i = 0; i < FUNCTIONS; i++) {
        double change = tests[i].after.value - tests[i].before.value;
        bool is_named = change_judge(change, tests[i].p_of_all, &rules) >= CHANGE_LARGER;
        named += is_named;
        *found = *found || (is_named && i == program->planted);
    }
    return named;
}

/* Programs that do the same twice: at most 5 of 100 comparisons name any function.  160 runs at 5 % have a deviation of 2.8, all
 * 2880 of them of 11.7. */
static void false_discoveries(void **state)
{
    (void)state;
    static const double samples[] = {50, 1000, 30000}, rates[] = {0.02, 1, 10};
    struct random random;
    int all = 0;
    random_init(&random, 24);
    for (int i = 0; i < 18; i++) {
        struct program program = {samples[i % 3], rates[i / 3 % 3], i >= 9, -1, 1, 0};
        int alarms = 0;
        bool found;
        for (int run = 0; run < RUNS; run++)
            alarms += compare(&random, &program, &found) > 0;
        assert_true(alarms <= 8 + 9);
        all += alarms;
    }
    assert_true(all <= 144 + 36);
}

/* One that grows is found, and seldom another with it; what is less than the smallest change is not told. */
static void planted(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 25);
    struct program grows = {30000, 1, false, 2, 1.3, 0.01}; /* 6 % of the total, to 7.8 % */
    struct program dust = {30000, 1,   false,
                           20,    1.5, 0.01}; /* 0.85 % of the total, and half of that */
    int found = 0, others = 0, told = 0;
    bool is_found;
    for (int run = 0; run < 100; run++) {
        size_t named = compare(&random, &grows, &is_found);
        found += is_found;
        others += named > (size_t)is_found;
        told += compare(&random, &dust, &is_found) > 0;
    }
    assert_true(found >= 90);
    assert_true(others <= 10);
    assert_true(told <= 10);
}

/* ---- Of the rows of a difference ------------------------------------------------------ */

/* `samples` of weight 1000 in each, or, of none, bytes that are exact. */
static struct difference_row row_of(double before, double after, bool is_sampled)
{
    double weight = is_sampled ? 1000 : 1;
    return (struct difference_row){.base_flat = before * weight,
                                   .new_flat = after * weight,
                                   .base_cum = 5e4,
                                   .new_cum = 5e4,
                                   .base_flat_samples = is_sampled ? before : 0,
                                   .new_flat_samples = is_sampled ? after : 0};
}

static void rows(void **state)
{
    struct difference_row sampled[] = {row_of(100, 110, true), row_of(100, 200, true),
                                       row_of(300, 100, true), row_of(0, 40, true),
                                       row_of(3, 0, true)},
                          even[] = {row_of(1e5, 1.015e5, true), row_of(1e5, 1.001e5, true),
                                    row_of(0, 3, true), row_of(30, 0, true)},
                          exact[] = {row_of(1000, 1001, false), row_of(1000, 1100, false),
                                     row_of(1000, 900, false)};
    const enum change_verdict of_sampled[] = {CHANGE_CHANCE, CHANGE_LARGER, CHANGE_SMALLER,
                                              CHANGE_LARGER, CHANGE_CHANCE, CHANGE_SMALL},
                              of_even[] = {CHANGE_SMALL, CHANGE_CHANCE, CHANGE_CHANCE,
                                           CHANGE_SMALL},
                              of_exact[] = {CHANGE_SMALL, CHANGE_LARGER, CHANGE_SMALLER};
    struct difference_table table = {.rows = sampled, .count = 5};
    struct change_rules rules = {1000, 1000, 5000, 0.05};
    struct function_verdict verdicts[5];
    (void)state;
    assert_true(difference_test(&table, &rules, false, verdicts));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(verdicts[i].verdict, of_sampled[i]);
    assert_true(difference_test(&table, &rules, true, verdicts));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(verdicts[i].verdict, CHANGE_SAME);
    table = (struct difference_table){.rows = even, .count = 4};
    rules.smallest = 5e6; /* all change by less: small is what is more than chance */
    assert_true(difference_test(&table, &rules, false, verdicts));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(verdicts[i].verdict, of_even[i]);
    table = (struct difference_table){.rows = exact, .count = 3};
    rules = (struct change_rules){1, 1, 5, 0.05};
    assert_true(difference_test(&table, &rules, false, verdicts));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(verdicts[i].verdict, of_exact[i]);
}

int main(void)
{
    return RUN_TESTS(rows, few, exact, ranges, verdicts, false_discoveries, planted);
}
