/* Blocks of a guest that replace smaller ones of their stack, where they end as soon as nobody needs them.
 *
 * A line of Python makes pieces between the steps: `s += str(n)` has the text of the number born, on the same stack, before the new text
 * that replaces the old one.  So not the last block alone is remembered, but a few, and of those that die when a block is born, it
 * replaces the largest.  Another name may keep a text until the next step: it is replaced, too, if it outlives that birth by no more
 * than twice the time that it lived before. */
#ifndef PROFILE_GROWTH_TRAIL_H
#define PROFILE_GROWTH_TRAIL_H

#include <stddef.h>

#include "profile/growth_pair.h"

enum { TRAIL_BLOCKS = 4 };

struct trail_replaced {
    struct growth_block block;
    uint64_t own_words; /* of the one that this replaces itself; 0 for none */
    bool overlaps;
};

/* A block that others may replace. */
struct trail_step {
    struct growth_block block,
        next;                       /* and the latest that is no smaller, born while it was alive */
    uint32_t row;                   /* of a block that is alive, where its end isn't known yet */
    int64_t died_us;                /* GROWTH_NEVER: not yet */
    uint64_t end;                   /* blocks born before that */
    struct trail_replaced replaced; /* by it; of no words for none */
};

/* Of a stack, the oldest first. */
struct growth_trail {
    struct trail_step steps[TRAIL_BLOCKS];
    size_t count;
    struct growth_sum sum; /* of pairs alone */
};

/* A block is born, whose end may be known.  What is known to be replaced now is counted. */
void growth_trail_begin(struct growth_trail *trail, const struct estimate *estimate,
                        const struct trail_step *step);

/* The block of a row has died. */
void growth_trail_end(struct growth_trail *trail, uint32_t row, int64_t died_us, uint64_t end);

/* All pairs, when nothing follows. */
struct growth_sum growth_trail_sum(const struct growth_trail *trail,
                                   const struct estimate *estimate);

#endif
