/* A profile whose rate is halved while it is gathered (tap/record/budget.h), so that it holds about as many samples however much
 * is allocated.
 *
 * A group is of blocks that were sampled at one rate, so nothing that was counted is touched when the rate is halved, and a
 * process may be killed at any moment.  Writing the profile drops samples of the groups whose rate is higher
 * than the file's (sums.c): the file's values are distributed as if everything had been sampled at its rate.  The price is that
 * rows from before stay in memory, up to half a budget for each halving.
 *
 * Blocks in use can move to groups of the present rate (renew.c), if they have samples left: so the recorder needs to keep no others. */
#ifndef TAP_GATHER_HALVE_H
#define TAP_GATHER_HALVE_H

#include <stdbool.h>

#include "base/coin.h"
#include "heaptap/pprof.h"

/* From now on the profile is written at the rate of its beginning, halved so many times: at most COIN_STEPS_MAX, and no less than before.
 * To be called before anything is sampled at that rate. */
void pprof_set_halvings(struct heaptap_pprof *profile, uint32_t halvings);

/* From now on, what this domain gets was sampled at the rate of the beginning, halved `halvings` times. */
void pprof_domain_set_halvings(struct heaptap_pprof_domain *domain, uint32_t halvings);

/* Before anything is counted: blocks will be renewed. */
void pprof_will_renew(struct heaptap_pprof *profile);

/* Whether it is the number of a block that was sampled at a higher rate than this domain's; of any word. */
bool pprof_block_is_old(const struct heaptap_pprof_domain *domain, uint64_t block);

/* What becomes of such a block in use at this domain's rate: its new number, or 0 where it has no sample left.  Coins fall by `toss`, a number
 * that no other call has.  Not while the profile is written. */
uint64_t pprof_block_renew(struct heaptap_pprof_domain *domain, int64_t time_us, uint64_t block,
                           uint64_t toss);

/* Estimates of how many blocks in use would have a sample left after 0, 1, ... halvings; those before the present one are as it. */
void pprof_live_blocks(const struct heaptap_pprof *profile, double left[COIN_STEPS_MAX + 1]);

#endif
