/* Which nodes are left out: order all by weight, a caller before its callees where they are equal
 * (its number is lower), and keep the first `limit`.  A callee never outweighs its caller, so what
 * is kept is a tree.  */
#include "viewer/answer_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "viewer/columns.h"

struct cut {
    double threshold; /* all that is heavier is kept, ... */
    uint32_t ties;    /* ... and so many of what weighs just this, in order of their numbers */
};

struct shape {
    const struct answer_trees *trees;
    const struct call_tree *tree; /* the newer one */
    enum stack_weight measure;
    double
        *weight;  /* by node of the tree: its total, without sign; in a comparison the larger one */
    bool *kept;   /* by node of the tree */
    size_t count; /* of nodes kept */
    double *total, *self, *base;
    uint32_t *symbol, *end; /* by node kept, in preorder */
    uint32_t *symbol_of;    /* by symbol of the tree: its number here, or SYMBOL_NONE */
    uint32_t *symbols;      /* by number here: symbol of the tree */
    uint32_t symbol_count;
};

static int compare_down(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* ---- What is kept ------------------------------------------------------------------------ */

static bool find_cut(struct cut *cut, const double *weight, size_t count, uint32_t limit)
{
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, weight, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_down);
    *cut = (struct cut){.threshold = sorted[limit - 1]};
    for (uint32_t i = limit; i > 0 && sorted[i - 1] == cut->threshold; i--)
        cut->ties++;
    free(sorted);
    return true;
}

static bool keep(struct shape *shape, uint32_t limit)
{
    size_t count = shape->tree->tree.count;
    struct cut cut = {.threshold = -1};
    if (limit < count && !find_cut(&cut, shape->weight, count, limit))
        return false;
    for (uint32_t node = 0; node < count; node++) {
        double weight = shape->weight[node];
        bool is_tie = weight == cut.threshold && cut.ties > 0;
        cut.ties -= is_tie;
        shape->kept[node] =
            node == STACK_ROOT || ((weight > cut.threshold || is_tie) && weight > 0);
        shape->count += shape->kept[node];
    }
    return true;
}

/* ---- In preorder ------------------------------------------------------------------------- */

static uint32_t symbol_number(struct shape *shape, uint32_t node)
{
    if (node == STACK_ROOT)
        return SYMBOL_NONE;
    uint32_t *number = &shape->symbol_of[shape->tree->tree.nodes[node].frame];
    if (*number == SYMBOL_NONE) {
        *number = shape->symbol_count++;
        shape->symbols[*number] = shape->tree->tree.nodes[node].frame;
    }
    return *number;
}

static double now_total(const struct shape *shape, uint32_t node)
{
    return stack_tally_weight(&shape->tree->total[node], shape->trees->estimate, shape->measure);
}

static double now_self(const struct shape *shape, uint32_t node)
{
    return stack_tally_weight(&shape->tree->self[node], shape->trees->estimate, shape->measure);
}

static double base_total(const struct shape *shape, uint32_t node)
{
    const struct answer_trees *trees = shape->trees;
    return !trees->before
               ? 0
               : stack_tally_weight(&trees->before[node], trees->before_estimate, shape->measure);
}

static void put_node(struct shape *shape, size_t at, uint32_t node)
{
    shape->total[at] = now_total(shape, node);
    shape->self[at] = now_self(shape, node);
    shape->base[at] = base_total(shape, node);
    shape->symbol[at] = symbol_number(shape, node);
    shape->end[at] = (uint32_t)at + 1;
}

/* `open` has room for the number of a node by depth. */
static bool put_nodes(struct shape *shape)
{
    struct call_walk walk;
    size_t at = 0, capacity = 0, depth = 0;
    uint32_t *open = NULL;
    call_walk_init(&walk, shape->tree);
    put_node(shape, at++, STACK_ROOT);
    while (call_walk_next(&walk)) {
        walk.skip = !shape->kept[call_walk_node(&walk)];
        if (walk.skip)
            continue;
        for (; depth >= walk.depth; depth--)
            shape->end[open[depth]] = (uint32_t)at;
        depth = walk.depth;
        if (!ARRAY_RESERVE(&open, &capacity, depth + 1))
            walk.failed = true;
        else
            open[depth] = (uint32_t)at;
        put_node(shape, at++, call_walk_node(&walk));
    }
    for (; depth > 0; depth--)
        shape->end[open[depth]] = (uint32_t)at;
    shape->end[0] = (uint32_t)at;
    bool done = !walk.failed;
    call_walk_release(&walk);
    free(open);
    return done;
}

/* ---- The shape --------------------------------------------------------------------------- */

static void shape_release(struct shape *shape)
{
    free(shape->weight);
    free(shape->kept);
    free(shape->total);
    free(shape->self);
    free(shape->base);
    free(shape->symbol);
    free(shape->end);
    free(shape->symbol_of);
    free(shape->symbols);
}

static bool shape_reserve(struct shape *shape)
{
    size_t symbols = shape->tree->symbols.count;
    shape->total = malloc(shape->count * sizeof *shape->total);
    shape->self = malloc(shape->count * sizeof *shape->self);
    shape->base = malloc(shape->count * sizeof *shape->base);
    shape->symbol = malloc(shape->count * sizeof *shape->symbol);
    shape->end = malloc(shape->count * sizeof *shape->end);
    shape->symbol_of = malloc((symbols + 1) * sizeof *shape->symbol_of);
    shape->symbols = malloc((symbols + 1) * sizeof *shape->symbols);
    if (shape->symbol_of)
        memset(shape->symbol_of, 0xff, (symbols + 1) * sizeof *shape->symbol_of);
    return shape->total && shape->self && shape->base && shape->symbol && shape->end &&
           shape->symbol_of && shape->symbols;
}

static bool shape_init(struct shape *shape, const struct answer_trees *trees,
                       enum stack_weight measure, uint32_t limit)
{
    size_t count = trees->now->tree.count;
    *shape = (struct shape){.trees = trees,
                            .tree = trees->now,
                            .measure = measure,
                            .weight = malloc(count * sizeof *shape->weight),
                            .kept = malloc(count * sizeof *shape->kept)};
    bool done = shape->weight && shape->kept;
    for (uint32_t node = 0; done && node < count; node++)
        shape->weight[node] = fmax(fabs(now_total(shape, node)), fabs(base_total(shape, node)));
    done = done && keep(shape, limit) && shape_reserve(shape) && put_nodes(shape);
    if (!done)
        shape_release(shape);
    return done;
}

/* ---- The answer -------------------------------------------------------------------------- */

static void put_symbols(struct json *json, const struct shape *shape)
{
    const struct symbol *items = shape->tree->symbols.items;
    json_key(json, "functions");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_text(json, symbol_name(&items[shape->symbols[i]]));
    json_end(json);
    json_key(json, "files");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_text(json, items[shape->symbols[i]].file);
    json_end(json);
    json_key(json, "lines");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_uint(json, items[shape->symbols[i]].line);
    json_end(json);
}

/* A branch is a node that holds something and is not there, below one that is; each byte of it
 * counts once. */
static void put_hidden(struct json *json, const struct shape *shape)
{
    const struct stack_trie *tree = &shape->tree->tree;
    uint64_t branches = shape->trees->hidden;
    double sum = now_total(shape, STACK_ROOT);
    for (uint32_t node = 0; node < tree->count; node++) {
        if (shape->kept[node])
            sum -= now_self(shape, node);
        else
            branches += shape->weight[node] > 0 && shape->kept[tree->nodes[node].parent];
    }
    json_put_uint(json, "hidden_branches", branches);
    json_put_double(json, "hidden_weight", branches > 0 ? sum : 0);
}

bool answer_put_tree(struct json *json, const struct answer_trees *trees, enum stack_weight weight,
                     uint32_t limit)
{
    struct shape shape;
    if (!shape_init(&shape, trees, weight, limit))
        return false;
    put_hidden(json, &shape);
    put_symbols(json, &shape);
    columns_put_f64(json, "total", shape.total, shape.count);
    columns_put_f64(json, "self", shape.self, shape.count);
    if (trees->before)
        columns_put_f64(json, "base", shape.base, shape.count);
    columns_put_u32(json, "symbol", shape.symbol, shape.count);
    columns_put_u32(json, "end", shape.end, shape.count);
    shape_release(&shape);
    return true;
}
