/* Where stacks begin, and how they are followed. */
#include <stdlib.h>

#include "report/tree/branch_growth.h"
#include "base/array.h"

const uint32_t *branch_growth_symbols(struct branch_growth *growth, uint32_t node, size_t *count)
{
    uint32_t frame = growth->walk.trie->nodes[node].frame;
    size_t known = 1;
    *count = 0;
    const uint32_t *symbols = frame_symbols_of(&growth->frames, frame, count);
    if (growth->options->skip_unknown)
        frame_source_locations(growth->frames.source, frame, &known);
    if (known == 0)
        *count = 0;
    return symbols;
}

/* ---- What places weigh --------------------------------------------------------------- */

static double weight_of(const struct stack_weights *weights, uint32_t sum)
{
    return weights->sums ? weights->sums[sum] : 0;
}

/* What of a branch is to be grown with the symbol; NULL when there is no memory. */
static struct heavy_branch *part_of(struct branch_growth *growth, uint32_t number, uint32_t symbol)
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

static bool put_found(struct branch_growth *growth, uint32_t number, struct place place,
                      uint32_t symbol)
{
    struct heavy_branch *part = part_of(growth, number, symbol);
    if (!part || !ARRAY_RESERVE(&growth->found, &growth->found_capacity, growth->found_count + 1))
        return false;
    part->count++;
    part->now += weight_of(&growth->walk.now, place.sum);
    part->base += weight_of(&growth->walk.base, place.sum);
    growth->found[growth->found_count++] = (struct found){place, symbol};
    return true;
}

/* A stack without frames. */
static bool put_no_stack(struct branch_growth *growth)
{
    uint32_t stack = stack_walk_stack(&growth->walk, STACK_ROOT);
    if (!growth->options->has_marks || stack == STACK_NONE)
        return true;
    struct heavy_branch *part = part_of(growth, 0, growth->no_stack);
    if (part) {
        part->now = weight_of(&growth->walk.now, stack);
        part->base = weight_of(&growth->walk.base, stack);
    }
    return part;
}

/* ---- Following stacks ---------------------------------------------------------------- */

static bool wait_for(struct branch_growth *growth, struct place place)
{
    if (!ARRAY_RESERVE(&growth->waiting, &growth->waiting_capacity, growth->waiting_count + 1))
        return false;
    growth->waiting[growth->waiting_count++] = place;
    return true;
}

/* `place` has been reached by `symbol` from a branch: another branch, or, by recursion, the same
 * one. */
static bool reach(struct branch_growth *growth, uint32_t number, struct place place,
                  uint32_t symbol)
{
    if (growth->options->merge_recursion && growth->on_path[symbol] == growth->mark)
        return wait_for(growth, place);
    bool is_cut = growth->options->has_marks && branch_growth_is_deepest(growth, number);
    return put_found(growth, number, place, is_cut ? growth->deeper : symbol);
}

static void end_at(struct branch_growth *growth, uint32_t number, uint32_t sum)
{
    growth->branches->items[number].self += weight_of(&growth->walk.now, sum);
    if (growth->has_tallies)
        stack_tally_sum(&growth->self, stack_walk_tally(&growth->walk, sum));
}

/* The next function outwards. */
static bool follow_outward(struct branch_growth *growth, uint32_t number, struct place place)
{
    size_t count;
    while (place.symbol == 0) {
        place.node = growth->walk.trie->nodes[place.node].parent;
        if (place.node == STACK_ROOT) {
            end_at(growth, number, place.sum);
            return true;
        }
        branch_growth_symbols(growth, place.node, &count);
        place.symbol = (uint32_t)count;
    }
    uint32_t symbol = branch_growth_symbols(growth, place.node, &count)[--place.symbol];
    return reach(growth, number, place, symbol);
}

/* The callees of a node of the trie. */
static bool follow_callees(struct branch_growth *growth, uint32_t number, uint32_t node)
{
    const struct stack_walk *walk = &growth->walk;
    bool done = true;
    for (uint32_t child = stack_walk_child(walk, node); done && child != 0;
         child = stack_walk_next(walk, child)) {
        size_t count;
        const uint32_t *symbols = branch_growth_symbols(growth, child, &count);
        struct place place = {child, count > 0, walk->sum_of[child]};
        done = count > 0 ? reach(growth, number, place, symbols[0]) : wait_for(growth, place);
    }
    return done;
}

/* The next inlined function, or the callees. */
static bool follow_inward(struct branch_growth *growth, uint32_t number, struct place place)
{
    size_t count;
    const uint32_t *symbols = branch_growth_symbols(growth, place.node, &count);
    if (place.symbol < count) {
        place.symbol++;
        return reach(growth, number, place, symbols[place.symbol - 1]);
    }
    uint32_t stack = stack_walk_stack(&growth->walk, place.node);
    if (stack != STACK_NONE)
        end_at(growth, number, stack);
    return follow_callees(growth, number, place.node);
}

static bool follow_waiting(struct branch_growth *growth, uint32_t number)
{
    bool done = true;
    while (done && growth->waiting_count > 0) {
        struct place place = growth->waiting[--growth->waiting_count];
        done = growth->options->outward ? follow_outward(growth, number, place)
                                        : follow_inward(growth, number, place);
    }
    return done;
}

bool branch_growth_follow(struct branch_growth *growth, uint32_t number, struct place place)
{
    return wait_for(growth, place) && follow_waiting(growth, number);
}

/* ---- Where stacks begin -------------------------------------------------------------- */

/* The outermost root in the frame of a node, if any: *is_inside tells of it. */
static bool begin_at_root(struct branch_growth *growth, const bool *is_root, uint32_t node,
                          bool *is_inside)
{
    size_t count, i = 0;
    const uint32_t *symbols = branch_growth_symbols(growth, node, &count);
    while (i < count && !is_root[symbols[i]])
        i++;
    if (i == count)
        return true;
    *is_inside = true;
    uint32_t passed = (uint32_t)i + !growth->options->outward;
    return reach(growth, 0, (struct place){node, passed, growth->walk.sum_of[node]}, symbols[i]);
}

static bool begin_at_roots(struct branch_growth *growth)
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
        if (!is_inside[node] && stack_walk_passes(&growth->walk, node))
            done = begin_at_root(growth, is_root, node, &is_inside[node]);
    }
    free(is_root);
    free(is_inside);
    return done;
}

static bool begin_at_ends(struct branch_growth *growth)
{
    const struct stack_trie *trie = growth->walk.trie;
    bool done = true;
    size_t count;
    for (uint32_t stack = 0; done && stack < trie->stack_count; stack++) {
        uint32_t end = trie->ends[stack];
        if (end == STACK_ROOT || stack_walk_stack(&growth->walk, end) != stack)
            continue;
        branch_growth_symbols(growth, end, &count);
        done = branch_growth_follow(growth, 0, (struct place){end, (uint32_t)count, stack});
    }
    return done;
}

bool branch_growth_begin(struct branch_growth *growth)
{
    if (growth->options->is_root)
        return begin_at_roots(growth);
    if (!put_no_stack(growth))
        return false;
    return growth->options->outward
               ? begin_at_ends(growth)
               : follow_callees(growth, 0, STACK_ROOT) && follow_waiting(growth, 0);
}
