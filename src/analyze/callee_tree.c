/* A node of the tree stands for places in the trie of stacks: their paths have the same symbols.  The
 * heaviest node that is not in the tree yet is always the next to go into it; what is below its
 * places is then grouped by symbol, and each group is a branch to choose from. */
#include "analyze/callee_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kept_nodes.h"
#include "analyze/stack_walk.h"
#include "base/array.h"

/* How far stacks have been followed. */
struct place {
    uint32_t node;   /* of the trie */
    uint32_t symbol; /* the next of its frame's symbols; their number where all have been passed */
};

/* A place, and the symbol by which it was reached. */
struct found {
    struct place place;
    uint32_t part; /* index into parts */
};

struct build {
    struct caller_tree *callees;
    const struct stack_profile *profile, *base;
    const struct caller_tree_options *options;
    struct frame_symbols frames;
    struct stack_walk walk;
    uint32_t no_stack, deeper; /* symbols */
    struct place *places;      /* of all branches */
    size_t place_count, place_capacity;
    struct place *waiting; /* of the node at hand */
    size_t waiting_count, waiting_capacity;
    struct found *found;
    size_t found_count, found_capacity;
    uint32_t *part_of; /* by symbol: index into parts, or SYMBOL_NONE */
    uint32_t *on_path; /* by symbol: the node of the tree on whose path it was last seen */
    struct heavy_branch *parts;
    size_t part_count, part_capacity;
    struct heavy_branches heap;
    struct kept_nodes kept;
};

/* ---- Weights ----------------------------------------------------------------------------- */

/* The walk counts bytes in samples, so that sums of a trace's bytes stay whole numbers. */
static void add_weight(struct stack_tally *tally, double weight, enum stack_weight kind,
                       const struct stack_profile *profile)
{
    if (kind == WEIGHT_VALUE)
        tally->value += weight;
    else if (kind == WEIGHT_OBJECTS)
        tally->density += weight * profile->estimate.sample_rate;
    else
        tally->samples += (uint64_t)weight;
}

static void add_passing(struct build *build, struct heavy_branch *to, uint32_t node)
{
    enum stack_weight kind = build->options->weight;
    add_weight(&to->now, build->walk.now.total[node], kind, build->profile);
    if (build->base)
        add_weight(&to->before, build->walk.base.total[node], kind, build->base);
}

static void add_ending(struct build *build, struct heavy_branch *to, uint32_t stack)
{
    enum stack_weight kind = build->options->weight;
    add_weight(&to->now, build->walk.now.self[stack], kind, build->profile);
    if (build->base)
        add_weight(&to->before, build->walk.base.self[stack], kind, build->base);
}

static double weight_of(const struct build *build, const struct heavy_branch *branch)
{
    enum stack_weight kind = build->options->weight;
    double now = fabs(stack_tally_weight(&branch->now, &build->profile->estimate, kind));
    if (!build->base)
        return now;
    return fmax(now, fabs(stack_tally_weight(&branch->before, &build->base->estimate, kind)));
}

/* ---- Following stacks -------------------------------------------------------------------- */

static bool wait_for(struct build *build, struct place place)
{
    if (!ARRAY_RESERVE(&build->waiting, &build->waiting_capacity, build->waiting_count + 1))
        return false;
    build->waiting[build->waiting_count++] = place;
    return true;
}

/* The part of a symbol, which gets a place; NULL when there is no memory. */
static struct heavy_branch *put_found(struct build *build, uint32_t node, struct place place,
                                      uint32_t symbol)
{
    uint32_t *number = &build->part_of[symbol];
    if (*number == SYMBOL_NONE) {
        if (!ARRAY_RESERVE(&build->parts, &build->part_capacity, build->part_count + 1))
            return NULL;
        *number = (uint32_t)build->part_count++;
        build->parts[*number] = (struct heavy_branch){.parent = node, .symbol = symbol};
    }
    if (!ARRAY_RESERVE(&build->found, &build->found_capacity, build->found_count + 1))
        return NULL;
    build->found[build->found_count++] = (struct found){place, *number};
    build->parts[*number].count++;
    return &build->parts[*number];
}

static bool put_passing(struct build *build, uint32_t node, struct place place, uint32_t symbol)
{
    struct heavy_branch *part = put_found(build, node, place, symbol);
    if (part)
        add_passing(build, part, place.node);
    return part;
}

static bool put_no_stack(struct build *build, uint32_t stack)
{
    struct heavy_branch *part =
        put_found(build, STACK_ROOT, (struct place){STACK_ROOT, 0}, build->no_stack);
    if (part)
        add_ending(build, part, stack);
    return part;
}

/* `place` has been reached by `symbol` from a node of the tree: another node, or, by recursion, the
 * same one. */
static bool reach(struct build *build, uint32_t node, struct place place, uint32_t symbol)
{
    if (build->options->merge_recursion && build->on_path[symbol] == node)
        return wait_for(build, place);
    bool is_deep = build->kept.depth[node] >= build->options->max_depth;
    return put_passing(build, node, place, is_deep ? build->deeper : symbol);
}

static void add_self(struct build *build, uint32_t node, uint32_t stack)
{
    if (stack != STACK_NONE)
        add_weight(&build->callees->tree.self[node], build->walk.now.self[stack],
                   build->options->weight, build->profile);
}

/* What comes after a place: the next inlined function, or the callees. */
static bool follow(struct build *build, uint32_t node, struct place place)
{
    size_t count = 0;
    const uint32_t *symbols = NULL;
    if (place.node != STACK_ROOT) {
        uint32_t frame = build->walk.trie->nodes[place.node].frame;
        symbols = frame_symbols_of(&build->frames, frame, &count);
        if (!symbols)
            return false;
    }
    if (place.symbol < count)
        return reach(build, node, (struct place){place.node, place.symbol + 1},
                     symbols[place.symbol]);
    uint32_t stack = stack_walk_stack(&build->walk, place.node);
    if (place.node != STACK_ROOT)
        add_self(build, node, stack);
    else if (stack != STACK_NONE && !put_no_stack(build, stack))
        return false;
    for (uint32_t child = build->walk.child[place.node]; child != 0;
         child = build->walk.next[child]) {
        symbols = frame_symbols_of(&build->frames, build->walk.trie->nodes[child].frame, &count);
        if (!symbols || !reach(build, node, (struct place){child, 1}, symbols[0]))
            return false;
    }
    return true;
}

/* ---- Branches ---------------------------------------------------------------------------- */

/* Brings the places of each part together, behind those of all others. */
static bool sort_found(struct build *build)
{
    size_t first = build->place_count;
    if (!ARRAY_RESERVE(&build->places, &build->place_capacity, first + build->found_count))
        return false;
    build->place_count += build->found_count;
    for (size_t i = 0; i < build->part_count; i++) {
        build->parts[i].first = (uint32_t)first;
        first += build->parts[i].count;
        build->parts[i].count = 0;
    }
    for (size_t i = 0; i < build->found_count; i++) {
        struct heavy_branch *part = &build->parts[build->found[i].part];
        build->places[part->first + part->count++] = build->found[i].place;
    }
    return true;
}

static bool offer_parts(struct build *build)
{
    bool done = sort_found(build);
    for (size_t i = 0; i < build->part_count; i++) {
        struct heavy_branch *part = &build->parts[i];
        build->part_of[part->symbol] = SYMBOL_NONE;
        part->weight = weight_of(build, part);
        done = done && (part->weight == 0 || heavy_branches_push(&build->heap, part));
    }
    build->part_count = build->found_count = 0;
    return done;
}

static bool is_leaf(const struct build *build, const struct heavy_branch *branch)
{
    return branch->symbol == build->deeper || branch->symbol == build->no_stack;
}

static void mark_path(struct build *build, uint32_t node)
{
    const struct stack_node *nodes = build->callees->tree.tree.nodes;
    for (uint32_t at = node; at != STACK_ROOT; at = nodes[at].parent)
        build->on_path[nodes[at].frame] = node;
}

static bool part(struct build *build, uint32_t node, const struct heavy_branch *branch)
{
    bool done = true;
    if (is_leaf(build, branch)) {
        build->callees->tree.self[node] = branch->now;
        return true;
    }
    if (build->options->merge_recursion)
        mark_path(build, node);
    for (uint32_t i = branch->first; done && i < branch->first + branch->count; i++) {
        done = wait_for(build, build->places[i]);
        while (done && build->waiting_count > 0)
            done = follow(build, node, build->waiting[--build->waiting_count]);
    }
    return done && offer_parts(build);
}

/* ---- The tree ---------------------------------------------------------------------------- */

/* Of the focus: its outermost calls, wherever they are. */
static bool find_focus(struct build *build)
{
    const struct stack_trie *trie = build->walk.trie;
    const struct symbol *items = build->callees->tree.symbols.items;
    bool *is_inside = calloc(trie->count, sizeof *is_inside);
    bool done = is_inside;
    for (uint32_t node = 1; done && node < trie->count; node++) {
        size_t count = 0, i = 0;
        is_inside[node] = is_inside[trie->nodes[node].parent];
        if (is_inside[node] || !build->walk.is_passed[node])
            continue;
        const uint32_t *symbols = frame_symbols_of(&build->frames, trie->nodes[node].frame, &count);
        while (i < count && strcmp(symbol_name(&items[symbols[i]]), build->options->focus) != 0)
            i++;
        if (i == count)
            continue;
        is_inside[node] = true;
        done = put_passing(build, STACK_ROOT, (struct place){node, (uint32_t)i + 1}, symbols[i]);
    }
    free(is_inside);
    return done;
}

static bool plant(struct build *build)
{
    struct heavy_branch root = {.symbol = SYMBOL_NONE};
    if (!build->options->focus) {
        add_passing(build, &root, STACK_ROOT);
        return kept_nodes_put(&build->kept, STACK_ROOT, &root) &&
               follow(build, STACK_ROOT, (struct place){0, 0}) && offer_parts(build);
    }
    if (!find_focus(build))
        return false;
    for (size_t i = 0; i < build->part_count; i++) {
        stack_tally_sum(&root.now, &build->parts[i].now);
        stack_tally_sum(&root.before, &build->parts[i].before);
    }
    return kept_nodes_put(&build->kept, STACK_ROOT, &root) && offer_parts(build);
}

static bool grow(struct build *build)
{
    struct stack_trie *tree = &build->callees->tree.tree;
    bool done = plant(build);
    while (done && build->heap.count > 0 && tree->count < build->options->limit) {
        struct heavy_branch branch = heavy_branches_pop(&build->heap);
        uint32_t node = stack_trie_child(tree, branch.parent, branch.symbol);
        done = kept_nodes_put(&build->kept, node, &branch) && part(build, node, &branch);
    }
    build->callees->hidden = build->heap.count;
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

/* The symbols of all frames, so that their number is known from here on. */
static bool number_symbols(struct build *build)
{
    struct symbols *symbols = &build->callees->tree.symbols;
    size_t count;
    build->no_stack = symbols_number_of(symbols, "<no stack>", NULL);
    build->deeper = symbols_number_of(symbols, "<deeper>", NULL);
    if (build->no_stack == SYMBOL_NONE || build->deeper == SYMBOL_NONE)
        return false;
    for (uint32_t frame = 0; frame < build->frames.source->frame_count; frame++)
        if (!frame_symbols_of(&build->frames, frame, &count))
            return false;
    build->part_of = malloc(symbols->count * sizeof *build->part_of);
    build->on_path = malloc(symbols->count * sizeof *build->on_path);
    for (size_t i = 0; build->part_of && build->on_path && i < symbols->count; i++) {
        build->part_of[i] = SYMBOL_NONE;
        build->on_path[i] = STACK_NONE;
    }
    return build->part_of && build->on_path;
}

static bool init(struct build *build, const struct frame_source *source)
{
    struct call_tree *tree = &build->callees->tree;
    symbols_init(&tree->symbols, build->options->grain);
    return stack_trie_init(&tree->tree) &&
           frame_symbols_init(&build->frames, source, &tree->symbols) && number_symbols(build) &&
           stack_walk_init(&build->walk, build->profile, build->options->weight, build->base,
                           build->options->weight) &&
           stack_walk_link(&build->walk) && grow(build) && call_tree_sort(tree);
}

bool callee_tree_init(struct caller_tree *callees, const struct stack_profile *profile,
                      const struct stack_profile *base, const struct frame_source *source,
                      const struct caller_tree_options *options)
{
    struct build build = {.callees = callees,
                          .profile = profile,
                          .base = base,
                          .options = options,
                          .kept = {.tree = callees, .has_base = base}};
    *callees = (struct caller_tree){.tree = {.measure = profile->measure}};
    bool done = init(&build, source);
    stack_walk_release(&build.walk);
    frame_symbols_release(&build.frames);
    heavy_branches_release(&build.heap);
    free(build.places);
    free(build.waiting);
    free(build.found);
    free(build.part_of);
    free(build.on_path);
    free(build.parts);
    kept_nodes_release(&build.kept);
    if (!done)
        caller_tree_release(callees);
    return done;
}
