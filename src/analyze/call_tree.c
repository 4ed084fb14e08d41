#include "analyze/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/call_lists.h"
#include "analyze/call_path.h"
#include "base/array.h"

/* What is needed while the tree is built. */
struct build {
    struct call_tree *tree;
    const struct stack_profile *profile;
    const struct call_tree_options *options;
    struct frame_symbols frames;
    uint32_t *depth; /* by node of the tree */
    size_t depth_capacity;
    uint32_t deeper;   /* the symbol "<deeper>", or SYMBOL_NONE */
    uint32_t *of_node; /* by node of the profile's trie: where its path ends in the tree */
};

/* ---- Growing ------------------------------------------------------------------------- */

static uint32_t push(struct build *build, uint32_t node, uint32_t symbol)
{
    struct stack_trie *tree = &build->tree->tree;
    uint32_t limit = build->options->max_depth;
    if (limit > 0 && build->depth[node] >= limit) {
        if (tree->nodes[node].frame == build->deeper ||
            (build->options->merge_recursion && call_path_holds(tree, node, symbol)))
            return node;
        symbol = build->deeper;
    }
    uint32_t child = build->options->merge_recursion ? call_path_push_once(tree, node, symbol)
                                                     : stack_trie_child(tree, node, symbol);
    if (child == STACK_NONE || child == node)
        return child;
    if (!ARRAY_RESERVE(&build->depth, &build->depth_capacity, tree->count))
        return STACK_NONE;
    build->depth[child] = build->depth[node] + 1;
    return child;
}

static bool is_unknown(const struct build *build, uint32_t frame)
{
    size_t count;
    const struct frame_source *source = build->frames.source;
    frame_source_locations(source, frame, &count);
    return count == 0;
}

/* Goes from `node` to that of a frame, through its inlined functions; in reverse, the innermost
 * first. */
static uint32_t push_frame(struct build *build, uint32_t node, uint32_t frame)
{
    size_t count;
    if (build->options->skip_unknown && is_unknown(build, frame))
        return node;
    const uint32_t *symbols = frame_symbols_of(&build->frames, frame, &count);
    if (!symbols)
        return STACK_NONE;
    for (size_t i = 0; i < count && node != STACK_NONE; i++)
        node = push(build, node, symbols[build->options->reverse ? count - 1 - i : i]);
    return node;
}

static bool map_nodes(struct build *build)
{
    const struct stack_trie *trie = &build->profile->trie;
    build->of_node = malloc(trie->count * sizeof *build->of_node);
    if (!build->of_node)
        return false;
    build->of_node[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; node < trie->count; node++) {
        uint32_t to =
            push_frame(build, build->of_node[trie->nodes[node].parent], trie->nodes[node].frame);
        if (to == STACK_NONE)
            return false;
        build->of_node[node] = to;
    }
    return true;
}

/* ---- Placing ------------------------------------------------------------------------- */

/* Where the stack that ends at `end` of the trie ends in the tree. */
static uint32_t place(struct build *build, uint32_t end)
{
    const struct stack_trie *trie = &build->profile->trie;
    uint32_t to = STACK_ROOT;
    if (end == STACK_ROOT && !build->options->skip_unknown) {
        uint32_t symbol = symbols_number_of(&build->tree->symbols, "<no stack>", NULL);
        return symbol == SYMBOL_NONE ? STACK_NONE : push(build, STACK_ROOT, symbol);
    }
    if (!build->options->reverse)
        return build->of_node[end];
    for (uint32_t node = end; node != STACK_ROOT && to != STACK_NONE;
         node = trie->nodes[node].parent) {
        if (to != STACK_ROOT && build->tree->tree.nodes[to].frame == build->deeper)
            break;
        to = push_frame(build, to, trie->nodes[node].frame);
    }
    return to;
}

/* ---- Filling ------------------------------------------------------------------------- */

static bool fill(struct build *build)
{
    const struct stack_profile *profile = build->profile;
    struct call_tree *tree = build->tree;
    size_t stacks = profile->trie.stack_count;
    uint32_t *ends = malloc((stacks + 1) * sizeof *ends);
    bool done = ends;
    for (size_t i = 0; done && i < stacks; i++) {
        ends[i] =
            profile->tallies[i].events == 0 ? STACK_ROOT : place(build, profile->trie.ends[i]);
        done = ends[i] != STACK_NONE;
    }
    tree->self = done ? calloc(tree->tree.count, sizeof *tree->self) : NULL;
    tree->total = done ? calloc(tree->tree.count, sizeof *tree->total) : NULL;
    done = tree->self && tree->total;
    for (size_t i = 0; done && i < stacks; i++)
        stack_tally_sum(&tree->self[ends[i]], &profile->tallies[i]);
    free(ends);
    return done;
}

static void sum_up(struct build *build)
{
    struct call_tree *tree = build->tree;
    for (size_t node = tree->tree.count; node-- > 0;) {
        const struct stack_node *at = &tree->tree.nodes[node];
        stack_tally_sum(&tree->total[node], &tree->self[node]);
        if (node == STACK_ROOT)
            break;
        stack_tally_sum(&tree->total[at->parent], &tree->total[node]);
        if (at->frame == build->deeper)
            tree->cut_events += tree->self[node].events;
    }
}

/* ---- Sorting ------------------------------------------------------------------------- */

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_symbols(const void *left, const void *right, void *context)
{
    const struct symbol *items = context;
    const struct symbol *a = &items[*(const uint32_t *)left], *b = &items[*(const uint32_t *)right];
    int order = compare_texts(symbol_name(a), symbol_name(b));
    if (order == 0)
        order = compare_texts(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    if (order == 0)
        order = a->start_char < b->start_char ? -1 : a->start_char > b->start_char;
    return order ? order : a->end_char < b->end_char ? -1 : a->end_char > b->end_char;
}

uint32_t *call_tree_rank(const struct symbols *symbols)
{
    uint32_t *order = malloc((symbols->count + 1) * sizeof *order);
    uint32_t *ranks = malloc((symbols->count + 1) * sizeof *ranks);
    for (uint32_t i = 0; order && i < symbols->count; i++)
        order[i] = i;
    if (order && ranks) {
        qsort_r(order, symbols->count, sizeof *order, compare_symbols, symbols->items);
        for (uint32_t i = 0; i < symbols->count; i++)
            ranks[order[i]] = i;
    }
    free(ranks && !order ? ranks : NULL);
    ranks = order ? ranks : NULL;
    free(order);
    return ranks;
}

/* A stable counting sort of `items` by keys[item] < key_count into `to`; first[k], of key_count + 1
 * places, is where key k begins. */
static void sort_by_key(uint32_t *to, const uint32_t *items, size_t count, const uint32_t *keys,
                        uint32_t *first, size_t key_count)
{
    memset(first, 0, (key_count + 1) * sizeof *first);
    for (size_t i = 0; i < count; i++)
        first[keys[items[i]] + 1]++;
    for (size_t i = 0; i < key_count; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < count; i++)
        to[first[keys[items[i]]]++] = items[i];
    memmove(first + 1, first, key_count * sizeof *first);
    first[0] = 0;
}

/* Sorts all nodes by name, then, keeping that order, by parent. */
bool call_tree_sort(struct call_tree *tree)
{
    size_t nodes = tree->tree.count, symbols = tree->symbols.count;
    size_t firsts = nodes > symbols ? nodes : symbols;
    uint32_t *ranks = call_tree_rank(&tree->symbols);
    uint32_t *keys = calloc(nodes, sizeof *keys), *by_name = malloc(nodes * sizeof *by_name);
    tree->children = malloc(nodes * sizeof *tree->children);
    tree->first_child = malloc((firsts + 1) * sizeof *tree->first_child);
    bool done = ranks && keys && by_name && tree->children && tree->first_child;
    if (done) {
        for (uint32_t node = 1; node < nodes; node++) {
            tree->children[node - 1] = node;
            keys[node] = ranks[tree->tree.nodes[node].frame];
        }
        sort_by_key(by_name, tree->children, nodes - 1, keys, tree->first_child, symbols);
        for (uint32_t node = 1; node < nodes; node++)
            keys[node] = tree->tree.nodes[node].parent;
        sort_by_key(tree->children, by_name, nodes - 1, keys, tree->first_child, nodes);
    }
    free(ranks);
    free(keys);
    free(by_name);
    return done;
}

/* ---- The tree ------------------------------------------------------------------------ */

static bool build_tree(struct build *build)
{
    struct call_tree *tree = build->tree;
    if (!ARRAY_RESERVE(&build->depth, &build->depth_capacity, 1))
        return false;
    build->depth[STACK_ROOT] = 0;
    build->deeper = SYMBOL_NONE;
    if (build->options->max_depth > 0) {
        build->deeper = symbols_number_of(&tree->symbols, "<deeper>", NULL);
        if (build->deeper == SYMBOL_NONE)
            return false;
    }
    if ((!build->options->reverse && !map_nodes(build)) || !fill(build))
        return false;
    sum_up(build);
    return call_tree_sort(tree);
}

bool call_tree_init(struct call_tree *tree, const struct stack_profile *profile,
                    const struct frame_source *source, const struct call_tree_options *options)
{
    struct build build = {.tree = tree, .profile = profile, .options = options};
    *tree = (struct call_tree){.measure = profile->measure};
    symbols_init(&tree->symbols, options->grain);
    bool done = stack_trie_init(&tree->tree) &&
                frame_symbols_init(&build.frames, source, &tree->symbols) && build_tree(&build);
    frame_symbols_release(&build.frames);
    free(build.depth);
    free(build.of_node);
    if (!done)
        call_tree_release(tree);
    return done;
}

bool call_tree_init_walked(struct call_tree *tree, const struct stack_profile *profile,
                           const struct frame_source *source,
                           const struct call_tree_options *options)
{
    if (!call_lists_fit(profile, options))
        return call_tree_init(tree, profile, source, options);
    *tree = (struct call_tree){.measure = profile->measure};
    symbols_init(&tree->symbols, options->grain);
    if (call_lists_fill(tree, profile, source, options))
        return true;
    call_tree_release(tree);
    return false;
}

size_t call_tree_count(const struct call_tree *tree)
{
    return tree->lists ? call_lists_count(tree->lists) : tree->tree.count - 1;
}

void call_tree_release(struct call_tree *tree)
{
    symbols_release(&tree->symbols);
    stack_trie_release(&tree->tree);
    free(tree->self);
    free(tree->total);
    free(tree->children);
    free(tree->first_child);
    call_lists_free(tree->lists);
    *tree = (struct call_tree){0};
}
