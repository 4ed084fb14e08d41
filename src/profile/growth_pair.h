/* Two blocks of which one replaces the other (profile/growth.h), and how many such pairs a stack has. */
#ifndef PROFILE_GROWTH_PAIR_H
#define PROFILE_GROWTH_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/estimate.h"

#define GROWTH_NEVER INT64_MAX /* the end of a block that is alive */
#define GROWTH_FACTOR 1.4      /* from which on a block has grown by a factor, not by a step */

struct growth_block {
    uint64_t words; /* 0 for none */
    double bytes;
    int64_t born_us;
    uint64_t birth; /* of all, born before it */
};

struct growth_sum {
    uint64_t doublings, small_steps;     /* blocks that have grown by a factor, by less */
    double doubled_bytes, stepped_bytes; /* in these */
    double replaced_bytes;               /* in those that they replace */
    double
        weighed_bytes; /* the same, with those that no sample shows: each divided by its chance of being sampled */
    double overlapped_bytes; /* in blocks that have grown, and that overlap the one they replace */
    uint64_t followers;      /* blocks whose stack had one before, of the same thread */
    uint64_t crowded;        /* of these, born while that one was alive */
};

/* Does a block that is born replace the one before, which dies then? */
static inline bool growth_replaces(int64_t died_us, int64_t born_us, bool is_collected)
{
    const int64_t within_us = 1000;
    return died_us != GROWTH_NEVER && died_us >= born_us - within_us &&
           (is_collected || died_us <= born_us + within_us);
}

/* Does the block before end right after the birth of the one that replaces it?  By the blocks born before either; other threads may have
 * some in between. */
static inline bool growth_overlaps(uint64_t end, uint64_t birth)
{
    const uint64_t within = 4;
    return end > birth && end - birth <= within;
}

/* A block of so many words and bytes replaces one of `before` words, which it overlaps or not; nothing where that isn't smaller.  The sign
 * is 1, or -1 where that is taken back. */
void growth_note(struct growth_sum *sum, const struct estimate *estimate, uint64_t words,
                 double bytes, uint64_t before, bool overlaps, int sign);

#endif
