/* The median of weighted values that come by one after the other, exactly, in memory that does not grow with their number.
 *
 * It takes two looks at them.  The first counts their weight by buckets: small values have one each, larger ones share it with
 * those that begin with the same 13 binary digits.  So the bucket that holds the median is known, and the second look counts
 * the values of that bucket alone. */
#ifndef REPORT_BLOCKS_MEDIAN_H
#define REPORT_BLOCKS_MEDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/blocks/spread.h"
#include "base/map.h"

/* The first look.  Zeroed, it has counted nothing. */
struct median_counts {
    double *buckets; /* weights; NULL before the first value */
    double total;
};

/* False when there is no memory. */
bool median_count(struct median_counts *counts, uint64_t value, double weight);
void median_counts_release(struct median_counts *counts);

/* A bucket that is looked at. */
struct median_window {
    unsigned bucket;
    double below; /* the weight of all values before it */
};

/* The second look. */
struct median_look {
    double target;                  /* half of all weight */
    struct median_window low, high; /* of the value with which that is reached, and passed */
    struct map index;               /* value -> its place in `seen` */
    struct weighted_value *seen;    /* the values of these buckets */
    size_t count, capacity;
};

/* Begins it, with what the first look has counted: its weight is above 0. */
void median_look_begin(struct median_look *look, const struct median_counts *counts);

/* The same values again, in any order.  False when there is no memory. */
bool median_look_add(struct median_look *look, uint64_t value, double weight);

/* Half of the weight lies below, half above; between two values, their middle. */
double median_look_end(struct median_look *look);
void median_look_release(struct median_look *look);

#endif
