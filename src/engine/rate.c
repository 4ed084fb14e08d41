#include "engine/rate.h"

#include "engine/state.h"

void engine_set_halvings(struct heaptap_engine *engine, uint32_t times)
{
    __atomic_store_n(&engine->state->halvings, times, __ATOMIC_RELEASE);
}

uint32_t engine_halvings(const struct heaptap_thread *thread)
{
    return thread->state->halvings;
}

struct pruning {
    bool (*is_over)(const void *context, const void *metadata);
    const void *context;
};

/* Records are never unmapped, so one that is another block's by now can be looked at. */
static bool is_chosen(const void *context, const struct heaptap_tracked *tracked)
{
    const struct pruning *pruning = context;
    return tracked && pruning->is_over(pruning->context,
                                       __atomic_load_n(&tracked->metadata, __ATOMIC_RELAXED));
}

void engine_prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  bool (*is_over)(const void *context, const void *metadata), const void *context)
{
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    struct live_table_walk walk = {.low = 0, .high = UINT64_MAX};
    struct pruning pruning = {is_over, context};
    struct heaptap_tracked *tracked;
    struct slot slot;
    uint64_t address;
    if (!self)
        return;
    while (live_table_claim_chosen(&engine->state->table, &walk, is_chosen, &pruning, &slot,
                                   &address, &tracked)) {
        bool mine = tracked_post(tracked, TRACKED_DROPPED);
        filter_remove(engine, address);
        live_table_release(&engine->state->table, &slot);
        if (mine)
            tracked_run(engine, thread, self, tracked);
    }
    engine_leave(engine, thread, self);
}
