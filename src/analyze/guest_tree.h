/* Stacks of a guest profile put together as a tree. */
#ifndef ANALYZE_GUEST_TREE_H
#define ANALYZE_GUEST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/guest_table.h"
#include "profile/guest_profile.h"

/* Node 0 is the root, which stands for no place. */
struct guest_tree_node {
    uint32_t site;
    uint32_t parent;
    uint32_t child, next; /* first child and next sibling, the largest first; 0: none */
    uint32_t depth;       /* the root's children have 1 */
    struct guest_tally total, self;
};

struct guest_tree {
    struct guest_tree_node *nodes;
    size_t count, capacity;
};

/* The calls that lead to the rows that the filter lets through: outermost first, each stack
 * shortened to its `limit` innermost places (0: whole).  False when there is no memory.  To be
 * released. */
bool guest_tree_calls(struct guest_tree *tree, const struct guest_profile *profile,
                      const struct guest_filter *filter, size_t limit);

/* Who called the place of one table row, by line and type: below the root come the callers, `limit`
 * of them at most, innermost first. */
bool guest_tree_callers(struct guest_tree *tree, const struct guest_profile *profile,
                        const struct guest_filter *filter, const struct guest_table_row *row,
                        size_t limit);

/* The node that comes after this one where a tree is shown line by line, callers before callees;
 * from 0 on, 0 after the last.  (Stacks can be too deep for a function that calls itself.) */
uint32_t guest_tree_next(const struct guest_tree *tree, uint32_t node);

void guest_tree_release(struct guest_tree *tree);

#endif
