#include "report/tree/branches.h"

#include <stdlib.h>

#include "report/tree/branch_growth.h"

static bool grow_all(struct branch_growth *growth)
{
    struct branches *branches = growth->branches;
    uint32_t limit = growth->options->limit ? growth->options->limit : UINT32_MAX;
    struct heavy_branch next;
    bool done = branch_growth_plant(growth);
    while (done && growth->heap.count > 0 && branches->count < limit)
        done = branch_growth_next(growth, &next);
    branches->hidden = growth->heap.count;
    return done && (growth->options->limit == 0 || branches_sort(branches));
}

bool branches_init(struct branches *branches, const struct stack_profile *profile,
                   const struct stack_profile *base, const struct frame_source *source,
                   const struct branch_options *options)
{
    struct branch_growth growth = {.branches = branches, .options = options};
    *branches = (struct branches){0};
    bool done = branch_growth_init(&growth, profile, base, source) && grow_all(&growth);
    branch_growth_release(&growth);
    if (!done)
        branches_release(branches);
    return done;
}

void branches_release(struct branches *branches)
{
    symbols_release(&branches->symbols);
    names_release(&branches->made_names);
    free(branches->names);
    free(branches->items);
    *branches = (struct branches){0};
}
