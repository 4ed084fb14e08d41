/* Many tests at once, by S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6 (1979): the smallest p is multiplied by the number of tests, the next by one less, and so on.  If those below a
 * rate are reported, any is reported wrongly with that probability at most, however the tests depend on each other. */
#ifndef REPORT_CHANGE_HOLM_H
#define REPORT_CHANGE_HOLM_H

#include <math.h>
#include <stddef.h>

/* The p over all tests, of one with `left` tests that have no smaller p, itself included.  `previous` is the result of the next
 * smaller p, 0 for the first. */
static inline double holm_next(double previous, double p, size_t left)
{
    return fmax(previous, fmin(1, p * (double)left));
}

#endif
