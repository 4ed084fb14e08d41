#include "tap/record/budget.h"

#include "base/coin.h"
#include "tap/engine/rate.h"
#include "tap/gather/halve.h"
#include "tap/record/requests.h"
#include "tap/record/state.h"
#include "tap/trace/writer.h"

/* A block's word: its id and 1, and above that the halving at which it is over. */
enum { WORD_OVER_SHIFT = 56 };

enum { FEW_BLOCKS = 500 };

static const uint64_t id_mask = (UINT64_C(1) << WORD_OVER_SHIFT) - 1;

void budget_begin(uint64_t most_blocks, int64_t start_us, uint64_t pid)
{
    recorder.budget = (struct budget){.most_blocks = most_blocks, .salt = coin_salt(start_us, pid)};
}

uint64_t budget_id_base(uint32_t halvings)
{
    return (uint64_t)halvings << COIN_STEP_SHIFT;
}

uint64_t budget_id_of(const void *word)
{
    return ((uint64_t)(uintptr_t)word & id_mask) - 1;
}

/* Counts a block at the halving at which it is over, and returns that; 0 where it is already. */
static unsigned count(struct budget *budget, uint64_t id, uint32_t halvings, uint64_t samples)
{
    unsigned over = coin_last_step(budget->salt, id, halvings, samples);
    __atomic_fetch_add(&budget->over[over], 1, __ATOMIC_RELAXED);
    if (over <= __atomic_load_n(&budget->halvings, __ATOMIC_ACQUIRE))
        return 0; /* halved since it was sampled */
    if (__atomic_add_fetch(&budget->left, 1, __ATOMIC_RELAXED) >= budget->most_blocks)
        requests_add(REQUEST_HALVE);
    return over;
}

void *budget_count(uint64_t id, uint32_t halvings, uint64_t samples)
{
    uint64_t over = count(&recorder.budget, id, halvings, samples);
    return over ? (void *)(uintptr_t)(over << WORD_OVER_SHIFT | (id + 1)) : NULL;
}

uint64_t budget_next_number(void)
{
    return __atomic_fetch_add(&recorder.budget.numbers, 1, __ATOMIC_RELAXED);
}

void budget_count_gathered(uint32_t halvings, uint64_t samples)
{
    count(&recorder.budget, budget_id_base(halvings) | budget_next_number(), halvings, samples);
}

/* How many blocks are left after so many halvings. */
static uint64_t count_left(const struct budget *budget, uint32_t halvings)
{
    uint64_t left = 0;
    for (uint32_t i = halvings + 1; i < sizeof budget->over / sizeof budget->over[0]; i++)
        left += __atomic_load_n(&budget->over[i], __ATOMIC_RELAXED);
    return left;
}

/* The blocks that are in use are the first of the next interval. */
static void begin_interval(struct budget *budget, const double *live)
{
    for (unsigned i = 0; i <= COIN_STEPS_MAX; i++)
        __atomic_store_n(&budget->over[i + 1],
                         (uint64_t)(live[i] - (i < COIN_STEPS_MAX ? live[i + 1] : 0)),
                         __ATOMIC_RELAXED);
    uint64_t left = count_left(budget, __atomic_load_n(&budget->halvings, __ATOMIC_RELAXED));
    __atomic_store_n(&budget->left, left, __ATOMIC_RELAXED);
    if (left >= budget->most_blocks)
        requests_add(REQUEST_HALVE);
}

/* Each end of a block looks among those that the engine keeps. */
static bool keeps_many(const struct budget *budget, const double *live)
{
    struct heaptap_engine_counts counts;
    double left = live[__atomic_load_n(&budget->halvings, __ATOMIC_RELAXED)];
    heaptap_engine_read_counts(&recorder.engine, &counts);
    return (double)counts.tracked > 2 * left + FEW_BLOCKS;
}

void budget_saved(bool is_interval)
{
    struct budget *budget = &recorder.budget;
    double live[COIN_STEPS_MAX + 1];
    pprof_live_blocks(recorder.profile, live);
    if (is_interval)
        begin_interval(budget, live);
    if (keeps_many(budget, live))
        requests_add(REQUEST_RENEW);
}

static bool is_over(const void *context, const void *word)
{
    const uint32_t *halvings = context;
    return (uint64_t)(uintptr_t)word >> WORD_OVER_SHIFT <= *halvings;
}

static void halve(struct budget *budget)
{
    uint32_t halvings = budget->halvings;
    if (count_left(budget, halvings) < budget->most_blocks || halvings == COIN_STEPS_MAX)
        return;
    do
        halvings++;
    while (halvings < COIN_STEPS_MAX &&
           count_left(budget, halvings + 1) >= budget->most_blocks / 2);
    if (recorder.profile)
        pprof_set_halvings(recorder.profile, halvings);
    else
        writer_set_rate(recorder.writer, coin_rate(1, halvings));
    __atomic_store_n(&budget->halvings, halvings, __ATOMIC_RELEASE);
    engine_set_halvings(&recorder.engine, halvings);
    if (!recorder.profile)
        engine_prune(&recorder.engine, &record_self.engine,
                     &(struct engine_pruning){.is_over = is_over, .context = &halvings});
    __atomic_store_n(&budget->left, count_left(budget, halvings), __ATOMIC_RELAXED);
}

void budget_halve(void)
{
    struct budget *budget = &recorder.budget;
    if (__atomic_exchange_n(&budget->halving, 1, __ATOMIC_ACQUIRE))
        return;
    halve(budget);
    __atomic_store_n(&budget->halving, 0, __ATOMIC_RELEASE);
}
