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

/* Takes a record's block out of the table, if `is_over` still tells so when it is ours; until then
 * somebody else may end it, or the record may have become another block's. */
static void prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  struct heaptap_tracked *record,
                  bool (*is_over)(const void *context, const void *metadata), const void *context)
{
    struct live_table *table = &engine->state->table;
    struct heaptap_tracked *tracked;
    struct slot slot;
    uint64_t address = __atomic_load_n(&record->address, __ATOMIC_RELAXED);
    if (address <= KEY_RESERVED || !live_table_holds(table, address, record) ||
        !live_table_claim(table, address, &slot, &tracked))
        return;
    if (tracked != record || !is_over(context, record->metadata)) {
        live_table_restore(&slot, address, tracked);
        return;
    }
    bool mine = tracked_post(record, TRACKED_DROPPED);
    filter_remove(engine, address);
    live_table_release(table, &slot);
    if (mine)
        tracked_run(engine, thread, thread->state, record);
}

/* Goes over the records, which are never unmapped and lie closer than the table's slots. */
void engine_prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  bool (*is_over)(const void *context, const void *metadata), const void *context)
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
            if (metadata && is_over(context, metadata))
                prune(engine, thread, record, is_over, context);
        }
    }
    engine_leave(engine, thread, self);
}
