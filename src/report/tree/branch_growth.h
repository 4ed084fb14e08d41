/* A call tree while it grows: shared by branches.c, which keeps it, and call_walk.c, which keeps nothing but the way to where
 * it is.
 *
 * A branch stands for places in the trie of stacks: their ways from where they begin have the same
 * symbols.  When it is grown, what comes after its places is grouped by symbol, and each group is a
 * branch to choose from.  Inward, a place is where all stacks through a node of the trie have come;
 * outward, each has one way to go, so that places of a branch are parted where they lie. */
#ifndef REPORT_TREE_BRANCH_GROWTH_H
#define REPORT_TREE_BRANCH_GROWTH_H

#include "report/tree/branches.h"
#include "report/tree/heavy_branches.h"
#include "report/stack_walk.h"

/* How far stacks have been followed. */
struct place {
    uint32_t node;   /* of the trie */
    uint32_t symbol; /* how many of its frame's symbols come before the place, callers first */
    uint32_t sum;    /* what passes: of the walk (report/stack_walk.h) */
};

/* A place, and the symbol by which it was reached. */
struct found {
    struct place place;
    uint32_t symbol;
};

struct branch_growth {
    struct branches *branches;
    const struct branch_options *options;
    struct frame_symbols frames;
    struct stack_walk walk;
    bool keeps_path;           /* of `branches` only the path to the last one, by depth */
    uint32_t no_stack, deeper; /* symbols, or SYMBOL_NONE */
    uint32_t *ranks;           /* by symbol: its place among siblings; NULL: they go by weight */

    bool has_tallies;               /* else weights */
    struct stack_tally total, self; /* of the last branch: of what passes, and of what ends there */

    uint32_t *part_of;    /* by symbol: index into parts, or SYMBOL_NONE */
    uint32_t *on_path;    /* by symbol: the mark that it last got */
    uint32_t mark;        /* of the symbols on the last branch's path */
    struct place *places; /* of all branches */
    size_t place_count, place_capacity;
    struct place *waiting; /* of the branch at hand */
    size_t waiting_count, waiting_capacity;
    struct found *found;
    size_t found_count, found_capacity;
    struct heavy_branch *parts;
    size_t part_count, part_capacity;
    struct heavy_branches heap;
};

/* Whatever returns bool is false when there is no memory. */

/* Finds all symbols; `branches`, `options` and what has been said of tallies and the path must be set.  To be released
 * whatever it returns; the branches are the caller's. */
bool branch_growth_init(struct branch_growth *growth, const struct stack_profile *profile,
                        const struct stack_profile *base, const struct frame_source *source);
void branch_growth_release(struct branch_growth *growth);

/* Begins a tree: its root. */
bool branch_growth_plant(struct branch_growth *growth);

/* Grows the branch that is next; there must be one in `heap`.  `*next` becomes what was known of it. */
bool branch_growth_next(struct branch_growth *growth, struct heavy_branch *next);

/* Has the branch the greatest depth? */
static inline bool branch_growth_is_deepest(const struct branch_growth *growth, uint32_t number)
{
    uint32_t most = growth->options->max_depth;
    return most > 0 && growth->branches->items[number].depth >= most;
}

/* ---- Places (branch_places.c) ------------------------------------------------------- */

/* The symbols of a node's frame, callers first; none of a frame that is left out. */
const uint32_t *branch_growth_symbols(struct branch_growth *growth, uint32_t node, size_t *count);

/* Puts down what comes after a place of a branch. */
bool branch_growth_follow(struct branch_growth *growth, uint32_t number, struct place place);

/* The same of where stacks begin, for the root. */
bool branch_growth_begin(struct branch_growth *growth);

#endif
