#include "tap/engine/halving.h"

#include "base/coin.h"

void halving_begin(struct halving *halving, uint64_t most_blocks, uint64_t salt)
{
    *halving = (struct halving){.most_blocks = most_blocks, .salt = salt};
}

uint64_t halving_id_base(uint32_t halvings)
{
    return (uint64_t)halvings << COIN_STEP_SHIFT;
}

unsigned halving_count(struct halving *halving, uint64_t id, uint32_t halvings, uint64_t samples)
{
    unsigned over = coin_last_step(halving->salt, id, halvings, samples);
    __atomic_fetch_add(&halving->over[over], 1, __ATOMIC_RELAXED);
    if (over <= __atomic_load_n(&halving->halvings, __ATOMIC_ACQUIRE))
        return 0; /* halved since it was sampled */
    __atomic_fetch_add(&halving->left, 1, __ATOMIC_RELAXED);
    return over;
}

uint64_t halving_count_left(const struct halving *halving, uint32_t halvings)
{
    uint64_t left = 0;
    for (uint32_t i = halvings + 1; i < sizeof halving->over / sizeof halving->over[0]; i++)
        left += __atomic_load_n(&halving->over[i], __ATOMIC_RELAXED);
    return left;
}

uint32_t halving_next(const struct halving *halving)
{
    uint32_t halvings = halving->halvings;
    if (halving_count_left(halving, halvings) < halving->most_blocks || halvings == COIN_STEPS_MAX)
        return halvings;
    do
        halvings++;
    while (halvings < COIN_STEPS_MAX &&
           halving_count_left(halving, halvings + 1) >= halving->most_blocks / 2);
    return halvings;
}

void halving_go_on(struct halving *halving, uint32_t halvings)
{
    __atomic_store_n(&halving->halvings, halvings, __ATOMIC_RELEASE);
    __atomic_store_n(&halving->left, halving_count_left(halving, halvings), __ATOMIC_RELAXED);
}
