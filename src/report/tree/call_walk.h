/* A walk through the call tree of a profile: who calls whom, and what is allocated below.  What flame graphs and folded
 * stacks show.
 *
 * Callers come first, siblings in bytewise order of their names.  Nothing is kept of the tree but the way to where the walk
 * is: so a tree may be deep and have many millions of branches. */
#ifndef REPORT_TREE_CALL_WALK_H
#define REPORT_TREE_CALL_WALK_H

#include "report/tree/branch_growth.h"

struct call_walk {
    struct stack_measure measure; /* of the profile; its texts are borrowed */
    struct stack_tally all;       /* of the whole profile */

    /* Where the walk is; at first, and after call_walk_rewind, at the root. */
    size_t depth;             /* 0 for the root */
    uint32_t symbol;          /* its number; of the root SYMBOL_NONE */
    struct stack_tally total; /* of stacks that pass here */
    struct stack_tally self;  /* of stacks that end here */

    bool skip;           /* set it to leave out what is below */
    bool failed;         /* there was no memory */
    uint64_t cut_events; /* blocks under "<deeper>" so far */
    size_t beside;       /* branches that are to come and not below this one */

    /* The tree, as far as the walk needs it. */
    struct branches branches;
    struct branch_options options;
    struct branch_growth growth;
};

/* Reads a finished profile, which is borrowed.  Roots, the least weight, limits and marks of the options are not for walks:
 * stacks without frames are "<no stack>" unless what is unknown is skipped, and what is too deep is "<deeper>".  The walk has
 * to stay where it is.  False when there is no memory; then there is nothing to release. */
bool call_walk_init(struct call_walk *walk, const struct stack_profile *profile,
                    const struct frame_source *source, const struct branch_options *options);
void call_walk_release(struct call_walk *walk);

/* Goes on to the next branch; false at the end. */
bool call_walk_next(struct call_walk *walk);

/* Begins again. */
void call_walk_rewind(struct call_walk *walk);

/* What the walk is at; NULL at the root. */
static inline const struct symbol *call_walk_symbol(const struct call_walk *walk)
{
    return walk->symbol == SYMBOL_NONE ? NULL : &walk->branches.symbols.items[walk->symbol];
}

#endif
