/* Most stacks allocate blocks of one size, or of a few: these groups are chained to their stack.
 * Further ones are found by the number of the stack and the length mixed into one key, those whose
 * keys are equal by chance in a chain of their own.
 *
 * A block's promotion and its end can stand in the file before its allocation, when they happen on
 * another domain: they wait as an `early_end`.  And where another domain has collected a block, its
 * promotion may stand behind that, so such a block is kept, ended.  Byte traces come from
 * allocators without a minor heap, where any thread frees and nothing is promoted: nothing is kept
 * there.
 *
 * A block that is alive at the end has lived until then as far as its group's block_us goes: the
 * sum, divided by what was allocated, is the mean time for which a block was seen alive. */
#include "analyze/block_groups.h"

#include <stdlib.h>

#include "base/array.h"

enum { CHAIN_MAX = 4 }; /* groups of a stack that are chained */

enum { PROMOTED = 1, ENDED = 2, IN_MAJOR = 4 }; /* the last: from its allocation on */

struct block {
    int64_t time_us;
    uint64_t samples;
    double density;
    uint32_t group;
    uint16_t domain; /* that allocated it */
    uint16_t state;
};

struct early_end {
    int64_t collected_us;
    uint16_t state;
    uint16_t collected_on;
};

bool block_groups_init(struct block_groups *groups, const struct heaptap_trace_info *info,
                       bool by_size)
{
    *groups = (struct block_groups){
        .estimate = estimate_of(info),
        .by_size = by_size,
        .keeps_collected = info->word_bits > 8,
    };
    id_table_init(&groups->blocks, sizeof(struct block));
    id_table_init(&groups->early, sizeof(struct early_end));
    return stack_trie_init(&groups->trie);
}

void block_groups_release(struct block_groups *groups)
{
    stack_trie_release(&groups->trie);
    stack_paths_release(&groups->paths);
    map_release(&groups->by_key);
    free(groups->first);
    free(groups->items);
    id_table_release(&groups->blocks);
    id_table_release(&groups->early);
    *groups = (struct block_groups){0};
}

/* ---- Groups ------------------------------------------------------------------------- */

static uint32_t add_group(struct block_groups *groups, uint32_t stack, uint64_t length,
                          uint32_t next)
{
    if (groups->count >= STACK_NONE - 1 ||
        !ARRAY_RESERVE(&groups->items, &groups->capacity, groups->count + 1))
        return STACK_NONE;
    groups->items[groups->count] =
        (struct block_group){.length = length, .stack = stack, .next = next};
    return (uint32_t)groups->count++;
}

/* The group of a stack whose chain is full. */
static uint32_t group_by_key(struct block_groups *groups, uint32_t stack, uint64_t length)
{
    bool fresh;
    uint64_t key = (uint64_t)stack << 32 ^ length;
    uint32_t *newest = map_put(&groups->by_key, key, (uint32_t)groups->count, &fresh);
    if (!newest)
        return STACK_NONE;
    for (uint32_t i = fresh ? STACK_NONE : *newest; i != STACK_NONE; i = groups->items[i].next)
        if (groups->items[i].stack == stack && groups->items[i].length == length)
            return i;
    return *newest = add_group(groups, stack, length, fresh ? STACK_NONE : *newest);
}

/* The number of the stack that ends at `node`; STACK_NONE when there is no memory. */
static uint32_t stack_of(struct block_groups *groups, uint32_t node)
{
    uint32_t stack = groups->trie.links[node].stack;
    if (stack != STACK_NONE)
        return stack;
    if (!ARRAY_RESERVE(&groups->first, &groups->first_capacity, groups->trie.stack_count + 1))
        return STACK_NONE;
    stack = stack_trie_add_stack(&groups->trie, node);
    if (stack != STACK_NONE)
        groups->first[stack] = STACK_NONE;
    return stack;
}

/* The number of a group, perhaps a new one; STACK_NONE when there is no memory. */
static uint32_t group_of(struct block_groups *groups, uint32_t stack, uint64_t length)
{
    uint32_t last = STACK_NONE;
    int met = 0;
    for (uint32_t i = groups->first[stack]; i != STACK_NONE && met < CHAIN_MAX; met++) {
        if (groups->items[i].length == length)
            return i;
        last = i;
        i = groups->items[i].next;
    }
    if (met == CHAIN_MAX)
        return group_by_key(groups, stack, length);
    uint32_t added = add_group(groups, stack, length, STACK_NONE);
    if (added != STACK_NONE)
        *(last == STACK_NONE ? &groups->first[stack] : &groups->items[last].next) = added;
    return added;
}

static inline void sum_add(struct block_sum *sum, const struct block *block)
{
    sum->samples += (double)block->samples;
    sum->density += block->density;
}

/* ---- Blocks ------------------------------------------------------------------------- */

static inline void promote(struct block_groups *groups, struct block *block)
{
    if (block->state & (PROMOTED | IN_MAJOR))
        return;
    block->state |= PROMOTED;
    sum_add(&groups->items[block->group].promoted, block);
}

/* Adds the life of a block that lasted until `time_us`; a clock that stepped back makes no life
 * negative. */
static inline void add_life(struct block_groups *groups, const struct block *block, int64_t time_us)
{
    if (time_us > block->time_us)
        groups->items[block->group].block_us +=
            block->density * (double)((uint64_t)time_us - (uint64_t)block->time_us);
}

static void collect(struct block_groups *groups, struct block *block, uint64_t id, uint16_t domain,
                    int64_t time_us)
{
    if (block->state & ENDED)
        return;
    add_life(groups, block, time_us);
    block->state |= ENDED;
    if (!groups->keeps_collected || domain == block->domain || block->state & (PROMOTED | IN_MAJOR))
        id_table_remove(&groups->blocks, id);
}

/* What happened to the block, by the file, before it was allocated. */
static void catch_up(struct block_groups *groups, struct block *block, uint64_t id)
{
    const struct early_end *found = id_table_find(&groups->early, id);
    if (!found)
        return;
    struct early_end early = *found;
    id_table_remove(&groups->early, id);
    if (early.state & PROMOTED)
        promote(groups, block);
    if (early.state & ENDED)
        collect(groups, block, id, early.collected_on, early.collected_us);
}

static bool add_allocation(struct block_groups *groups, const struct heaptap_event *event)
{
    double words = (double)event->length + groups->estimate.header_words;
    uint32_t node = stack_paths_follow(&groups->paths, &groups->trie, event);
    uint32_t stack = node == STACK_NONE ? STACK_NONE : stack_of(groups, node);
    if (stack == STACK_NONE)
        return false;
    uint32_t group = group_of(groups, stack, groups->by_size ? event->length : 0);
    bool fresh;
    struct block *block =
        group == STACK_NONE ? NULL : id_table_add(&groups->blocks, event->id, &fresh);
    if (!block)
        return false;
    *block = (struct block){
        .time_us = event->time_us,
        .samples = event->samples,
        .density = words > 0 ? (double)event->samples / words : (double)event->samples,
        .group = group,
        .domain = event->domain,
        .state = event->source == HEAPTAP_MINOR ? 0 : IN_MAJOR,
    };
    groups->last_group = group;
    sum_add(&groups->items[group].allocated, block);
    if (groups->early.count > 0)
        catch_up(groups, block, event->id);
    return true;
}

static bool add_early(struct block_groups *groups, const struct heaptap_event *event)
{
    bool fresh;
    struct early_end *early = id_table_put(&groups->early, event->id, &fresh);
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

bool block_groups_add(struct block_groups *groups, const struct heaptap_event *event)
{
    if (event->time_us > groups->last_us)
        groups->last_us = event->time_us;
    if (event->kind == HEAPTAP_ALLOC)
        return add_allocation(groups, event);
    struct block *block = id_table_find(&groups->blocks, event->id);
    if (!block)
        return add_early(groups, event);
    if (event->kind == HEAPTAP_PROMOTE)
        promote(groups, block);
    else
        collect(groups, block, event->id, event->domain, event->time_us);
    return true;
}

static void count_live(void *context, uint64_t id, void *record)
{
    struct block_groups *groups = context;
    const struct block *block = record;
    if (block->state & ENDED)
        return;
    sum_add(&groups->items[block->group].live, block);
    add_life(groups, block, groups->last_us);
}

void block_groups_finish(struct block_groups *groups)
{
    id_table_each(&groups->blocks, count_live, groups);
    stack_paths_release(&groups->paths);
    map_release(&groups->by_key);
    id_table_release(&groups->blocks);
    id_table_release(&groups->early);
}
