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
    recorder.budget = (struct budget){.is_halving = 0};
    halving_begin(&recorder.budget.blocks, most_blocks, coin_salt(start_us, pid));
}

uint64_t budget_id_of(const void *word)
{
    return ((uint64_t)(uintptr_t)word & id_mask) - 1;
}

/* As halving_count. */
static unsigned count(struct budget *budget, uint64_t id, uint32_t halvings, uint64_t samples)
{
    unsigned over = halving_count(&budget->blocks, id, halvings, samples);
    if (over && halving_is_due(&budget->blocks))
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
    count(&recorder.budget, halving_id_base(halvings) | budget_next_number(), halvings, samples);
}

/* The blocks that are in use are the first of the next interval. */
static void begin_interval(struct halving *blocks, const double *live)
{
    for (unsigned i = 0; i <= COIN_STEPS_MAX; i++)
        __atomic_store_n(&blocks->over[i + 1],
                         (uint64_t)(live[i] - (i < COIN_STEPS_MAX ? live[i + 1] : 0)),
                         __ATOMIC_RELAXED);
    uint64_t left =
        halving_count_left(blocks, __atomic_load_n(&blocks->halvings, __ATOMIC_RELAXED));
    __atomic_store_n(&blocks->left, left, __ATOMIC_RELAXED);
    if (halving_is_due(blocks))
        requests_add(REQUEST_HALVE);
}

/* Each end of a block looks among those that the engine keeps. */
static bool keeps_many(const struct halving *blocks, const double *live)
{
    struct heaptap_engine_counts counts;
    double left = live[__atomic_load_n(&blocks->halvings, __ATOMIC_RELAXED)];
    heaptap_engine_read_counts(&recorder.engine, &counts);
    return (double)counts.tracked > 2 * left + FEW_BLOCKS;
}

void budget_saved(bool is_interval)
{
    struct halving *blocks = &recorder.budget.blocks;
    double live[COIN_STEPS_MAX + 1];
    pprof_live_blocks(recorder.profile, live);
    if (is_interval)
        begin_interval(blocks, live);
    if (keeps_many(blocks, live))
        requests_add(REQUEST_RENEW);
}

static bool is_over(const void *context, const void *word)
{
    const uint32_t *halvings = context;
    return (uint64_t)(uintptr_t)word >> WORD_OVER_SHIFT <= *halvings;
}

static void halve(struct halving *blocks)
{
    uint32_t halvings = halving_next(blocks);
    if (halvings == blocks->halvings)
        return;
    if (recorder.profile)
        pprof_set_halvings(recorder.profile, halvings);
    else
        writer_set_rate(recorder.writer, coin_rate(1, halvings));
    __atomic_store_n(&blocks->halvings, halvings, __ATOMIC_RELEASE);
    engine_set_halvings(&recorder.engine, halvings);
    if (!recorder.profile)
        engine_prune(&recorder.engine, &record_self.engine,
                     &(struct engine_pruning){.is_over = is_over, .context = &halvings});
    halving_go_on(blocks, halvings);
}

void budget_halve(void)
{
    struct budget *budget = &recorder.budget;
    if (__atomic_exchange_n(&budget->is_halving, 1, __ATOMIC_ACQUIRE))
        return;
    halve(&budget->blocks);
    __atomic_store_n(&budget->is_halving, 0, __ATOMIC_RELEASE);
}
