/* Lifetimes, collected one by one: mean, median, maximum, histogram.
 *
 * The median needs two looks at them (report/blocks/median.h).  Either they are kept, 8 bytes each, and 8 for a weight; or they are
 * only counted, and come by a second time after lifetimes_look_again. */
#ifndef REPORT_BLOCKS_LIFETIMES_H
#define REPORT_BLOCKS_LIFETIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/blocks/median.h"

/* Bins of the histogram: a value below 32 has its own, above that there is one for each power of
 * two: [32, 64), [64, 128), ... */
enum { LIFETIMES_EXACT_BINS = 32, LIFETIMES_BINS = LIFETIMES_EXACT_BINS + 59 };

/* Zeroed, it is empty, and keeps what is added. */
struct lifetimes {
    bool only_counts; /* set before the first */
    bool looks_again;
    uint64_t *values; /* where they are kept */
    size_t count, capacity;
    double *weights; /* of each; NULL where all are 1 */
    size_t weights_capacity;
    long double sum;
    uint64_t max;
    double bins[LIFETIMES_BINS];     /* weights */
    uint64_t blocks[LIFETIMES_BINS]; /* how many values, whatever they weigh */
    struct median_counts counts;
    struct median_look look; /* where they are not kept */
};

struct lifetime_figures {
    double count; /* the sum of weights */
    double mean;
    double median; /* half of the weight lies below, half above; between two values, their middle */
    uint64_t max;
    double bins[LIFETIMES_BINS]; /* weights */
};

void lifetimes_release(struct lifetimes *lifetimes);

/* False when there is no memory.  Weights other than 1 are given from the first value on, or
 * never: `weighted` stays the same. */
bool lifetimes_add(struct lifetimes *lifetimes, uint64_t value, double weight, bool weighted);

/* All have been added, and only counted: they will be added once more, in any order. */
void lifetimes_look_again(struct lifetimes *lifetimes);

/* After the last, and the last of the second look.  False when there is no memory. */
bool lifetimes_figures(struct lifetimes *lifetimes, struct lifetime_figures *figures);

unsigned lifetimes_bin_of(uint64_t value);

/* The least value of a bin; the end of the last is UINT64_MAX. */
uint64_t lifetimes_bin_begin(unsigned bin);

#endif
