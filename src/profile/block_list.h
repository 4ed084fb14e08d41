/* The blocks that are alive, in the order of their allocation, so that one can be named by how many
 * steps it is away from the one named before: programs let go of neighbours.  Whoever writes such
 * steps and whoever reads them keep the same list. */
#ifndef PROFILE_BLOCK_LIST_H
#define PROFILE_BLOCK_LIST_H

#include "base/id_table.h"

enum { BLOCK_LIST_STEPS = 48, BLOCK_LIST_CURSORS = 2 };

struct block_link {
    uint64_t id;
    uint32_t before, after; /* the list is a ring; item 0 is no block but its seam */
};

struct block_list {
    struct block_link *items;
    size_t count, capacity;
    uint32_t unused;                      /* the first of a chain by `after`; 0: none */
    uint32_t cursors[BLOCK_LIST_CURSORS]; /* where each kind of naming stands */
    struct id_table by_id;                /* -> uint32_t: index of the item */
};

/* False when there is no memory. */
bool block_list_init(struct block_list *list);
void block_list_release(struct block_list *list);

/* Appends a block; false when there is no memory. */
bool block_list_add(struct block_list *list, uint64_t id);

/* How many steps forward (backward: below 0) the block is from a cursor; false where that is more
 * than BLOCK_LIST_STEPS, or there is no such block. */
bool block_list_steps(const struct block_list *list, unsigned cursor, uint64_t id, int64_t *steps);

/* The block so many steps away; false where there is none. */
bool block_list_at(const struct block_list *list, unsigned cursor, int64_t steps, uint64_t *id);

/* The block, if it is there, was named with `cursor`, which goes on to the one behind it; with
 * `ended` it leaves the list. */
void block_list_named(struct block_list *list, unsigned cursor, uint64_t id, bool ended);

#endif
