/* Most stacks allocate blocks of one size, which stands beside the stack; the others have a little
 * table each.  No group is looked at to find it: where there are many, each look misses the cache.
 */
#include "pprof/write/block_groups.h"

#include <stdlib.h>

#include "base/array.h"

/* A size of a stack, and its group: STACK_NONE in a free slot. */
struct size_slot {
    uint32_t size, group;
};

struct stack_sizes {
    struct size_slot first;  /* group: STACK_NONE where the stack has none */
    uint32_t count;          /* of slots in use */
    uint32_t mask;           /* slots - 1 */
    struct size_slot *slots; /* of the others; NULL at first */
};

void block_groups_release(struct block_groups *groups)
{
    if (!groups->borrows_trie)
        stack_trie_release(&groups->trie);
    for (size_t i = 0; i < groups->size_count; i++)
        free(groups->sizes[i].slots);
    free(groups->sizes);
    map_release(&groups->long_numbers);
    free(groups->items);
    free(groups->kinds);
    free(groups->long_sizes);
    *groups = (struct block_groups){0};
}

/* The number of a length that is too long to be its own. */
static uint32_t number_of_long(struct block_groups *groups, uint64_t length)
{
    bool fresh;
    uint32_t *number = map_put(&groups->long_numbers, length, (uint32_t)groups->long_count, &fresh);
    if (!number ||
        !ARRAY_RESERVE(&groups->long_sizes, &groups->long_capacity, groups->long_count + 1))
        return STACK_NONE;
    if (fresh)
        groups->long_sizes[groups->long_count++] = length;
    return BLOCK_LONG + *number;
}

static uint32_t add_group(struct block_groups *groups, uint32_t stack, uint32_t size)
{
    size_t count = groups->count;
    if (count >= STACK_NONE - 1 || !ARRAY_RESERVE(&groups->items, &groups->capacity, count + 1) ||
        !ARRAY_RESERVE(&groups->kinds, &groups->kind_capacity, count + 1))
        return STACK_NONE;
    groups->items[count] = (struct block_group){0};
    groups->kinds[count] = (struct block_kind){stack, size};
    return (uint32_t)groups->count++;
}

/* Neighbouring sizes stand side by side, so that small ones share a line of the cache. */
static struct size_slot *slot_of(const struct stack_sizes *sizes, uint32_t size)
{
    uint32_t at = size ^ size >> 3 ^ size >> 6;
    for (;; at++) {
        struct size_slot *slot = &sizes->slots[at & sizes->mask];
        if (slot->size == size || slot->group == STACK_NONE)
            return slot;
    }
}

static bool grow_slots(struct stack_sizes *sizes)
{
    enum { FIRST_SLOTS = 8 };
    uint32_t old = sizes->slots ? sizes->mask + 1 : 0, count = old ? old * 2 : FIRST_SLOTS;
    struct stack_sizes grown = {sizes->first, sizes->count, count - 1,
                                malloc(count * sizeof *grown.slots)};
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < count; i++)
        grown.slots[i] = (struct size_slot){STACK_NONE, STACK_NONE};
    for (uint32_t i = 0; i < old; i++)
        if (sizes->slots[i].group != STACK_NONE)
            *slot_of(&grown, sizes->slots[i].size) = sizes->slots[i];
    free(sizes->slots);
    *sizes = grown;
    return true;
}

static uint32_t find_further(struct block_groups *groups, uint32_t stack, uint32_t size)
{
    struct stack_sizes *sizes = &groups->sizes[stack];
    struct size_slot *slot = sizes->slots ? slot_of(sizes, size) : NULL;
    if (slot && slot->group != STACK_NONE)
        return slot->group;
    if ((!slot || sizes->count > sizes->mask / 4 * 3) && !grow_slots(sizes))
        return STACK_NONE;
    sizes->count++;
    slot = slot_of(sizes, size);
    slot->size = size;
    return slot->group = add_group(groups, stack, size);
}

static bool reach_stack(struct block_groups *groups, uint32_t stack)
{
    if (__builtin_expect(stack < groups->size_count, 1))
        return true;
    if (!ARRAY_RESERVE(&groups->sizes, &groups->size_capacity, (size_t)stack + 1))
        return false;
    while (groups->size_count <= stack)
        groups->sizes[groups->size_count++] = (struct stack_sizes){.first.group = STACK_NONE};
    return true;
}

uint32_t block_groups_find(struct block_groups *groups, uint32_t stack, uint64_t length)
{
    uint32_t size = length < BLOCK_LONG ? (uint32_t)length : number_of_long(groups, length);
    if (size == STACK_NONE || !reach_stack(groups, stack))
        return STACK_NONE;
    struct size_slot *first = &groups->sizes[stack].first;
    if (first->group == STACK_NONE)
        *first = (struct size_slot){size, add_group(groups, stack, size)};
    return first->size == size ? first->group : find_further(groups, stack, size);
}
