#include "tap/engine/rate.h"

#include "tap/engine/state.h"

void engine_set_halvings(struct heaptap_engine *engine, uint32_t times)
{
    __atomic_store_n(&engine->state->halvings, times, __ATOMIC_RELEASE);
}

uint32_t engine_halvings(const struct heaptap_thread *thread)
{
    return thread->state->halvings;
}

/* The block is ours, and what is to be done with it is known to be so. */
static void prune_claimed(struct heaptap_engine *engine, struct heaptap_thread *thread,
                          struct heaptap_tracked *record, const struct slot *slot, uint64_t address,
                          const struct engine_pruning *pruning)
{
    struct live_table *table = &engine->state->table;
    void *renewed = pruning->renew ? pruning->renew(pruning->context, record->metadata) : NULL;
    if (renewed) {
        __atomic_store_n(&record->metadata, renewed, __ATOMIC_RELAXED);
        live_table_restore(slot, address, record);
        return;
    }
    bool mine = tracked_post(record, TRACKED_DROPPED);
    filter_remove(engine, address);
    live_table_release(table, slot);
    if (mine)
        tracked_run(engine, thread, thread->state, record);
}

/* Takes a record's block out of the table, if `is_over` still tells so when it is ours; until then
 * somebody else may end it, or the record may have become another block's. */
static void prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_tracked *record, const struct engine_pruning *pruning)
{
    struct live_table *table = &engine->state->table;
    struct heaptap_tracked *tracked;
    struct slot slot;
    uint64_t address = __atomic_load_n(&record->address, __ATOMIC_RELAXED);
    if (address <= KEY_RESERVED || !live_table_holds(table, address, record) ||
        !live_table_claim(table, address, &slot, &tracked))
        return;
    if (tracked == record && pruning->is_over(pruning->context, record->metadata))
        prune_claimed(engine, thread, record, &slot, address, pruning);
    else
        live_table_restore(&slot, address, tracked);
}

/* Goes over the records, which are never unmapped and lie closer than the table's slots. */
void engine_prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  const struct engine_pruning *pruning)
{
    struct heaptap_thread_state *self = engine_enter(engine, thread);
    if (!self)
        return;
    struct record_chunk *chunk = __atomic_load_n(&engine->state->chunks, __ATOMIC_ACQUIRE);
    for (; chunk; chunk = chunk->next) {
        size_t count = (chunk->size_bytes - sizeof *chunk) / sizeof chunk->records[0];
        for (size_t i = 0; i < count; i++) {
            struct heaptap_tracked *record = &chunk->records[i];
            const void *metadata = __atomic_load_n(&record->metadata, __ATOMIC_RELAXED);
            if (metadata && pruning->is_over(pruning->context, metadata))
                prune(engine, thread, record, pruning);
        }
    }
    engine_leave(engine, thread, self);
}
