/* How many blocks of a recording are left, if its rate is halved so often: as coins that the reader tosses again
 * (base/coin.h) tell of each block at which halving its last sample goes, that is a matter of counting.
 *
 * All threads may count at once; one at a time goes on to the next rate. */
#ifndef TAP_ENGINE_HALVING_H
#define TAP_ENGINE_HALVING_H

#include <stdbool.h>
#include <stdint.h>

struct halving {
    uint64_t most_blocks; /* at which the rate is to be halved; 0: never */
    uint64_t salt;        /* of the coins */
    uint32_t halvings;    /* atomic */
    uint64_t left;        /* atomic; blocks of the recording at its present rate */
    uint64_t over[64];    /* atomic; how many blocks are over at the n-th halving */
};

void halving_begin(struct halving *halving, uint64_t most_blocks, uint64_t salt);

/* The upper bits of the ids of blocks that were sampled after `halvings` halvings. */
uint64_t halving_id_base(uint32_t halvings);

/* Counts a block that was sampled after so many halvings.  Returns the halving at which it is over;
 * 0 where it is already. */
unsigned halving_count(struct halving *halving, uint64_t id, uint32_t halvings, uint64_t samples);

static inline bool halving_is_due(const struct halving *halving)
{
    return __atomic_load_n(&halving->left, __ATOMIC_RELAXED) >= halving->most_blocks &&
           halving->most_blocks > 0;
}

/* How many blocks are left after so many halvings. */
uint64_t halving_count_left(const struct halving *halving, uint32_t halvings);

/* How often the rate is to be halved in all, so that half of the most blocks are left; as often as it is, where nothing is due. */
uint32_t halving_next(const struct halving *halving);

/* Goes on to that. */
void halving_go_on(struct halving *halving, uint32_t halvings);

#endif
