/* A branch stands for places in the trie of stacks: their ways from where they begin have the same
 * symbols.  When it is grown, what comes after its places is grouped by symbol, and each group is a
 * branch to choose from.  Inward, a place is where all stacks through a node of the trie have come;
 * outward, each has one way to go, so that places of a branch are parted where they lie. */
#include "analyze/branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "analyze/heavy_branches.h"
#include "analyze/stack_walk.h"
#include "base/array.h"

/* How far stacks have been followed. */
struct place {
    uint32_t node;   /* of the trie */
    uint32_t symbol; /* how many of its frame's symbols come before the place, callers first */
    uint32_t source; /* what has its weight: a stack or a node (growth.by_stack) */
};

/* A place, and the symbol by which it was reached. */
struct found {
    struct place place;
    uint32_t symbol;
};

struct growth {
    struct branches *branches;
    const struct branch_options *options;
    struct frame_symbols frames;
    struct stack_walk walk;
    bool by_stack;             /* places have the weights of stacks, not of nodes */
    uint32_t no_stack, deeper; /* symbols, or SYMBOL_NONE */
    uint32_t *part_of;         /* by symbol: index into parts, or SYMBOL_NONE */
    uint32_t *on_path;         /* by symbol: the branch on whose path it was last seen */
    struct place *places;      /* of all branches */
    size_t place_count, place_capacity;
    struct place *waiting; /* of the branch at hand */
    size_t waiting_count, waiting_capacity;
    struct found *found;
    size_t found_count, found_capacity;
    struct heavy_branch *parts;
    size_t part_count, part_capacity;
    struct heavy_branches heap;
};

/* ---- Symbols ------------------------------------------------------------------------- */

static const uint32_t *symbols_at(struct growth *growth, uint32_t node, size_t *count)
{
    *count = 0;
    return frame_symbols_of(&growth->frames, growth->walk.trie->nodes[node].frame, count);
}

/* The symbols of all stacks, so that their number is known from here on. */
static bool number_symbols(struct growth *growth)
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
        if (growth->walk.is_passed[node] && !symbols_at(growth, node, &count))
            return false;
    return true;
}

static bool name_symbols(struct growth *growth)
{
    struct branches *branches = growth->branches;
    size_t count = branches->symbols.count;
    branches->names = calloc(count + 1, sizeof *branches->names);
    growth->part_of = malloc((count + 1) * sizeof *growth->part_of);
    growth->on_path = malloc((count + 1) * sizeof *growth->on_path);
    if (!branches->names || !growth->part_of || !growth->on_path)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct symbol *symbol = &branches->symbols.items[i];
        growth->part_of[i] = growth->on_path[i] = SYMBOL_NONE;
        branches->names[i] = growth->options->as_pprof
                                 ? call_graph_name(&branches->made_names, symbol)
                                 : symbol_name(symbol);
        if (!branches->names[i])
            return false;
    }
    return true;
}

/* ---- Parts --------------------------------------------------------------------------- */

static double weight_at(const struct growth *growth, const struct stack_weights *weights,
                        uint32_t source)
{
    return !weights->total ? 0 : (growth->by_stack ? weights->self : weights->total)[source];
}

static struct heavy_branch *part_for(struct growth *growth, uint32_t number, uint32_t symbol)
{
    uint32_t *part = &growth->part_of[symbol];
    if (*part == SYMBOL_NONE) {
        if (!ARRAY_RESERVE(&growth->parts, &growth->part_capacity, growth->part_count + 1))
            return NULL;
        *part = (uint32_t)growth->part_count++;
        growth->parts[*part] = (struct heavy_branch){.parent = number, .symbol = symbol};
    }
    return &growth->parts[*part];
}

static bool put_found(struct growth *growth, uint32_t number, struct place place, uint32_t symbol)
{
    struct heavy_branch *part = part_for(growth, number, symbol);
    if (!part || !ARRAY_RESERVE(&growth->found, &growth->found_capacity, growth->found_count + 1))
        return false;
    part->count++;
    part->now += weight_at(growth, &growth->walk.now, place.source);
    part->base += weight_at(growth, &growth->walk.base, place.source);
    growth->found[growth->found_count++] = (struct found){place, symbol};
    return true;
}

/* A stack without frames. */
static bool put_no_stack(struct growth *growth)
{
    uint32_t stack = stack_walk_stack(&growth->walk, STACK_ROOT);
    if (!growth->options->has_marks || stack == STACK_NONE)
        return true;
    struct heavy_branch *part = part_for(growth, 0, growth->no_stack);
    if (part) {
        part->now = growth->walk.now.self[stack];
        part->base = growth->walk.base.self ? growth->walk.base.self[stack] : 0;
    }
    return part;
}

/* ---- Following stacks ---------------------------------------------------------------- */

static bool wait_for(struct growth *growth, struct place place)
{
    if (!ARRAY_RESERVE(&growth->waiting, &growth->waiting_capacity, growth->waiting_count + 1))
        return false;
    growth->waiting[growth->waiting_count++] = place;
    return true;
}

static bool is_deepest(const struct growth *growth, uint32_t number)
{
    uint32_t most = growth->options->max_depth;
    return most > 0 && growth->branches->items[number].depth >= most;
}

/* `place` has been reached by `symbol` from a branch: another branch, or, by recursion, the same
 * one. */
static bool reach(struct growth *growth, uint32_t number, struct place place, uint32_t symbol)
{
    if (growth->options->merge_recursion && growth->on_path[symbol] == number)
        return wait_for(growth, place);
    bool is_cut = growth->options->has_marks && is_deepest(growth, number);
    return put_found(growth, number, place, is_cut ? growth->deeper : symbol);
}

/* The next function outwards. */
static bool follow_outward(struct growth *growth, uint32_t number, struct place place)
{
    const struct stack_node *nodes = growth->walk.trie->nodes;
    size_t count;
    if (place.symbol == 0) {
        place.node = nodes[place.node].parent;
        if (place.node == STACK_ROOT) {
            growth->branches->items[number].self +=
                weight_at(growth, &growth->walk.now, place.source);
            return true;
        }
        symbols_at(growth, place.node, &count);
        place.symbol = (uint32_t)count;
    }
    uint32_t symbol = symbols_at(growth, place.node, &count)[--place.symbol];
    return reach(growth, number, place, symbol);
}

/* The callees of a node of the trie. */
static bool follow_callees(struct growth *growth, uint32_t number, uint32_t node)
{
    const struct stack_walk *walk = &growth->walk;
    bool done = true;
    size_t count;
    for (uint32_t child = walk->child[node]; done && child != 0; child = walk->next[child])
        done = reach(growth, number, (struct place){child, 1, child},
                     symbols_at(growth, child, &count)[0]);
    return done;
}

/* The next inlined function, or the callees. */
static bool follow_inward(struct growth *growth, uint32_t number, struct place place)
{
    size_t count;
    const uint32_t *symbols = symbols_at(growth, place.node, &count);
    if (place.symbol < count) {
        place.symbol++;
        return reach(growth, number, place, symbols[place.symbol - 1]);
    }
    uint32_t stack = stack_walk_stack(&growth->walk, place.node);
    if (stack != STACK_NONE)
        growth->branches->items[number].self += growth->walk.now.self[stack];
    return follow_callees(growth, number, place.node);
}

static bool step(struct growth *growth, uint32_t number, struct place place)
{
    return growth->options->outward ? follow_outward(growth, number, place)
                                    : follow_inward(growth, number, place);
}

/* Puts down what comes after a place. */
static bool follow(struct growth *growth, uint32_t number, struct place place)
{
    bool done = step(growth, number, place);
    while (done && growth->waiting_count > 0)
        done = step(growth, number, growth->waiting[--growth->waiting_count]);
    return done;
}

/* ---- Where stacks begin -------------------------------------------------------------- */

/* The outermost root in the frame of a node, if any: *is_inside tells of it. */
static bool begin_at_root(struct growth *growth, const bool *is_root, uint32_t node,
                          bool *is_inside)
{
    size_t count, i = 0;
    const uint32_t *symbols = symbols_at(growth, node, &count);
    while (i < count && !is_root[symbols[i]])
        i++;
    if (i == count)
        return true;
    *is_inside = true;
    uint32_t passed = (uint32_t)i + !growth->options->outward;
    return reach(growth, 0, (struct place){node, passed, node}, symbols[i]);
}

static bool begin_at_roots(struct growth *growth)
{
    const struct stack_trie *trie = growth->walk.trie;
    const struct branch_options *options = growth->options;
    size_t symbols = growth->branches->symbols.count;
    bool *is_root = calloc(symbols + 1, sizeof *is_root);
    bool *is_inside = calloc(trie->count, sizeof *is_inside);
    bool done = is_root && is_inside;
    for (size_t i = 0; done && i < symbols; i++)
        is_root[i] = options->is_root(options->root_context, growth->branches->names[i]);
    for (uint32_t node = 1; done && node < trie->count; node++) {
        is_inside[node] = is_inside[trie->nodes[node].parent];
        if (!is_inside[node] && growth->walk.is_passed[node])
            done = begin_at_root(growth, is_root, node, &is_inside[node]);
    }
    free(is_root);
    free(is_inside);
    return done;
}

static bool begin_at_ends(struct growth *growth)
{
    const struct stack_walk *walk = &growth->walk;
    const struct stack_trie *trie = walk->trie;
    bool done = true;
    size_t count;
    for (uint32_t stack = 0; done && stack < trie->stack_count; stack++) {
        uint32_t end = trie->ends[stack];
        bool is_empty =
            walk->now.self[stack] == 0 && (!walk->base.self || walk->base.self[stack] == 0);
        if (is_empty || end == STACK_ROOT)
            continue;
        symbols_at(growth, end, &count);
        done = follow(growth, 0, (struct place){end, (uint32_t)count, stack});
    }
    return done;
}

static bool begin(struct growth *growth)
{
    if (growth->options->is_root)
        return begin_at_roots(growth);
    return put_no_stack(growth) &&
           (growth->options->outward ? begin_at_ends(growth)
                                     : follow_callees(growth, 0, STACK_ROOT));
}

/* ---- Growing ------------------------------------------------------------------------- */

/* The lightest first, so that of a stack the heaviest comes next. */
static int compare_parts(const void *left, const void *right, void *context)
{
    const struct heavy_branch *a = left, *b = right;
    const char *const *names = context;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    int order = strcmp(names[b->symbol], names[a->symbol]);
    return order ? order : a->symbol < b->symbol ? 1 : a->symbol > b->symbol ? -1 : 0;
}

/* Keeps those parts that may be grown. */
static void choose_parts(struct growth *growth, uint32_t number)
{
    const struct branch_options *options = growth->options;
    bool is_cut = !options->has_marks && is_deepest(growth, number);
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
        qsort_r(growth->parts, kept, sizeof *growth->parts, compare_parts, growth->branches->names);
}

/* Brings the places of each part together, from `first` on. */
static bool sort_places(struct growth *growth, size_t first)
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
static bool offer_parts(struct growth *growth, uint32_t number, uint32_t first)
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

static void mark_path(struct growth *growth, uint32_t number)
{
    const struct branch *items = growth->branches->items;
    for (uint32_t at = number; at != 0; at = items[at].parent)
        growth->on_path[items[at].symbol] = number;
}

/* The branch of the number comes into the tree; it stands for the places of `from`. */
static bool part(struct growth *growth, uint32_t number, const struct heavy_branch *from)
{
    bool done = true;
    struct branch *branch = &growth->branches->items[number];
    if (from->symbol == growth->deeper || from->symbol == growth->no_stack) {
        branch->self = branch->total;
        return true;
    }
    if (growth->options->merge_recursion)
        mark_path(growth, number);
    for (uint32_t i = from->first; done && i < from->first + from->count; i++)
        done = follow(growth, number, growth->places[i]);
    branch->self *= growth->walk.now.unit;
    return done && offer_parts(growth, number, from->first);
}

static bool grow(struct growth *growth, const struct heavy_branch *from)
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
static bool plant(struct growth *growth)
{
    struct branches *branches = growth->branches;
    if (!ARRAY_RESERVE(&branches->items, &branches->capacity, 1))
        return false;
    struct branch *root = &branches->items[branches->count++];
    *root = (struct branch){.symbol = SYMBOL_NONE};
    if (!begin(growth))
        return false;
    for (size_t i = 0; i < growth->part_count; i++) {
        root->total += growth->parts[i].now;
        root->base += growth->parts[i].base;
    }
    root->total *= growth->walk.now.unit;
    root->base *= growth->walk.base.unit;
    return offer_parts(growth, 0, 0);
}

static bool grow_all(struct growth *growth)
{
    struct branches *branches = growth->branches;
    uint32_t limit = growth->options->limit ? growth->options->limit : UINT32_MAX;
    bool done = number_symbols(growth) && name_symbols(growth) &&
                (growth->options->outward || stack_walk_link(&growth->walk)) && plant(growth);
    while (done && growth->heap.count > 0 && branches->count < limit) {
        struct heavy_branch next = heavy_branches_pop(&growth->heap);
        if (growth->heap.is_stack) /* places behind are of branches that are grown */
            growth->place_count = next.first + next.count;
        done = grow(growth, &next);
    }
    branches->hidden = growth->heap.count;
    return done;
}

/* ---- The tree ------------------------------------------------------------------------ */

static bool init(struct growth *growth, const struct stack_profile *profile,
                 const struct stack_profile *base, const struct frame_source *source)
{
    struct branches *branches = growth->branches;
    const struct branch_options *options = growth->options;
    symbols_init(&branches->symbols, options->grain);
    if (!frame_symbols_init(&growth->frames, source, &branches->symbols))
        return false;
    growth->frames.by_module = options->as_pprof;
    growth->frames.no_inlines = options->no_inlines;
    return stack_walk_init(&growth->walk, profile, options->weight, base, options->weight) &&
           grow_all(growth) && (options->limit == 0 || branches_sort(branches));
}

bool branches_init(struct branches *branches, const struct stack_profile *profile,
                   const struct stack_profile *base, const struct frame_source *source,
                   const struct branch_options *options)
{
    struct growth growth = {.branches = branches,
                            .options = options,
                            .by_stack = options->outward && !options->is_root,
                            .heap = {.is_stack = options->limit == 0}};
    *branches = (struct branches){0};
    bool done = init(&growth, profile, base, source);
    stack_walk_release(&growth.walk);
    frame_symbols_release(&growth.frames);
    heavy_branches_release(&growth.heap);
    free(growth.part_of);
    free(growth.on_path);
    free(growth.places);
    free(growth.waiting);
    free(growth.found);
    free(growth.parts);
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
