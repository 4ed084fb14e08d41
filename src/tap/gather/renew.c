/* Blocks in use that go over to the present rate.
 *
 * Such a block was allocated at its new rate, as far as the sums tell: what is left of its samples is added in the new group, all of them
 * are taken away in the old one.  When it was allocated is not known any more.  So in the old group it has lived up to now, and in the
 * new one it lives from now on; that the parts belong together doesn't matter, as groups of one stack and size are one sample of
 * the file.
 *
 * Intervals: what is allocated in one is what is more than was said.  So what was said changes with it. */
#include "tap/gather/halve.h"
#include "tap/gather/profile.h"

/* Of a coin's number: neither a group's nor that of a block that is counted (sums.c, tap/record/budget.c). */
enum { COIN_OF_BLOCKS = 46 };

void pprof_will_renew(struct heaptap_pprof *profile)
{
    profile->renews = true;
}

bool pprof_block_is_old(const struct heaptap_pprof_domain *domain, uint64_t block)
{
    uint64_t number = block >> BLOCK_SAMPLE_BITS;
    const struct group *group =
        number < 1u << BLOCK_GROUP_BITS
            ? store_peek(&domain->profile->stores[KEPT_GROUPS], (uint32_t)number, sizeof *group)
            : NULL;
    return group && group->halvings < domain->halvings;
}

/* What was said of a group; where nothing ever is, what is no group's.  NULL without memory. */
static struct said *said_of(struct heaptap_pprof *profile, uint32_t number)
{
    static struct said none;
    return profile->kept->intervals
               ? store_reach(&profile->stores[KEPT_SAID], number, sizeof(struct said))
               : &none;
}

static void say(struct said *said, uint64_t change)
{
    said->allocated += change;
    said->saying_allocated += change;
}

static void leave(struct heaptap_pprof *profile, struct group *group, struct said *said,
                  uint64_t samples, int64_t time_us)
{
    say(said, -samples);
    gather_end_lives(profile, group, samples, time_us);
    atomic_fetch_sub_explicit(&group->allocated, samples, memory_order_release);
}

static uint64_t samples_left(const struct heaptap_pprof_domain *domain, const struct group *group,
                             uint64_t samples, uint64_t toss)
{
    const struct heaptap_pprof *profile = domain->profile;
    uint64_t salt = coin_salt(profile->start_us, profile->kept->pid);
    uint64_t tosses = (UINT64_C(1) << COIN_OF_BLOCKS) - 1;
    uint64_t id = (uint64_t)group->halvings << COIN_STEP_SHIFT | (tosses + 1) | (toss & tosses);
    return coin_remaining(salt, id, domain->halvings, samples);
}

uint64_t pprof_block_renew(struct heaptap_pprof_domain *domain, int64_t time_us, uint64_t block,
                           uint64_t toss)
{
    struct heaptap_pprof *profile = domain->profile;
    uint64_t samples;
    if (!block)
        return 0;
    struct group *old = gather_group_of(profile, block, &samples);
    struct said *old_said = said_of(profile, (uint32_t)(block >> BLOCK_SAMPLE_BITS));
    uint64_t left = samples_left(domain, old, samples, toss);
    uint32_t number = left ? stacks_group_at(domain, old->node - 1, old->length) : 0;
    struct said *said = number ? said_of(profile, number) : NULL;
    if (!old_said || (left && !said))
        return block; /* there is no memory: it stays what it is */
    leave(profile, old, old_said, samples, time_us);
    if (!left)
        return 0;
    gather_allocated(profile, store_group(profile, number), left, time_us);
    say(said, left);
    return (uint64_t)number << BLOCK_SAMPLE_BITS | (left == old->length ? 0 : left);
}
