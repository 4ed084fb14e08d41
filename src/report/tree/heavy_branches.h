/* Branches of a call tree that may go into it, the heaviest first: what the tree chooses its next
 * branch from. */
#ifndef REPORT_TREE_HEAVY_BRANCHES_H
#define REPORT_TREE_HEAVY_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A branch that may go into the tree. */
struct heavy_branch {
    double weight;
    uint32_t serial; /* what came first goes first, of equal weight */
    uint32_t parent; /* in the tree */
    uint32_t symbol;
    uint32_t first, count; /* what it stands for, in an array of the owner's */
    double now, base;
};

struct heavy_branches {
    struct heavy_branch *items; /* a heap: the heaviest at 0; a stack: the last that came last */
    bool is_stack;
    size_t count, capacity;
    uint32_t serial;
};

/* Numbers the branch and puts it in.  False when there is no memory. */
bool heavy_branches_push(struct heavy_branches *branches, struct heavy_branch *branch);

/* Takes the heaviest out, of a stack the last; there must be one. */
struct heavy_branch heavy_branches_pop(struct heavy_branches *branches);

void heavy_branches_release(struct heavy_branches *branches);

#endif
