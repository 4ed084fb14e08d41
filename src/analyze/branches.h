/* A call tree grown only where it is heavy: from the outermost callers in, from the allocation
 * sites out, or from chosen functions either way.
 *
 * Each stack begins at one place: at its outermost function, at its innermost one, or at the
 * outermost function that is a root.  From there it goes inward, to callees, or outward, to
 * callers, and adds its weight to each branch on its way, and to the `self` of the one where it
 * ends.  A branch that comes to less than a fraction of everything is not grown; so the tree costs
 * memory for what is shown, however many stacks there are. */
#ifndef ANALYZE_BRANCHES_H
#define ANALYZE_BRANCHES_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

#define BRANCH_NONE UINT32_MAX

struct branch_options {
    enum symbol_grain grain;
    bool no_inlines;
    enum stack_weight weight;
    bool outward; /* to callers */
    /* Where stacks begin; NULL for their ends.  Stacks without a root are left out. */
    bool (*is_root)(void *context, const char *name);
    void *root_context;
    double least; /* weight of a branch that is grown, at least; by size where it is negative */
    uint32_t max_depth; /* 0 for no limit */
};

struct branch {
    uint32_t symbol;
    const char *name;  /* as pprof prints it; borrowed with the tree */
    uint32_t parent;   /* index, or BRANCH_NONE */
    uint32_t depth;    /* 0 for those without a parent */
    uint32_t children; /* how many branches have it as their parent */
    double total, self;
    double pruned; /* weight of its branches that were not grown */
};

struct branches {
    struct symbols symbols;
    struct names names;
    struct branch *items; /* parents first, each followed by all below it, heavy ones first */
    size_t count, capacity;
    double total;  /* of the stacks that begin somewhere */
    double pruned; /* weight of first branches that were not grown */
};

/* Reads a finished profile.  False when there is no memory; then there is nothing to release. */
bool branches_init(struct branches *branches, const struct stack_profile *profile,
                   const struct frame_source *source, const struct branch_options *options);
void branches_release(struct branches *branches);

#endif
