/* How the objects that a filter leaves spread over sizes and lifetimes, and over the domains that
 * allocated them.
 *
 * Bins are a quarter of an octave, cut evenly: from 2^k on, four of 2^k / 4 each; below 4, one a
 * number.  So a value's bin is its four leading bits, and nothing is searched. */
#ifndef REPORT_BLOCKS_DISTRIBUTIONS_H
#define REPORT_BLOCKS_DISTRIBUTIONS_H

#include "profile/matcher.h"
#include "profile/selection.h"

enum { DISTRIBUTION_BINS = 252 };

struct distribution_sum {
    uint64_t blocks;       /* sampled ones */
    double bytes, objects; /* estimated */
};

struct distribution {
    struct distribution_sum bins[DISTRIBUTION_BINS];
    size_t first, end; /* only bins from first to before end hold anything; equal: none does */
};

struct domain_sums {
    struct distribution_sum all;
    struct distribution_sum live; /* those that are alive at the end */
};

struct distributions {
    struct distribution sizes;     /* of blocks, in bytes, without headers */
    struct distribution lifetimes; /* in microseconds, of those that ended */
    struct distribution_sum all;
    struct distribution_sum unended; /* they have no lifetime yet */
    struct domain_sums *domains;     /* by number, as many as the model has */
    size_t domain_count;
};

/* `quantity` says which objects count, as for a selection.  The matcher's model holds objects.
 * False when there is no memory; then there is nothing to release. */
bool distributions_init(struct distributions *distributions, const struct matcher *matcher,
                        enum selection_quantity quantity);
void distributions_release(struct distributions *distributions);

/* The bin of a value, and the lowest value of a bin. */
static inline size_t distribution_bin(uint64_t value)
{
    if (value < 4)
        return (size_t)value;
    unsigned octave = 63U - (unsigned)__builtin_clzll(value);
    return 4 * (octave - 1) + (value >> (octave - 2) & 3);
}

static inline uint64_t distribution_edge(size_t bin)
{
    return bin < 4 ? bin : (uint64_t)(4 + bin % 4) << (bin / 4 - 1);
}

#endif
