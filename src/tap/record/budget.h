/* The rate as a budget: a recording begins with every block, and whenever it holds so many blocks,
 * its rate is halved, as often as leaves half of them.
 *
 * Which blocks these are is settled by coins that the trace's reader tosses again (base/coin.h),
 * so nothing that was written need be touched: the trace's first packet says the last rate, and each
 * block's id how often the rate had been halved when it was sampled.  How many are left is counted
 * in tap/engine/halving.h.
 *
 * At a halving the first packet comes first: whenever the process dies, the reader leaves out at
 * least those blocks whose ends are not told any more.
 *
 * A profile's blocks have no numbers, and its coins are tossed when it is written (tap/gather/halve.h).  Coins
 * of the recorder's own count the blocks that are left.  The others are kept, too, until blocks are renewed (renew.h).  In profiles of intervals an interval's budget
 * is for what is in use when it begins and for what is allocated in it; the rate stays as it is from one interval to the
 * next, as a block in use can't be counted at a higher rate than it was sampled at. */
#ifndef TAP_RECORD_BUDGET_H
#define TAP_RECORD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/engine/halving.h"

struct budget {
    struct halving blocks; /* of no most blocks: there is no budget, the rate stays as it is */
    uint32_t is_halving;   /* atomic: a thread is at it */
    uint64_t numbers;      /* atomic; given to a profile's blocks so far */
};

/* For a new recording, at rate 1. */
void budget_begin(uint64_t most_blocks, int64_t start_us, uint64_t pid);

static inline bool budget_is_on(const struct budget *budget)
{
    return budget->blocks.most_blocks > 0;
}

/* Counts a trace's block that was sampled after so many halvings.  Returns the word under which the engine
 * is to keep it; NULL where nobody needs to hear of its end. */
void *budget_count(uint64_t id, uint32_t halvings, uint64_t samples);

/* The id that is in such a word. */
uint64_t budget_id_of(const void *word);

/* A number that a profile's block has for as long as coins are tossed for it. */
uint64_t budget_next_number(void);

/* Counts a profile's block. */
void budget_count_gathered(uint32_t halvings, uint64_t samples);

/* The profile was written.  Where that was an interval's, the next one begins with the blocks that are in use. */
void budget_saved(bool is_interval);

/* Halves the rate, where it is time to.  Not in the middle of the engine. */
void budget_halve(void);

#endif
