/* Does a level go on growing?  Averages of equal parts of a time, one after the other.
 *
 * The test.  Null hypothesis: the parts come in any order with the same probability.  S is the number of pairs in which the later is
 * the larger, less that of pairs in which it is the smaller (M. G. Kendall, "A new measure of rank correlation", Biometrika 30, 1938; H. B. Mann,
 * "Nonparametric tests against trend", Econometrica 13, 1945); p is the exact probability of an S as large.  Pairs of equal parts count for
 * neither, with which p is too large rather than too small.
 *
 * The rate is the median of the slopes of all pairs of the last half, with the bounds that follow from the distribution of S (P. K. Sen,
 * "Estimates of the regression coefficient based on Kendall's tau", Journal of the American Statistical Association 63, 1968). */
#ifndef REPORT_SITES_TREND_H
#define REPORT_SITES_TREND_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/estimate.h"

enum { TREND_PARTS_MOST = 16, TREND_PARTS_LEAST = 12 };

/* Of parts that are there, in order; NAN stands for one that is not.  1 where too few are there. */
double trend_p(const double *parts, size_t count);

/* Does it grow until the end?  Not if the last third has less than half of the growth of the one before, or the last parts have none. */
bool trend_goes_on(const double *parts, size_t count);

/* From one part to the next, at the end. */
struct trend_rate {
    double rate;
    struct estimate_range range; /* 95 % */
};
struct trend_rate trend_rate(const double *parts, size_t count);

#endif
