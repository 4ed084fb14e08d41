/* A call tree grown only where it is heavy: from the outermost callers in, from the allocation
 * sites out, or from chosen functions either way.
 *
 * Each stack begins at one place: at its outermost function, at its innermost one, or at the
 * outermost function that is a root.  From there it goes inward, to callees, or outward, to
 * callers, and adds its weight to each branch on its way, and to the `self` of the one where it
 * ends.
 *
 * A whole tree may have millions of branches, of which a report shows hundreds and a picture
 * thousands.  So a branch is only grown if it has the least weight; and where there is a limit, the
 * heaviest that is left is always the next.  Beside one sum over the stacks, the work goes with
 * what is shown. */
#ifndef REPORT_TREE_BRANCHES_H
#define REPORT_TREE_BRANCHES_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct branch_options {
    enum symbol_grain grain;
    bool no_inlines;
    enum stack_weight weight;
    bool outward;         /* to callers */
    bool merge_recursion; /* each symbol once a path, where it is met first */
    bool as_pprof;        /* names as pprof has them, for libraries where no function is known */
    bool skip_unknown;    /* leave out codes without locations; else they are named "0x1f" */
    bool has_marks;       /* branches "<no stack>" and "<deeper>" hold what else is left out */
    /* Where stacks begin, by the branches' names; NULL for their ends.  Stacks without a root are
     * left out. */
    bool (*is_root)(void *context, const char *name);
    void *root_context;
    double least; /* weight of a branch that is grown, at least; by size where it is negative */
    uint32_t max_depth; /* 0 for no limit */
    uint32_t limit;     /* of branches, the root among them: siblings are in bytewise order of their
                           names then.  0 for none: the heaviest of siblings comes first */
};

struct branch {
    uint32_t symbol;   /* SYMBOL_NONE for the root */
    uint32_t parent;   /* index; the root is its own */
    uint32_t depth;    /* 0 for the root */
    uint32_t children; /* how many branches have it as their parent */
    double total, self;
    double base;   /* its total in the base */
    double pruned; /* weight of its branches that were not grown for being light or deep */
};

struct branches {
    struct symbols symbols;
    struct names made_names;
    const char **names;   /* by symbol */
    struct branch *items; /* the root, then parents first, each followed by all below it */
    size_t count, capacity;
    uint64_t hidden; /* branches that were not grown for want of room */
};

/* Reads a finished profile.  `base`, NULL for none, has the same stacks, with what they weigh in
 * what is compared with: a branch is as heavy as it is in either, at most.  False when there is no
 * memory; then there is nothing to release. */
bool branches_init(struct branches *branches, const struct stack_profile *profile,
                   const struct stack_profile *base, const struct frame_source *source,
                   const struct branch_options *options);
void branches_release(struct branches *branches);

/* By symbol, its place in the order of names; malloc'ed.  NULL when there is no memory. */
uint32_t *branches_rank(const struct symbols *symbols);

/* Puts branches of which parents come before their children in the order of `items`, siblings by
 * name.  False when there is no memory. */
bool branches_sort(struct branches *branches);

#endif
