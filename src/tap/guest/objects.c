#include "tap/guest/objects.h"

#include "tap/inside/pages.h"

enum { NODES_MOST = 1 << 27 };

bool object_nodes_init(struct object_nodes *nodes, const struct blocks *blocks)
{
    *nodes = (struct object_nodes){.blocks = blocks,
                                   .items = pages_map(NODES_MOST * sizeof *nodes->items)};
    return nodes->items;
}

uint32_t object_nodes_find(const struct object_nodes *nodes, uint64_t node)
{
    const struct address_entry *entry =
        address_table_find(&nodes->numbers, node & ~(uint64_t)NODE_IS_BLOCK);
    return entry ? (uint32_t)entry->value : UINT32_MAX;
}

const struct block_slot *object_nodes_slot(const struct object_nodes *nodes, uint64_t address)
{
    const struct block_slot *slot = address % 16 == 0 ? blocks_slot(nodes->blocks, address) : NULL;
    return slot && slot->note & NOTE_PRESENT ? slot : NULL;
}

void object_nodes_add(struct object_nodes *nodes, uint64_t node)
{
    uint64_t address = node & ~(uint64_t)NODE_IS_BLOCK;
    if (nodes->failed || object_nodes_find(nodes, node) != UINT32_MAX ||
        (node & NODE_IS_BLOCK && !object_nodes_slot(nodes, address)))
        return;
    if (nodes->count == NODES_MOST || !address_table_add(&nodes->numbers, address, nodes->count)) {
        nodes->failed = true;
        return;
    }
    nodes->items[nodes->count++] = node;
}
