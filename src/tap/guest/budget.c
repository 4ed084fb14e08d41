/* The rate as a budget, as tap/record/budget.h has it: HEAPTAP_GUEST_BUDGET is the number of blocks at
 * which the rate, 1 at first, is halved.  All heaps of a process have one budget, as they have one
 * trace.  What rows have been told stays right: a block counts for as much as it did when it was
 * drawn. */
#include "base/coin.h"
#include "tap/engine/halving.h"
#include "tap/guest/state.h"
#include "tap/inside/environment.h"

static struct {
    struct halving blocks;
    uint32_t is_halving; /* atomic: a thread is at it */
    uint64_t numbers;    /* atomic; given so far to blocks that are in no trace */
} budget;

bool guest_has_budget(void)
{
    return guest_number(GUEST_BUDGET) > 0 && guest_is_of_record();
}

void guest_budget_begin(uint64_t salt)
{
    uint64_t most = guest_has_budget() ? guest_number(GUEST_BUDGET) : 0;
    halving_begin(&budget.blocks, most, salt);
}

uint32_t guest_budget_halvings(void)
{
    return __atomic_load_n(&budget.blocks.halvings, __ATOMIC_ACQUIRE);
}

void guest_budget_count(uint64_t id, bool is_in_trace, uint32_t halvings, uint64_t samples)
{
    if (!budget.blocks.most_blocks)
        return;
    if (!is_in_trace)
        id = halving_id_base(halvings) | __atomic_fetch_add(&budget.numbers, 1, __ATOMIC_RELAXED);
    halving_count(&budget.blocks, id, halvings, samples);
}

static void halve(void)
{
    uint32_t halvings = halving_next(&budget.blocks);
    if (halvings == budget.blocks.halvings)
        return;
    trace_set_rate(coin_rate(1, halvings));
    __atomic_store_n(&budget.blocks.halvings, halvings, __ATOMIC_RELEASE);
    guest_set_halvings(halvings);
    halving_go_on(&budget.blocks, halvings);
}

void guest_budget_look(void)
{
    if (!halving_is_due(&budget.blocks) ||
        __atomic_exchange_n(&budget.is_halving, 1, __ATOMIC_ACQUIRE))
        return;
    halve();
    __atomic_store_n(&budget.is_halving, 0, __ATOMIC_RELEASE);
}
