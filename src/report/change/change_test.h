/* Did a figure change from one recording to another, by more than the chance of sampling, and by enough to matter?
 *
 * A figure of value v and variance V has v^2 / V samples' worth of evidence, each of weight V / v.  If the program allocated as
 * much in both runs, each of its samples falls into the later recording with the same probability r, which follows from the
 * weights alone: it is before / (before + after).  So of n samples in both, how many are in the later one is binomial, with few
 * samples as with many; p is twice the probability of the tail that was seen.  Words are sampled each by itself, so that this
 * holds for large blocks, which have several samples.  A side without variance is exact: there each byte (or block) is
 * evidence of its own.  Of two exact sides p is 0, or 1 where they are the same.
 *
 * Of many figures, one in a hundred has a p of 1 % by chance, so p is corrected by Holm's method (report/change/holm.h).  Figures that
 * can't be told to have changed, however their samples fell, don't count among the tests: those of too few samples, as R. E.
 * Tarone leaves them out ("A modified Bonferroni method for discrete data", Biometrics 46, 1990), and those whose samples,
 * all on one side, would not make the smallest change.  What is in both together says nothing of how it fell, so p holds as before.
 *
 * That is the chance of sampling alone.  What a program does otherwise in each run, from the timing of threads, the seeds of
 * hash tables or the moments of a collector, is a change as any other, and two recordings do not tell where it came from. */
#ifndef REPORT_CHANGE_CHANGE_TEST_H
#define REPORT_CHANGE_CHANGE_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/estimate.h"

/* A sum over samples; its variance is 0 where it is exact. */
struct site_sum {
    double value, variance;
};

struct change_test {
    struct site_sum before, after;
    double p;        /* of such samples, or more uneven ones, if nothing changed */
    double p_of_all; /* the same over all tests; 1 of what doesn't count among them */
};

/* How tests are made, and which changes are reported. */
struct change_rules {
    double before_weight,
        after_weight; /* of a sample of a figure that has none on this side; 1 where all is exact */
    double smallest;  /* change that matters */
    double rate;      /* of comparisons without a change that may tell one all the same */
};

/* The usual rate: 0.05. */
extern const double change_false_alarms;

/* Sets p and p_of_all.  False when there is no memory. */
bool changes_test(struct change_test *tests, size_t count, const struct change_rules *rules);

double change_p(const struct site_sum *before, const struct site_sum *after,
                const struct change_rules *rules);

/* p of a change of which only its 95 % bounds are known. */
double change_p_of_range(double change, const struct estimate_range *range);

enum change_verdict {
    CHANGE_SAME,   /* no difference */
    CHANGE_CHANCE, /* it may be that of the samples */
    CHANGE_SMALL,  /* beyond chance, and less than the smallest that matters */
    CHANGE_LARGER,
    CHANGE_SMALLER
};

/* "same", "chance", "small", "larger" or "smaller" */
const char *change_verdict_name(enum change_verdict verdict);

enum change_verdict change_judge(double change, double p_of_all, const struct change_rules *rules);

#endif
