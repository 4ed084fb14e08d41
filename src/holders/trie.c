#include "holders/trie.h"

#include <stdlib.h>

#include "base/array.h"

void ways_release(struct ways *ways)
{
    free(ways->items);
    map_release(&ways->by_key);
    *ways = (struct ways){0};
}

static uint32_t child(struct ways *ways, uint32_t parent, uint32_t stack)
{
    bool fresh;
    uint64_t key = (uint64_t)parent << 32 | stack;
    uint32_t *number = map_put(&ways->by_key, key, (uint32_t)ways->count, &fresh);
    if (!number)
        return TRIE_NONE;
    if (!fresh)
        return *number;
    if (!ARRAY_RESERVE(&ways->items, &ways->capacity, ways->count + 1))
        return TRIE_NONE;
    ways->items[ways->count++] = (struct way){.parent = parent, .stack = stack};
    return *number;
}

uint32_t ways_root(struct ways *ways, uint32_t root)
{
    return child(ways, TRIE_NONE, root);
}

uint32_t ways_step(struct ways *ways, uint32_t from, uint32_t stack)
{
    if (stack == GRAPH_NONE)
        return ways->items[from].parent != TRIE_NONE && ways->items[from].stack == GRAPH_NONE
                   ? from
                   : child(ways, from, stack);
    for (uint32_t at = from; ways->items[at].parent != TRIE_NONE; at = ways->items[at].parent)
        if (ways->items[at].stack == stack)
            return ways->goes_back ? at : from;
    return child(ways, from, stack);
}

void ways_add(struct ways *ways, uint32_t at, const struct graph_block *block, uint32_t offset,
              uint64_t constant)
{
    struct way *way = &ways->items[at];
    if (way->seen++ == 0) {
        way->offset = offset;
        way->constant = constant;
    }
    if (way->offset != offset)
        way->offset = TRIE_NONE;
    if (way->constant != constant)
        way->constant = 0;
    if (block->stack == GRAPH_NONE)
        return;
    way->samples += block->samples;
    way->blocks += block->weight;
    way->bytes += block->bytes;
    way->left_bytes += block->has_ended ? 0 : block->bytes;
}

void ways_fold(struct ways *ways, double least)
{
    for (size_t i = 0; i < ways->count; i++)
        ways->items[i].all_bytes = ways->items[i].bytes;
    for (size_t i = ways->count; i-- > 0;)
        if (ways->items[i].parent != TRIE_NONE)
            ways->items[ways->items[i].parent].all_bytes += ways->items[i].all_bytes;
    for (size_t i = ways->count; i-- > 0;) {
        struct way *way = &ways->items[i];
        struct way *above = way->parent == TRIE_NONE ? NULL : &ways->items[way->parent];
        way->is_kept = way->all_bytes >= least || !above || above->parent == TRIE_NONE;
        if (way->is_kept)
            continue;
        above->samples += way->samples;
        above->blocks += way->blocks;
        above->bytes += way->bytes;
        above->left_bytes += way->left_bytes;
    }
}
