#include "report/change/change_test.h"

#include <stdlib.h>

#include "report/change/binomial.h"
#include "report/change/holm.h"

const double change_false_alarms = 0.05;

/* Bytes and blocks are whole: estimates, and what a profile has rounded, may differ by less. */
static const double least_difference = 0.5;

/* ---- One test ------------------------------------------------------------------------ */

/* How the samples of both fell. */
struct fall {
    double before, after; /* samples */
    double chance;        /* of a sample to be one of the later */
    double heavier;       /* what a sample weighs on the side where it weighs more */
    bool is_exact;
};

/* `mean`: of a sum without samples. */
static double weight_of(const struct site_sum *sum, double mean)
{
    return sum->value <= 0 ? mean : sum->variance > 0 ? sum->variance / sum->value : 1;
}

/* What a sample weighs on a side without any: as on the other, in proportion to the two recordings. */
static struct fall fall_of(const struct site_sum *before, const struct site_sum *after,
                           const struct change_rules *rules)
{
    double ratio = rules->before_weight / rules->after_weight;
    double after_mean = rules->after_weight, before_mean = rules->before_weight;
    if (before->value > 0 && before->variance > 0 && rules->after_weight > 1)
        after_mean = weight_of(before, 0) / ratio;
    if (after->value > 0 && after->variance > 0 && rules->before_weight > 1)
        before_mean = weight_of(after, 0) * ratio;
    double earlier = weight_of(before, before_mean), later = weight_of(after, after_mean);
    return (struct fall){before->value / earlier, after->value / later, earlier / (earlier + later),
                         fmax(earlier, later),
                         before->variance <= 0 && after->variance <= 0 &&
                             rules->before_weight == 1 && rules->after_weight == 1};
}

/* Samples of blocks that weigh differently are no whole number: the larger part is rounded down, the other one up. */
static double tail_of(double more, double less, double chance)
{
    double successes = floor(more + 1e-9), failures = ceil(less - 1e-9);
    return binomial_upper_tail(successes, successes + failures, chance);
}

double change_p(const struct site_sum *before, const struct site_sum *after,
                const struct change_rules *rules)
{
    struct fall fall = fall_of(before, after, rules);
    if (fall.is_exact)
        return fabs(after->value - before->value) < least_difference;
    return fmin(1, 2 * fmin(tail_of(fall.after, fall.before, fall.chance),
                            tail_of(fall.before, fall.after, 1 - fall.chance)));
}

/* The smallest p that so many samples can have, and the largest change. */
static struct reach {
    double p, change;
} reach_of(const struct change_test *test, const struct change_rules *rules)
{
    struct fall fall = fall_of(&test->before, &test->after, rules);
    double rarer = fmin(fall.chance, 1 - fall.chance), samples = fall.before + fall.after;
    return (struct reach){fall.is_exact ? 0 : 2 * exp(floor(samples + 1e-9) * log(rarer)),
                          samples * fall.heavier};
}

double change_p_of_range(double change, const struct estimate_range *range)
{
    static const double deviations = 1.959964; /* between an estimate and its bound */
    double to_bound = change > 0 ? change - range->low : range->high - change;
    if (to_bound <= 0)
        return fabs(change) < least_difference;
    return erfc(fabs(change) / to_bound * deviations / sqrt(2));
}

/* ---- All of them --------------------------------------------------------------------- */

/* A test, and the number that it is sorted by. */
struct ranked {
    struct change_test *test;
    double p;
};

static int compare_p(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

/* Those that could tell a change that matters. */
static size_t choose(struct ranked *ranked, struct change_test *tests, size_t count,
                     const struct change_rules *rules)
{
    size_t possible = 0, kept, divisor = 1;
    for (size_t i = 0; i < count; i++) {
        struct reach reach = reach_of(&tests[i], rules);
        if (reach.change >= rules->smallest)
            ranked[possible++] = (struct ranked){&tests[i], reach.p};
    }
    qsort(ranked, possible, sizeof *ranked, compare_p);
    for (kept = possible;; divisor++) {
        while (kept > 0 && ranked[kept - 1].p > rules->rate / (double)divisor)
            kept--;
        if (kept <= divisor)
            return kept;
    }
}

bool changes_test(struct change_test *tests, size_t count, const struct change_rules *rules)
{
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    double previous = 0;
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++) {
        tests[i].p = change_p(&tests[i].before, &tests[i].after, rules);
        tests[i].p_of_all = 1;
    }
    size_t chosen = choose(ranked, tests, count, rules);
    for (size_t i = 0; i < chosen; i++)
        ranked[i].p = ranked[i].test->p;
    qsort(ranked, chosen, sizeof *ranked, compare_p);
    for (size_t i = 0; i < chosen; i++)
        ranked[i].test->p_of_all = previous = holm_next(previous, ranked[i].p, chosen - i);
    free(ranked);
    return true;
}

enum change_verdict change_judge(double change, double p_of_all, const struct change_rules *rules)
{
    return fabs(change) < least_difference  ? CHANGE_SAME
           : p_of_all > rules->rate         ? CHANGE_CHANCE
           : fabs(change) < rules->smallest ? CHANGE_SMALL
           : change > 0                     ? CHANGE_LARGER
                                            : CHANGE_SMALLER;
}

const char *change_verdict_name(enum change_verdict verdict)
{
    static const char *const names[] = {"same", "chance", "small", "larger", "smaller"};
    return names[verdict];
}
