/* What a file says of a group whose blocks were sampled at a higher rate than the file has.
 *
 * Each of its samples stays with the chance of one half for each halving in between: so what stays is binomial, as are the samples of a
 * recording that had the file's rate from the start.  A block's samples stay or go by themselves, so it need not be known which are
 * whose; but a sample of a block in use must not be there as one in use and missing as one allocated.  As many as are both
 * are told by the same coins.  These are coins of the group's number, and fall alike in every file: what is in use, and stays in
 * use, does not waver from one interval to the next.
 *
 * How long those live that stay is not known: in the mean as long as all of their stack and size. */
#include "tap/gather/halve.h"
#include "tap/gather/profile.h"

/* Of a coin's number, which is no block's (tap/record/budget.c): bit 47, the group, and what its samples are. */
enum { COIN_GROUP_SHIFT = 2, COIN_OF_GROUPS = 47 };
enum { COIN_LIVE, COIN_ENDED, COIN_PROMOTED };

void pprof_set_halvings(struct heaptap_pprof *profile, uint32_t halvings)
{
    atomic_store_explicit(&profile->kept->halvings, halvings, memory_order_release);
}

void pprof_domain_set_halvings(struct heaptap_pprof_domain *domain, uint32_t halvings)
{
    domain->halvings = halvings;
}

/* ---- At a moment -------------------------------------------------------------------- */

static sample_us wide(uint32_t high, uint64_t low)
{
    return (sample_us)high << 64 | low;
}

/* Of a number of 96 bits; 0 where that is negative. */
static double positive(sample_us number)
{
    uint64_t high = (uint64_t)(number >> 64) & UINT32_MAX;
    return high >> 31 ? 0 : (double)high * 0x1p64 + (double)(uint64_t)number;
}

/* What has ended is read before what was allocated. */
static struct sums read_sums(const struct heaptap_pprof *profile, const struct group *group,
                             int64_t now_us, struct said *said)
{
    uint64_t now = (uint64_t)now_us - (uint64_t)profile->start_us;
    uint64_t collected = atomic_load_explicit(&group->collected, memory_order_acquire);
    sample_us collected_at = wide(group->collected_at_high, group->collected_at);
    uint64_t promoted = group->promoted;
    uint64_t allocated = atomic_load_explicit(&group->allocated, memory_order_acquire);
    sample_us allocated_at = wide(group->allocated_at_high, group->allocated_at);
    uint64_t live = allocated > collected ? allocated - collected : 0;
    double lives = positive(collected_at + (sample_us)live * now - allocated_at);
    if (said) {
        said->saying_allocated = allocated;
        said->saying_ended = collected;
        allocated -= said->allocated;
        if (allocated >> 63)
            allocated = 0; /* the process was killed while it renewed a block */
    }
    return (struct sums){allocated, live, promoted, (double)allocated, lives};
}

/* ---- At a rate ---------------------------------------------------------------------- */

struct thinning {
    uint64_t salt, id;
    uint32_t halvings;
};

static uint64_t stay(const struct thinning *thinning, unsigned what, uint64_t samples)
{
    return coin_remaining(thinning->salt, thinning->id | what, thinning->halvings, samples);
}

static struct sums thin(const struct thinning *thinning, const struct sums *all)
{
    uint64_t lasting = all->live < all->allocated ? all->live : all->allocated;
    uint64_t ended = stay(thinning, COIN_ENDED, all->allocated - lasting);
    struct sums left = {.allocated = stay(thinning, COIN_LIVE, lasting) + ended,
                        .live = stay(thinning, COIN_LIVE, all->live),
                        .promoted = stay(thinning, COIN_PROMOTED, all->promoted)};
    uint32_t steps = thinning->halvings - coin_step_of(thinning->id);
    left.all = coin_rate(all->all, steps);
    left.lives_us = coin_rate(all->lives_us, steps);
    return left;
}

struct sums sums_of(const struct heaptap_pprof *profile, uint32_t number, uint32_t halvings,
                    int64_t now_us, struct said *said)
{
    const struct group *group = store_group(profile, number);
    struct sums sums = read_sums(profile, group, now_us, said);
    if (group->halvings == halvings)
        return sums;
    const struct thinning thinning = {.salt = coin_salt(profile->start_us, profile->kept->pid),
                                      .id = (uint64_t)group->halvings << COIN_STEP_SHIFT |
                                            UINT64_C(1) << COIN_OF_GROUPS |
                                            (uint64_t)number << COIN_GROUP_SHIFT,
                                      .halvings = halvings};
    return thin(&thinning, &sums);
}

double sums_lives_us(const struct sums *sums)
{
    return sums->all > 0 ? sums->lives_us * ((double)sums->allocated / sums->all) : 0;
}

/* ---- Blocks in use ------------------------------------------------------------------ */

/* A block of n words has a sample at rate r with a chance of nearly n r / (1 + n r).  What comes to nearly nothing is left out. */
static void add_live(const struct heaptap_pprof *profile, const struct group *group, double *left,
                     uint32_t halvings)
{
    uint64_t collected = group->collected, allocated = group->allocated;
    double words = (double)group->length;
    if (allocated <= collected)
        return;
    double samples = (double)(allocated - collected);
    double rate = coin_rate(profile->kept->rate, halvings);
    samples = coin_rate(samples, halvings - group->halvings);
    for (uint32_t i = halvings; i <= COIN_STEPS_MAX && samples > 1e-4; i++, samples /= 2, rate /= 2)
        left[i] += samples / (1 + words * rate);
}

void pprof_live_blocks(const struct heaptap_pprof *profile, double left[COIN_STEPS_MAX + 1])
{
    uint32_t halvings = atomic_load_explicit(&profile->kept->halvings, memory_order_relaxed);
    uint32_t end = atomic_load_explicit(&profile->kept->group_numbers, memory_order_acquire);
    for (uint32_t i = 0; i <= COIN_STEPS_MAX; i++)
        left[i] = 0;
    for (uint32_t i = 1; i < end; i++) {
        const struct group *group = store_peek(&profile->stores[KEPT_GROUPS], i, sizeof *group);
        if (group && atomic_load_explicit(&group->node, memory_order_acquire) &&
            group->halvings <= halvings)
            add_live(profile, group, left, halvings);
    }
    for (uint32_t i = 0; i < halvings; i++)
        left[i] = left[halvings];
}
