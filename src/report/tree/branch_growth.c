#include "report/tree/branch_growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/calls/call_graph.h"
#include "base/array.h"

/* ---- Symbols ------------------------------------------------------------------------- */

/* The symbols of all stacks, so that their number is known from here on. */
static bool number_symbols(struct branch_growth *growth)
{
    struct symbols *symbols = &growth->branches->symbols;
    size_t count;
    growth->no_stack = growth->deeper = SYMBOL_NONE;
    if (growth->options->has_marks) {
        growth->no_stack = symbols_number_of(symbols, "<no stack>", NULL);
        growth->deeper = symbols_number_of(symbols, "<deeper>", NULL);
        if (growth->no_stack == SYMBOL_NONE || growth->deeper == SYMBOL_NONE)
            return false;
    }
    for (uint32_t node = 1; node < growth->walk.trie->count; node++)
        if (stack_walk_passes(&growth->walk, node) && !branch_growth_symbols(growth, node, &count))
            return false;
    return true;
}

static bool name_symbols(struct branch_growth *growth)
{
    struct branches *branches = growth->branches;
    size_t count = branches->symbols.count;
    branches->names = calloc(count + 1, sizeof *branches->names);
    growth->part_of = malloc((count + 1) * sizeof *growth->part_of);
    growth->on_path = calloc(count + 1, sizeof *growth->on_path);
    if (!branches->names || !growth->part_of || !growth->on_path)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct symbol *symbol = &branches->symbols.items[i];
        growth->part_of[i] = SYMBOL_NONE;
        branches->names[i] = growth->options->as_pprof
                                 ? call_graph_name(&branches->made_names, symbol)
                                 : symbol_name(symbol);
        if (!branches->names[i])
            return false;
    }
    return true;
}

/* ---- Growing ------------------------------------------------------------------------- */

/* What is to come last of siblings first, so that of a stack the first comes next. */
static int compare_parts(const void *left, const void *right, void *context)
{
    const struct heavy_branch *a = left, *b = right;
    const struct branch_growth *growth = context;
    const char *const *names = growth->branches->names;
    if (growth->ranks)
        return growth->ranks[a->symbol] < growth->ranks[b->symbol] ? 1 : -1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    int order = strcmp(names[b->symbol], names[a->symbol]);
    return order ? order : a->symbol < b->symbol ? 1 : a->symbol > b->symbol ? -1 : 0;
}

/* Keeps those parts that may be grown. */
static void choose_parts(struct branch_growth *growth, uint32_t number)
{
    const struct branch_options *options = growth->options;
    bool is_cut = !options->has_marks && branch_growth_is_deepest(growth, number);
    size_t kept = 0;
    for (size_t i = 0; i < growth->part_count; i++) {
        struct heavy_branch part = growth->parts[i];
        growth->part_of[part.symbol] = SYMBOL_NONE;
        part.now *= growth->walk.now.unit;
        part.base *= growth->walk.base.unit;
        part.weight = fmax(fabs(part.now), fabs(part.base));
        if (is_cut || part.weight < options->least)
            growth->branches->items[number].pruned += part.now;
        else
            growth->parts[kept++] = part;
    }
    growth->part_count = kept;
    if (growth->heap.is_stack && kept > 1)
        qsort_r(growth->parts, kept, sizeof *growth->parts, compare_parts, growth);
}

/* Brings the places of each part together, from `first` on. */
static bool sort_places(struct branch_growth *growth, size_t first)
{
    for (size_t i = 0; i < growth->part_count; i++) {
        struct heavy_branch *part = &growth->parts[i];
        growth->part_of[part->symbol] = (uint32_t)i;
        part->first = (uint32_t)first;
        first += part->count;
        part->count = 0;
    }
    if (!ARRAY_RESERVE(&growth->places, &growth->place_capacity, first + 1))
        return false;
    growth->place_count = first;
    for (size_t i = 0; i < growth->found_count; i++) {
        uint32_t number = growth->part_of[growth->found[i].symbol];
        if (number == SYMBOL_NONE)
            continue;
        struct heavy_branch *part = &growth->parts[number];
        growth->places[part->first + part->count++] = growth->found[i].place;
    }
    return true;
}

/* What was found after the places of a branch, the first of which is given, becomes branches to
 * choose from.  Outward, their places lie where those were; inward, behind those of all others. */
static bool offer_parts(struct branch_growth *growth, uint32_t number, uint32_t first)
{
    choose_parts(growth, number);
    bool done = sort_places(growth, growth->options->outward ? first : growth->place_count);
    for (size_t i = 0; i < growth->part_count; i++) {
        growth->part_of[growth->parts[i].symbol] = SYMBOL_NONE;
        done = done && heavy_branches_push(&growth->heap, &growth->parts[i]);
    }
    growth->part_count = growth->found_count = 0;
    return done;
}

static void mark_path(struct branch_growth *growth, uint32_t number)
{
    const struct branch *items = growth->branches->items;
    growth->mark++;
    for (uint32_t at = number; at != 0; at = items[at].parent)
        growth->on_path[items[at].symbol] = growth->mark;
}

/* What passes where a branch is about to grow. */
static void sum_tallies(struct branch_growth *growth, const struct heavy_branch *from)
{
    growth->total = growth->self = (struct stack_tally){0};
    if (from->symbol == growth->no_stack)
        growth->total =
            *stack_walk_tally(&growth->walk, stack_walk_stack(&growth->walk, STACK_ROOT));
    for (uint32_t i = from->first; i < from->first + from->count; i++)
        stack_tally_sum(&growth->total, stack_walk_tally(&growth->walk, growth->places[i].sum));
}

/* The branch of the number comes into the tree; it stands for the places of `from`. */
static bool part(struct branch_growth *growth, uint32_t number, const struct heavy_branch *from)
{
    bool done = true;
    struct branch *branch = &growth->branches->items[number];
    bool is_mark = from->symbol == growth->deeper || from->symbol == growth->no_stack;
    if (growth->has_tallies)
        sum_tallies(growth, from);
    if (is_mark) {
        growth->self = growth->total;
        branch->self = branch->total;
        return true;
    }
    if (growth->options->merge_recursion)
        mark_path(growth, number);
    for (uint32_t i = from->first; done && i < from->first + from->count; i++)
        done = branch_growth_follow(growth, number, growth->places[i]);
    branch->self *= growth->walk.now.unit;
    return done && offer_parts(growth, number, from->first);
}

static bool grow(struct branch_growth *growth, const struct heavy_branch *from)
{
    struct branches *branches = growth->branches;
    if (branches->count >= STACK_NONE ||
        !ARRAY_RESERVE(&branches->items, &branches->capacity, branches->count + 1))
        return false;
    uint32_t number = (uint32_t)branches->count++;
    branches->items[number] = (struct branch){.symbol = from->symbol,
                                              .parent = from->parent,
                                              .depth = branches->items[from->parent].depth + 1,
                                              .total = from->now,
                                              .base = from->base};
    branches->items[from->parent].children++;
    return part(growth, number, from);
}

/* The root has what begins somewhere. */
bool branch_growth_plant(struct branch_growth *growth)
{
    struct branches *branches = growth->branches;
    if (!ARRAY_RESERVE(&branches->items, &branches->capacity, 1))
        return false;
    struct branch *root = &branches->items[0];
    *root = (struct branch){.symbol = SYMBOL_NONE};
    branches->count = 1;
    growth->mark++;
    growth->heap.count = growth->place_count = 0;
    if (!branch_growth_begin(growth))
        return false;
    for (size_t i = 0; i < growth->part_count; i++) {
        root->total += growth->parts[i].now;
        root->base += growth->parts[i].base;
    }
    root->total *= growth->walk.now.unit;
    root->base *= growth->walk.base.unit;
    return offer_parts(growth, 0, 0);
}

bool branch_growth_next(struct branch_growth *growth, struct heavy_branch *next)
{
    *next = heavy_branches_pop(&growth->heap);
    if (growth->heap.is_stack) /* places behind are of branches that are grown */
        growth->place_count = next->first + next->count;
    if (growth->keeps_path)
        growth->branches->count = next->parent + 1;
    return grow(growth, next);
}

/* ---- The whole ----------------------------------------------------------------------- */

bool branch_growth_init(struct branch_growth *growth, const struct stack_profile *profile,
                        const struct stack_profile *base, const struct frame_source *source)
{
    const struct branch_options *options = growth->options;
    struct symbols *symbols = &growth->branches->symbols;
    growth->heap.is_stack = options->limit == 0;
    symbols_init(symbols, options->grain);
    if (!frame_symbols_init(&growth->frames, source, symbols))
        return false;
    growth->frames.by_module = options->as_pprof;
    growth->frames.no_inlines = options->no_inlines;
    return (growth->has_tallies ? stack_walk_init_tallies(&growth->walk, profile)
                                : stack_walk_init(&growth->walk, profile, options->weight, base,
                                                  options->weight)) &&
           number_symbols(growth) && name_symbols(growth) &&
           (options->outward || stack_walk_link(&growth->walk));
}

void branch_growth_release(struct branch_growth *growth)
{
    stack_walk_release(&growth->walk);
    frame_symbols_release(&growth->frames);
    heavy_branches_release(&growth->heap);
    free(growth->ranks);
    free(growth->part_of);
    free(growth->on_path);
    free(growth->places);
    free(growth->waiting);
    free(growth->found);
    free(growth->parts);
}
