/* The call tree of a profile: who calls whom, and what is allocated below.  What flame graphs and
 * folded stacks show. */
#ifndef ANALYZE_CALL_TREE_H
#define ANALYZE_CALL_TREE_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct call_tree_options {
    enum symbol_grain grain;
    bool merge_recursion; /* each symbol once a path, the outermost call kept */
    bool reverse;         /* allocation sites at the root, callers below */
    bool skip_unknown;    /* leave out codes without locations and stacks without frames; else they
                             are named "0x1f" and "<no stack>" */
    uint32_t max_depth;   /* deeper callees are one node "<deeper>"; 0 for no limit */
};

struct call_tree {
    struct stack_measure measure; /* of the profile; its texts are borrowed */
    struct symbols symbols;
    struct stack_trie tree;    /* frames are symbols; a caller's number is below its callees' */
    struct stack_tally *self;  /* by node: of stacks that end there */
    struct stack_tally *total; /* by node: of stacks that pass there */
    uint32_t *children;        /* nodes, grouped by parent, in bytewise order of their names */
    uint32_t *first_child;     /* by node, and one more: where its children begin */
    uint64_t cut_events;       /* blocks under nodes "<deeper>" */
    struct call_lists *lists;  /* what a tree that is only walked has instead of nodes; else NULL */
};

/* Builds the tree of a finished profile.  False when there is no memory; then there is nothing to
 * release. */
bool call_tree_init(struct call_tree *tree, const struct stack_profile *profile,
                    const struct frame_source *source, const struct call_tree_options *options);
void call_tree_release(struct call_tree *tree);

/* The same for whoever only walks the tree, one walk at a time.  Of stacks that share little no
 * nodes are made: the walk finds them as it comes to them.  So a node, and what `self`, `total` and
 * call_tree_symbol tell of it, are good until the walk goes on; those of the root always. */
bool call_tree_init_walked(struct call_tree *tree, const struct stack_profile *profile,
                           const struct frame_source *source,
                           const struct call_tree_options *options);

/* Makes `children` and `first_child` of the nodes and symbols of a tree that was put together
 * otherwise.  False when there is no memory. */
bool call_tree_sort(struct call_tree *tree);

/* How many nodes there are below the root. */
size_t call_tree_count(const struct call_tree *tree);

/* By symbol, its place in the order of names; malloc'ed.  NULL when there is no memory. */
uint32_t *call_tree_rank(const struct symbols *symbols);

/* A walk through the tree, callers first, in the order of `children`; no recursion, as deep as the
 * tree may be. */
struct call_walk {
    const struct call_tree *tree;
    uint32_t *next; /* by depth: index into `children` of the next one to visit */
    uint32_t *node; /* by depth: the node we are in; [0] is the root */
    size_t depth;   /* of the present node; 0 before the first */
    size_t capacity, node_capacity;
    bool skip;   /* set it to leave out the present node's children */
    bool failed; /* there was no memory */
};

void call_walk_init(struct call_walk *walk, const struct call_tree *tree);
void call_walk_release(struct call_walk *walk);

/* Goes on to the next node; false at the end. */
bool call_walk_next(struct call_walk *walk);

static inline uint32_t call_walk_node(const struct call_walk *walk)
{
    return walk->node[walk->depth];
}

static inline const struct symbol *call_tree_symbol(const struct call_tree *tree, uint32_t node)
{
    return &tree->symbols.items[tree->tree.nodes[node].frame];
}

#endif
