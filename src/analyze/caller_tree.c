/* The heaviest node that is not in the tree yet is always the next to go into it; its stacks, a
 * range of `order`, are then parted by their next caller, and each part is a branch to choose from.
 * A cursor tells how far each stack has been followed. */
#include "analyze/caller_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kept_nodes.h"
#include "base/array.h"

struct cursor {
    uint32_t node; /* of the profile's trie */
    uint32_t left; /* symbols of its frame that are still to come, the innermost first */
};

struct build {
    struct caller_tree *callers;
    const struct stack_profile *profile, *base;
    const struct caller_tree_options *options;
    struct frame_symbols frames;
    uint32_t no_stack, deeper;  /* symbols */
    struct cursor *cursors;     /* by stack */
    uint32_t *order, *sorted;   /* stacks; room to sort a range of them */
    uint32_t *next;             /* by place in `order`: the symbol that a stack goes on to */
    uint32_t *part_of;          /* by symbol: index into parts, or SYMBOL_NONE */
    uint32_t *on_path;          /* by symbol: the node of the tree on whose path it was last seen */
    struct heavy_branch *parts; /* of the range at hand */
    size_t part_count, part_capacity;
    struct heavy_branches heap;
    struct kept_nodes kept;
};

/* ---- Branches to choose from ------------------------------------------------------------- */

static double weight_of(const struct build *build, const struct heavy_branch *branch)
{
    enum stack_weight weight = build->options->weight;
    double now = fabs(stack_tally_weight(&branch->now, &build->profile->estimate, weight));
    if (!build->base)
        return now;
    return fmax(now, fabs(stack_tally_weight(&branch->before, &build->base->estimate, weight)));
}

/* ---- Following stacks -------------------------------------------------------------------- */

static const uint32_t *symbols_at(struct build *build, uint32_t node, size_t *count)
{
    return frame_symbols_of(&build->frames, build->profile->trie.nodes[node].frame, count);
}

/* The next symbol of a stack, outwards; SYMBOL_NONE at its end. */
static uint32_t step(struct build *build, struct cursor *cursor)
{
    size_t count;
    if (cursor->node == STACK_ROOT)
        return SYMBOL_NONE;
    uint32_t symbol = symbols_at(build, cursor->node, &count)[--cursor->left];
    if (cursor->left > 0)
        return symbol;
    cursor->node = build->profile->trie.nodes[cursor->node].parent;
    if (cursor->node != STACK_ROOT) {
        symbols_at(build, cursor->node, &count);
        cursor->left = (uint32_t)count;
    }
    return symbol;
}

/* Where a stack goes on to from a node of the tree. */
static uint32_t next_symbol(struct build *build, uint32_t node, uint32_t stack)
{
    struct cursor *cursor = &build->cursors[stack];
    bool is_deep = build->kept.depth[node] >= build->options->max_depth;
    uint32_t symbol;
    if (node == STACK_ROOT && cursor->node == STACK_ROOT)
        return build->no_stack;
    if (node != STACK_ROOT && build->callers->tree.tree.nodes[node].frame == build->deeper)
        return SYMBOL_NONE;
    do
        symbol = step(build, cursor);
    while (build->options->merge_recursion && symbol != SYMBOL_NONE &&
           build->on_path[symbol] == node);
    return is_deep && symbol != SYMBOL_NONE ? build->deeper : symbol;
}

static void mark_path(struct build *build, uint32_t node)
{
    const struct stack_node *nodes = build->callers->tree.tree.nodes;
    for (uint32_t at = node; at != STACK_ROOT; at = nodes[at].parent)
        build->on_path[nodes[at].frame] = node;
}

/* ---- Parting ----------------------------------------------------------------------------- */

static struct heavy_branch *part_for(struct build *build, uint32_t node, uint32_t symbol)
{
    uint32_t *number = &build->part_of[symbol];
    if (*number == SYMBOL_NONE) {
        if (!ARRAY_RESERVE(&build->parts, &build->part_capacity, build->part_count + 1))
            return NULL;
        *number = (uint32_t)build->part_count++;
        build->parts[*number] = (struct heavy_branch){.parent = node, .symbol = symbol};
    }
    return &build->parts[*number];
}

/* Finds out where each stack of a branch goes; those that end belong to the node itself. */
static bool find_parts(struct build *build, uint32_t node, const struct heavy_branch *branch)
{
    for (uint32_t i = branch->first; i < branch->first + branch->count; i++) {
        uint32_t stack = build->order[i];
        uint32_t symbol = build->next[i] = next_symbol(build, node, stack);
        if (symbol == SYMBOL_NONE) {
            stack_tally_sum(&build->callers->tree.self[node], &build->profile->tallies[stack]);
            continue;
        }
        struct heavy_branch *part = part_for(build, node, symbol);
        if (!part)
            return false;
        part->count++;
        stack_tally_sum(&part->now, &build->profile->tallies[stack]);
        if (build->base)
            stack_tally_sum(&part->before, &build->base->tallies[stack]);
    }
    return true;
}

/* Brings the stacks of each part together. */
static void sort_parts(struct build *build, const struct heavy_branch *branch)
{
    uint32_t first = branch->first;
    for (size_t i = 0; i < build->part_count; i++) {
        build->parts[i].first = first;
        first += build->parts[i].count;
        build->parts[i].count = 0;
    }
    for (uint32_t i = branch->first; i < branch->first + branch->count; i++) {
        if (build->next[i] == SYMBOL_NONE)
            continue;
        struct heavy_branch *part = &build->parts[build->part_of[build->next[i]]];
        build->sorted[part->first + part->count++] = build->order[i];
    }
    memcpy(build->order + branch->first, build->sorted + branch->first,
           (first - branch->first) * sizeof *build->order);
}

static bool part(struct build *build, uint32_t node, const struct heavy_branch *branch)
{
    bool done = true;
    build->part_count = 0;
    if (build->options->merge_recursion)
        mark_path(build, node);
    if (!find_parts(build, node, branch))
        return false;
    sort_parts(build, branch);
    for (size_t i = 0; i < build->part_count; i++) {
        struct heavy_branch *found = &build->parts[i];
        build->part_of[found->symbol] = SYMBOL_NONE;
        found->weight = weight_of(build, found);
        done = done && (found->weight == 0 || heavy_branches_push(&build->heap, found));
    }
    return done;
}

/* ---- The tree ---------------------------------------------------------------------------- */

static bool put(struct build *build, uint32_t node, const struct heavy_branch *branch)
{
    return kept_nodes_put(&build->kept, node, branch) && part(build, node, branch);
}

static bool grow(struct build *build, const struct heavy_branch *root)
{
    struct stack_trie *tree = &build->callers->tree.tree;
    bool done = put(build, STACK_ROOT, root);
    while (done && build->heap.count > 0 && tree->count < build->options->limit) {
        struct heavy_branch branch = heavy_branches_pop(&build->heap);
        done = put(build, stack_trie_child(tree, branch.parent, branch.symbol), &branch);
    }
    build->callers->hidden = build->heap.count;
    return done;
}

/* ---- Where stacks begin ------------------------------------------------------------------ */

/* The symbols of all frames, so that their number is known from here on. */
static bool number_symbols(struct build *build)
{
    struct symbols *symbols = &build->callers->tree.symbols;
    const struct stack_trie *trie = &build->profile->trie;
    size_t count;
    build->no_stack = symbols_number_of(symbols, "<no stack>", NULL);
    build->deeper = symbols_number_of(symbols, "<deeper>", NULL);
    if (build->no_stack == SYMBOL_NONE || build->deeper == SYMBOL_NONE)
        return false;
    for (uint32_t node = 1; node < trie->count; node++)
        if (!symbols_at(build, node, &count))
            return false;
    build->part_of = malloc(symbols->count * sizeof *build->part_of);
    build->on_path = malloc(symbols->count * sizeof *build->on_path);
    for (size_t i = 0; build->part_of && build->on_path && i < symbols->count; i++) {
        build->part_of[i] = SYMBOL_NONE;
        build->on_path[i] = STACK_NONE;
    }
    return build->part_of && build->on_path;
}

/* The outermost call of the focus in a frame; node STACK_ROOT where there is none. */
static struct cursor find_focus(struct build *build, uint32_t node)
{
    size_t count;
    const struct symbol *items = build->callers->tree.symbols.items;
    const uint32_t *symbols = symbols_at(build, node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(symbol_name(&items[symbols[i]]), build->options->focus) == 0)
            return (struct cursor){node, i + 1};
    return (struct cursor){STACK_ROOT, 0};
}

/* By node of the trie, where its stacks begin. */
static struct cursor *find_begins(struct build *build)
{
    const struct stack_trie *trie = &build->profile->trie;
    struct cursor *begins = calloc(trie->count, sizeof *begins);
    size_t count;
    for (uint32_t node = 1; begins && node < trie->count; node++) {
        begins[node] = begins[trie->nodes[node].parent];
        if (!build->options->focus) {
            symbols_at(build, node, &count);
            begins[node] = (struct cursor){node, (uint32_t)count};
        } else if (begins[node].node == STACK_ROOT) {
            begins[node] = find_focus(build, node);
        }
    }
    return begins;
}

static bool is_empty(const struct build *build, size_t stack)
{
    return build->profile->tallies[stack].events == 0 &&
           (!build->base || build->base->tallies[stack].events == 0);
}

/* Puts the stacks that count into `order`. */
static bool gather(struct build *build, struct heavy_branch *root)
{
    const struct stack_trie *trie = &build->profile->trie;
    struct cursor *begins = find_begins(build);
    for (uint32_t stack = 0; begins && stack < trie->stack_count; stack++) {
        struct cursor begin = begins[trie->ends[stack]];
        if (is_empty(build, stack) || (build->options->focus && begin.node == STACK_ROOT))
            continue;
        build->cursors[stack] = begin;
        build->order[root->count++] = stack;
        stack_tally_sum(&root->now, &build->profile->tallies[stack]);
        if (build->base)
            stack_tally_sum(&root->before, &build->base->tallies[stack]);
    }
    free(begins);
    return begins;
}

/* ---- The whole --------------------------------------------------------------------------- */

static bool init(struct build *build, const struct frame_source *source)
{
    struct caller_tree *callers = build->callers;
    size_t stacks = build->profile->trie.stack_count + 1;
    struct heavy_branch root = {0};
    symbols_init(&callers->tree.symbols, build->options->grain);
    build->cursors = malloc(stacks * sizeof *build->cursors);
    build->order = malloc(stacks * sizeof *build->order);
    build->sorted = malloc(stacks * sizeof *build->sorted);
    build->next = malloc(stacks * sizeof *build->next);
    return build->cursors && build->order && build->sorted && build->next &&
           stack_trie_init(&callers->tree.tree) &&
           frame_symbols_init(&build->frames, source, &callers->tree.symbols) &&
           number_symbols(build) && gather(build, &root) && grow(build, &root) &&
           call_tree_sort(&callers->tree);
}

bool caller_tree_init(struct caller_tree *callers, const struct stack_profile *profile,
                      const struct stack_profile *base, const struct frame_source *source,
                      const struct caller_tree_options *options)
{
    struct build build = {.callers = callers,
                          .profile = profile,
                          .base = base,
                          .options = options,
                          .kept = {.tree = callers, .has_base = base}};
    *callers = (struct caller_tree){.tree = {.measure = profile->measure}};
    bool done = init(&build, source);
    frame_symbols_release(&build.frames);
    free(build.cursors);
    free(build.order);
    free(build.sorted);
    free(build.next);
    free(build.part_of);
    free(build.on_path);
    free(build.parts);
    heavy_branches_release(&build.heap);
    kept_nodes_release(&build.kept);
    if (!done)
        caller_tree_release(callers);
    return done;
}

void caller_tree_release(struct caller_tree *callers)
{
    call_tree_release(&callers->tree);
    free(callers->before);
    *callers = (struct caller_tree){0};
}
