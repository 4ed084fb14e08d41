#include "tap/engine/each.h"

#include "tap/engine/live_table.h"
#include "tap/engine/state.h"

struct telling {
    void (*tell)(void *context, uint64_t address, void *metadata);
    void *context;
};

static void tell_one(void *context, uint64_t address, const struct heaptap_tracked *tracked)
{
    const struct telling *telling = context;
    if (tracked->told & TOLD_ALLOC && !(tracked->events & (TRACKED_ENDED | TRACKED_DROPPED)))
        telling->tell(telling->context, address, tracked->metadata);
}

void engine_each(const struct heaptap_engine *engine,
                 void (*tell)(void *context, uint64_t address, void *metadata), void *context)
{
    struct telling telling = {tell, context};
    live_table_each(&engine->state->table, tell_one, &telling);
}
