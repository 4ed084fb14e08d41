/* The objects of an interpreter, and blocks of theirs that are no objects, such as a list's items: numbered as they are met.  Only in a copy
 * of the process. */
#ifndef TAP_GUEST_OBJECTS_H
#define TAP_GUEST_OBJECTS_H

#include "tap/guest/address_table.h"
#include "tap/guest/blocks.h"

enum { NODE_IS_BLOCK = 1 }; /* the lowest bit of a node: a block that is no object */

struct object_nodes {
    const struct blocks *blocks; /* that are recorded */
    struct address_table numbers;
    uint64_t *items; /* addresses by number, with NODE_IS_BLOCK */
    uint32_t count;
    uint32_t reached; /* the adapter's: nothing leads to blocks with numbers from here on */
    bool failed;      /* there is no memory */
};

/* False without memory. */
bool object_nodes_init(struct object_nodes *nodes, const struct blocks *blocks);

/* The number of an object or block; UINT32_MAX for none. */
uint32_t object_nodes_find(const struct object_nodes *nodes, uint64_t node);

/* Numbers it, if it has none.  A block that is no object is of interest where it is recorded. */
void object_nodes_add(struct object_nodes *nodes, uint64_t node);

/* The recorded block that begins at an address; NULL for none. */
const struct block_slot *object_nodes_slot(const struct object_nodes *nodes, uint64_t address);

/* ---- What an adapter has --------------------------------------------------------------- */

struct objects; /* the nodes, and how they are found */

/* Tells (`objects->tell`) what an object refers to: objects, and blocks, with NODE_IS_BLOCK.  Python's names are string objects. */
void objects_each_edge(struct objects *objects, uint32_t number);

/* The address of a node's block, and its slot; NULL where that is not recorded. */
const struct block_slot *objects_block(const struct objects *objects, uint32_t number,
                                       uint64_t *address);

/* The type of an object; NULL for a block that is none.  Python's is a type object, Lua's a text: "table", or the __name of its metatable. */
const char *objects_type(const struct objects *objects, uint32_t number);

#endif
