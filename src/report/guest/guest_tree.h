/* Stacks of a guest profile put together as a tree, of calls or of callers. */
#ifndef REPORT_GUEST_GUEST_TREE_H
#define REPORT_GUEST_GUEST_TREE_H

#include "profile/guest_profile.h"

struct guest_tree {
    const struct guest_profile *profile; /* borrowed */
    bool outward; /* the callers of the rows' places, and theirs; else calls, the outermost first */
    size_t limit; /* of each stack, the innermost so many; 0: all */
    struct stack_trie trie;           /* its frames are sites */
    struct guest_tally *self, *total; /* by node: of the rows that end there, and that pass there */
    size_t self_capacity;
    uint32_t *sites; /* of the stack that is being added */
    size_t site_capacity;
    uint32_t *children;    /* nodes, grouped by parent, the largest first */
    uint32_t *first_child; /* by node, and one more: where its children begin */
    uint32_t *place;       /* by node: where it is in `children` */
    uint32_t *depth;       /* by node: 0 for the root, 1 for its children */
};

/* False when there is no memory.  To be released in either case. */
bool guest_tree_init(struct guest_tree *tree, const struct guest_profile *profile, bool outward,
                     size_t limit);
void guest_tree_release(struct guest_tree *tree);

/* Adds a row of the profile; false when there is no memory. */
bool guest_tree_add(struct guest_tree *tree, size_t row);

/* Once all rows are there, makes what guest_tree_next goes by.  False when there is no memory. */
bool guest_tree_finish(struct guest_tree *tree);

/* The node that comes after this one, parents before their children: from STACK_ROOT on, STACK_ROOT after the last.  (Stacks can
 * be too deep for a function that calls itself.) */
uint32_t guest_tree_next(const struct guest_tree *tree, uint32_t node);

#endif
