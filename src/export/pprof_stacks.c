#include "export/pprof_stacks.h"

#include <stdlib.h>
#include <string.h>

enum { ID_BYTES_MAX = 5 };

bool pprof_stacks_init(struct pprof_stacks *stacks, const struct stack_trie *trie,
                       const uint32_t *location_ids, uint32_t of_none)
{
    uint32_t deepest = 1;
    *stacks = (struct pprof_stacks){.trie = trie, .location_ids = location_ids, .of_none = of_none};
    stacks->depth = calloc(trie->count, sizeof *stacks->depth);
    if (!stacks->depth)
        return false;
    for (uint32_t node = 1; node < trie->count; node++) {
        stacks->depth[node] = stacks->depth[trie->nodes[node].parent] + 1;
        deepest = stacks->depth[node] > deepest ? stacks->depth[node] : deepest;
    }
    stacks->capacity = (size_t)deepest * ID_BYTES_MAX;
    stacks->path = calloc((size_t)deepest + 1, sizeof *stacks->path);
    stacks->climbed = malloc((size_t)deepest * sizeof *stacks->climbed);
    stacks->bytes = malloc(stacks->capacity);
    return stacks->path && stacks->climbed && stacks->bytes;
}

void pprof_stacks_release(struct pprof_stacks *stacks)
{
    free(stacks->depth);
    free(stacks->path);
    free(stacks->climbed);
    free(stacks->bytes);
    *stacks = (struct pprof_stacks){0};
}

/* Puts an id in front of the `size` bytes that end the buffer. */
static size_t put_in_front(struct pprof_stacks *stacks, size_t size, uint32_t id)
{
    uint8_t encoded[ID_BYTES_MAX];
    size_t count = 0;
    for (; id >= 0x80; id >>= 7)
        encoded[count++] = (uint8_t)(id | 0x80);
    encoded[count++] = (uint8_t)id;
    size += count;
    memcpy(stacks->bytes + stacks->capacity - size, encoded, count);
    return size;
}

const uint8_t *pprof_stacks_pack(struct pprof_stacks *stacks, uint32_t node, size_t *size)
{
    uint32_t depth = stacks->depth[node], count = 0;
    for (; depth > stacks->path_depth || stacks->path[depth].node != node; depth--) {
        stacks->climbed[count++] = node;
        node = stacks->trie->nodes[node].parent;
    }
    for (; count > 0; depth++) {
        uint32_t next = stacks->climbed[--count];
        uint32_t id = stacks->location_ids[stacks->trie->nodes[next].frame];
        stacks->path[depth + 1] =
            (struct pprof_step){next, put_in_front(stacks, stacks->path[depth].size, id)};
    }
    stacks->path_depth = depth;
    *size = depth > 0 ? stacks->path[depth].size : put_in_front(stacks, 0, stacks->of_none);
    return stacks->bytes + stacks->capacity - *size;
}

/* A node's place is behind its caller's and all that is below the caller's earlier callees. */
static bool place_nodes(const struct stack_trie *trie, uint32_t *place)
{
    uint32_t *below = calloc(trie->count, sizeof *below); /* nodes, itself too; then where the next
                                                             of its callees goes */
    if (!below)
        return false;
    for (size_t node = trie->count; node-- > 1;)
        below[trie->nodes[node].parent] += ++below[node];
    place[STACK_ROOT] = 0;
    below[STACK_ROOT] = 1;
    for (size_t node = 1; node < trie->count; node++) {
        uint32_t *next = &below[trie->nodes[node].parent];
        place[node] = *next;
        *next += below[node];
        below[node] = place[node] + 1;
    }
    free(below);
    return true;
}

uint32_t *pprof_stacks_order(const struct stack_trie *trie)
{
    size_t stacks = trie->stack_count, count = 0;
    uint32_t *place = malloc(trie->count * sizeof *place);
    uint32_t *at_place = malloc(trie->count * sizeof *at_place);
    uint32_t *order = malloc((stacks + 1) * sizeof *order);
    bool done = place && at_place && order && place_nodes(trie, place);
    for (size_t i = 0; done && i < trie->count; i++)
        at_place[i] = STACK_NONE;
    for (uint32_t i = 0; done && i < stacks; i++)
        at_place[place[trie->ends[i]]] = i;
    for (size_t i = 0; done && i < trie->count; i++)
        if (at_place[i] != STACK_NONE)
            order[count++] = at_place[i];
    free(place);
    free(at_place);
    if (done)
        return order;
    free(order);
    return NULL;
}
