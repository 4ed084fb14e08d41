#include "report/tree/call_walk.h"

#include <stdlib.h>

void call_walk_rewind(struct call_walk *walk)
{
    walk->depth = walk->cut_events = 0;
    walk->symbol = SYMBOL_NONE;
    walk->skip = false;
    walk->total = walk->all;
    walk->growth.self = (struct stack_tally){0};
    walk->failed |= !branch_growth_plant(&walk->growth);
    walk->self = walk->growth.self;
}

static bool init(struct call_walk *walk, const struct stack_profile *profile,
                 const struct frame_source *source)
{
    struct branch_growth *growth = &walk->growth;
    if (!branch_growth_init(growth, profile, NULL, source))
        return false;
    growth->ranks = branches_rank(&walk->branches.symbols);
    if (!growth->ranks)
        return false;
    call_walk_rewind(walk);
    return !walk->failed;
}

bool call_walk_init(struct call_walk *walk, const struct stack_profile *profile,
                    const struct frame_source *source, const struct branch_options *options)
{
    *walk = (struct call_walk){
        .measure = profile->measure,
        .all = profile->total,
        .options = *options,
        .growth = {.branches = &walk->branches,
                   .options = &walk->options,
                   .keeps_path = true,
                   .has_tallies = true},
    };
    walk->options.has_marks = !options->skip_unknown;
    if (init(walk, profile, source))
        return true;
    call_walk_release(walk);
    return false;
}

void call_walk_release(struct call_walk *walk)
{
    branch_growth_release(&walk->growth);
    branches_release(&walk->branches);
    *walk = (struct call_walk){0};
}

bool call_walk_next(struct call_walk *walk)
{
    struct branch_growth *growth = &walk->growth;
    struct heavy_branch next;
    if (walk->skip && walk->depth > 0)
        growth->heap.count = walk->beside;
    walk->skip = false;
    if (walk->failed || growth->heap.count == 0)
        return false;
    walk->beside = growth->heap.count - 1;
    walk->failed = !branch_growth_next(growth, &next);
    walk->depth = next.parent + 1;
    walk->symbol = next.symbol;
    walk->total = growth->total;
    walk->self = growth->self;
    if (next.symbol == growth->deeper)
        walk->cut_events += walk->total.events;
    return !walk->failed;
}
