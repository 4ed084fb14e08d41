/* Mean, variance and maximum of weighted values. */
#ifndef REPORT_BLOCKS_SPREAD_H
#define REPORT_BLOCKS_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct weighted_value {
    uint64_t value; /* first: by it they are sorted */
    double weight;  /* how often it occurs; not negative */
};

struct spread {
    double count;    /* the sum of weights */
    double mean;     /* 0 where count is 0, as all below */
    double variance; /* of the values as a whole population: divided by count */
    double standard_deviation;
    uint64_t max; /* of the values of any weight */
};

/* Two passes, in extended precision with compensated sums: the figures don't depend on the order of
 * the values, but for the last of a double's digits.  (Their textbook sums in double precision
 * differ in the 14th digit from one order to another.) */
struct spread spread_of(const struct weighted_value *values, size_t count);

#endif
