/* A block is added to its group but once, when it ends: until then it waits with what is known of
 * it, so that its allocation needs nothing of the group but the number.
 *
 * A block's promotion and its end can stand in the file before its allocation, when they happen on
 * another domain: they wait as an `early_end`.  And where another domain has collected a block, its
 * promotion may stand behind that, so such a block is kept, ended.  Byte traces come from
 * allocators without a minor heap, where any thread frees and nothing is promoted: nothing is kept
 * there.
 *
 * A block that is alive at the end, or when its process ended before others, has lived until then as far as its group's lifetimes go: the
 * sum, divided by what was allocated, is the mean time for which a block was seen alive. */
#include "pprof/write/block_fates.h"

enum { PROMOTED = 1, ENDED = 2, IN_MAJOR = 4 }; /* the last: from its allocation on */

struct block {
    int64_t time_us;
    uint64_t samples;
    uint32_t group;
    uint16_t domain; /* that allocated it */
    uint16_t state;
};

struct early_end {
    int64_t collected_us;
    uint16_t state;
    uint16_t collected_on;
};

bool block_fates_init(struct block_fates *fates, const struct heaptap_trace_info *info)
{
    *fates = (struct block_fates){
        .groups.estimate = estimate_of(info),
        .keeps_collected = info->word_bits > 8,
    };
    id_table_init(&fates->blocks, sizeof(struct block));
    id_table_init(&fates->early, sizeof(struct early_end));
    return stack_trie_init(&fates->groups.trie);
}

/* What is needed only while events come. */
static void forget_blocks(struct block_fates *fates)
{
    stack_paths_release(&fates->paths);
    id_table_release(&fates->blocks);
    id_table_release(&fates->early);
}

void block_fates_release(struct block_fates *fates)
{
    forget_blocks(fates);
    block_groups_release(&fates->groups);
    *fates = (struct block_fates){0};
}

static inline struct block_group *settle(struct block_fates *fates, const struct block *block,
                                         int64_t time_us)
{
    int64_t lived_us = (int64_t)((uint64_t)time_us - (uint64_t)block->time_us);
    struct block_group *group =
        block_groups_add(&fates->groups, block->group, block->samples, lived_us);
    if (block->state & PROMOTED)
        group->promoted += block->samples;
    return group;
}

static inline void promote(struct block_fates *fates, struct block *block)
{
    if (block->state & (PROMOTED | IN_MAJOR))
        return;
    block->state |= PROMOTED;
    if (block->state & ENDED)
        fates->groups.items[block->group].promoted += block->samples;
}

static void collect(struct block_fates *fates, struct block *block, uint64_t id, uint16_t domain,
                    int64_t time_us)
{
    if (block->state & ENDED)
        return;
    settle(fates, block, time_us);
    block->state |= ENDED;
    if (!fates->keeps_collected || domain == block->domain || block->state & (PROMOTED | IN_MAJOR))
        id_table_remove_found(&fates->blocks, id, block);
}

/* Its process ended while it was alive: it is in use at the end. */
static void leave(struct block_fates *fates, struct block *block, int64_t time_us)
{
    if (block->state & ENDED)
        return;
    settle(fates, block, time_us)->live += block->samples;
    block->state |= ENDED;
}

/* What happened to the block, by the file, before it was allocated. */
static void catch_up(struct block_fates *fates, struct block *block, uint64_t id)
{
    const struct early_end *found = id_table_find(&fates->early, id);
    if (!found)
        return;
    struct early_end early = *found;
    id_table_remove(&fates->early, id);
    if (early.state & PROMOTED)
        promote(fates, block);
    if (early.state & ENDED)
        collect(fates, block, id, early.collected_on, early.collected_us);
}

/* Another block of the same id, as only a damaged trace has it: the one before is not seen again.
 */
static void replace(struct block_fates *fates, const struct block *block)
{
    if (!(block->state & ENDED))
        settle(fates, block, block->time_us);
}

static bool add_allocation(struct block_fates *fates, const struct heaptap_event *event)
{
    uint32_t node = stack_paths_follow(&fates->paths, &fates->groups.trie, event);
    uint32_t stack = node == STACK_NONE ? STACK_NONE : stack_trie_stack(&fates->groups.trie, node);
    if (stack == STACK_NONE)
        return false;
    uint32_t group = block_groups_find(&fates->groups, stack, event->length);
    bool fresh;
    struct block *block =
        group == STACK_NONE ? NULL : id_table_add(&fates->blocks, event->id, &fresh);
    if (!block)
        return false;
    if (!fresh)
        replace(fates, block);
    *block = (struct block){
        .time_us = event->time_us,
        .samples = event->samples,
        .group = group,
        .domain = event->domain,
        .state = event->source == HEAPTAP_MINOR ? 0 : IN_MAJOR,
    };
    fates->last_group = group;
    if (fates->early.count > 0)
        catch_up(fates, block, event->id);
    return true;
}

static bool add_early(struct block_fates *fates, const struct heaptap_event *event)
{
    bool fresh;
    struct early_end *early = id_table_put(&fates->early, event->id, &fresh);
    if (!early)
        return false;
    if (event->kind == HEAPTAP_PROMOTE) {
        early->state |= PROMOTED;
    } else if (!(early->state & ENDED)) {
        early->state |= ENDED;
        early->collected_us = event->time_us;
        early->collected_on = event->domain;
    }
    return true;
}

bool block_fates_add(struct block_fates *fates, const struct heaptap_event *event)
{
    if (event->time_us > fates->groups.last_us)
        fates->groups.last_us = event->time_us;
    if (event->kind == HEAPTAP_ALLOC)
        return add_allocation(fates, event);
    struct block *block = id_table_find(&fates->blocks, event->id);
    if (!block)
        return add_early(fates, event);
    if (event->kind == HEAPTAP_PROMOTE)
        promote(fates, block);
    else if (event->kind == HEAPTAP_EXIT)
        leave(fates, block, event->time_us);
    else
        collect(fates, block, event->id, event->domain, event->time_us);
    return true;
}

static void count_live(void *context, uint64_t id, void *record)
{
    struct block_fates *fates = context;
    const struct block *block = record;
    if (!(block->state & ENDED))
        settle(fates, block, fates->groups.last_us)->live += block->samples;
}

void block_fates_finish(struct block_fates *fates, int64_t end_us)
{
    fates->groups.last_us = end_us;
    id_table_each(&fates->blocks, count_live, fates);
    forget_blocks(fates);
}
