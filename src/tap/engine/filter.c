/* The filter that every free looks at: per slot, how many tracked addresses fall on it, or 255 for
 * too many to tell.
 *
 * It may say yes for an address that is not tracked, never no for one that is: it counts an address
 * before the block is known to anybody who could free it, and until after its slot in the table is
 * claimed.  A slot that has reached 255 stays there; with 8192 slots that takes some two million
 * tracked blocks. */
#include "tap/engine/state.h"

enum { FILTER_FULL = 255 };

static void filter_change(struct heaptap_engine *engine, uint64_t address, int difference)
{
    uint8_t *slot = &engine->filter[heaptap_filter_slot(address)];
    uint8_t seen = __atomic_load_n(slot, __ATOMIC_RELAXED);
    while (seen != FILTER_FULL &&
           !__atomic_compare_exchange_n(slot, &seen, (uint8_t)(seen + difference), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void filter_add(struct heaptap_engine *engine, uint64_t address)
{
    filter_change(engine, address, 1);
}

void filter_remove(struct heaptap_engine *engine, uint64_t address)
{
    filter_change(engine, address, -1);
}
