/* Every stack is a cursor into one long list of symbols.  Growing a branch sorts its cursors by the
 * symbols they stand before, by counting, so that those of a child lie together; a child that is
 * heavy enough waits, with its part of the cursors, until its turn comes. */
#include "analyze/branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "base/array.h"

/* A stack on its way: it stands before symbols[at], and ends at `end`. */
struct cursor {
    uint32_t stack;
    size_t at, end; /* outward, both go down, and `at` is one above the symbol */
};

/* A branch that waits to be grown. */
struct pending {
    size_t from, to; /* its cursors */
    uint32_t symbol, parent, depth;
    double total;
};

struct child {
    uint32_t symbol;
    size_t count, next;
    double total;
};

struct growth {
    struct branches *branches;
    const struct stack_profile *profile;
    const struct branch_options *options;
    struct frame_symbols frames;
    uint32_t *list; /* symbols of all stacks, callers first */
    size_t list_count, list_capacity;
    struct cursor *cursors, *spare;
    size_t cursor_count, cursor_capacity;
    bool *is_root; /* by symbol */
    const char **names;
    uint32_t *child_of; /* by symbol: index into children + 1; 0 for none */
    struct child *children;
    size_t child_count, child_capacity;
    struct pending *waiting;
    size_t waiting_count, waiting_capacity;
};

/* ---- Stacks as lists ----------------------------------------------------------------- */

/* Appends the symbols of a stack, callers first. */
static bool flatten(struct growth *growth, uint32_t stack)
{
    const struct stack_trie *trie = &growth->profile->trie;
    size_t from = growth->list_count;
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent) {
        size_t count;
        const uint32_t *symbols =
            frame_symbols_of(&growth->frames, trie->nodes[node].frame, &count);
        if (!symbols ||
            !ARRAY_RESERVE(&growth->list, &growth->list_capacity, growth->list_count + count))
            return false;
        while (count-- > 0)
            growth->list[growth->list_count++] = symbols[count];
    }
    for (size_t i = from, k = growth->list_count; i + 1 < k; i++) {
        uint32_t symbol = growth->list[i];
        growth->list[i] = growth->list[--k];
        growth->list[k] = symbol;
    }
    return true;
}

static double weight_of(const struct growth *growth, uint32_t stack)
{
    return stack_tally_weight(&growth->profile->tallies[stack], &growth->profile->estimate,
                              growth->options->weight);
}

/* First every stack as the range of its symbols; roots are found when all names are known. */
static bool list_stacks(struct growth *growth)
{
    for (uint32_t stack = 0; stack < growth->profile->trie.stack_count; stack++) {
        size_t from = growth->list_count;
        if (weight_of(growth, stack) == 0)
            continue;
        if (!flatten(growth, stack) ||
            !ARRAY_RESERVE(&growth->cursors, &growth->cursor_capacity, growth->cursor_count + 1))
            return false;
        growth->cursors[growth->cursor_count++] = (struct cursor){stack, from, growth->list_count};
    }
    return true;
}

static bool name_symbols(struct growth *growth)
{
    const struct branch_options *options = growth->options;
    struct branches *branches = growth->branches;
    size_t count = branches->symbols.count;
    growth->names = calloc(count + 1, sizeof *growth->names);
    growth->is_root = calloc(count + 1, sizeof *growth->is_root);
    growth->child_of = calloc(count + 1, sizeof *growth->child_of);
    growth->spare = malloc((growth->cursor_count + 1) * sizeof *growth->spare);
    if (!growth->names || !growth->is_root || !growth->child_of || !growth->spare)
        return false;
    for (size_t i = 0; i < count; i++) {
        growth->names[i] = call_graph_name(&branches->names, &branches->symbols.items[i]);
        if (!growth->names[i])
            return false;
        growth->is_root[i] =
            options->is_root && options->is_root(options->root_context, growth->names[i]);
    }
    return true;
}

/* The place where a stack begins; false where it has none. */
static bool begin(const struct growth *growth, struct cursor *cursor)
{
    size_t from = cursor->at, to = cursor->end, at = from;
    if (from == to)
        return false;
    if (growth->options->is_root) {
        while (at < to && !growth->is_root[growth->list[at]])
            at++;
        if (at == to)
            return false;
    } else if (growth->options->outward) {
        at = to - 1;
    }
    *cursor = growth->options->outward ? (struct cursor){cursor->stack, at + 1, from}
                                       : (struct cursor){cursor->stack, at, to};
    return true;
}

static void begin_all(struct growth *growth)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->cursor_count; i++) {
        struct cursor cursor = growth->cursors[i];
        if (!begin(growth, &cursor))
            continue;
        growth->branches->total += weight_of(growth, cursor.stack);
        growth->cursors[kept++] = cursor;
    }
    growth->cursor_count = kept;
}

/* ---- Growing ------------------------------------------------------------------------- */

static inline uint32_t symbol_at(const struct growth *growth, const struct cursor *cursor)
{
    return growth->list[growth->options->outward ? cursor->at - 1 : cursor->at];
}

static struct child *child_of(struct growth *growth, uint32_t symbol)
{
    uint32_t *number = &growth->child_of[symbol];
    if (*number == 0) {
        if (!ARRAY_RESERVE(&growth->children, &growth->child_capacity, growth->child_count + 1))
            return NULL;
        growth->children[growth->child_count] = (struct child){.symbol = symbol};
        *number = (uint32_t)++growth->child_count;
    }
    return &growth->children[*number - 1];
}

/* The children of the cursors from..to, with what comes to each. */
static bool count_children(struct growth *growth, size_t from, size_t to)
{
    growth->child_count = 0;
    for (size_t i = from; i < to; i++) {
        struct child *child = child_of(growth, symbol_at(growth, &growth->cursors[i]));
        if (!child)
            return false;
        child->count++;
        child->total += weight_of(growth, growth->cursors[i].stack);
    }
    return true;
}

/* Sorts the cursors by child; each child's begin at its `next`. */
static void part_cursors(struct growth *growth, size_t from, size_t to)
{
    size_t next = from;
    for (size_t i = 0; i < growth->child_count; i++) {
        growth->children[i].next = next;
        next += growth->children[i].count;
    }
    for (size_t i = from; i < to; i++) {
        uint32_t symbol = symbol_at(growth, &growth->cursors[i]);
        growth->spare[growth->children[growth->child_of[symbol] - 1].next++] = growth->cursors[i];
    }
    for (size_t i = from; i < to; i++)
        growth->cursors[i] = growth->spare[i];
    for (size_t i = 0; i < growth->child_count; i++) {
        growth->children[i].next -= growth->children[i].count;
        growth->child_of[growth->children[i].symbol] = 0;
    }
}

static int compare_children(const void *left, const void *right, void *context)
{
    const struct child *a = left, *b = right;
    const char *const *names = context;
    if (fabs(a->total) != fabs(b->total))
        return fabs(a->total) > fabs(b->total) ? -1 : 1;
    int order = strcmp(names[a->symbol], names[b->symbol]);
    return order ? order : a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* Makes the children of the cursors wait, the lightest first, so that the heaviest comes next.
 * Tells the weight of those that are too light. */
static bool plant(struct growth *growth, size_t from, size_t to, uint32_t parent, uint32_t depth,
                  double *pruned)
{
    if (!count_children(growth, from, to))
        return false;
    part_cursors(growth, from, to);
    if (growth->child_count > 1)
        qsort_r(growth->children, growth->child_count, sizeof *growth->children, compare_children,
                growth->names);
    if (!ARRAY_RESERVE(&growth->waiting, &growth->waiting_capacity,
                       growth->waiting_count + growth->child_count))
        return false;
    for (size_t i = growth->child_count; i-- > 0;) {
        const struct child *child = &growth->children[i];
        if (fabs(child->total) < growth->options->least ||
            (growth->options->max_depth > 0 && depth >= growth->options->max_depth)) {
            *pruned += child->total;
            continue;
        }
        growth->waiting[growth->waiting_count++] = (struct pending){
            child->next, child->next + child->count, child->symbol, parent, depth, child->total};
    }
    return true;
}

/* Moves the cursors one function on; those that end there go to the front and count as its own. */
static size_t advance(struct growth *growth, const struct pending *pending, double *self)
{
    size_t first = pending->from;
    for (size_t i = pending->from; i < pending->to; i++) {
        struct cursor *cursor = &growth->cursors[i];
        cursor->at += growth->options->outward ? (size_t)-1 : 1;
        if (cursor->at != cursor->end)
            continue;
        struct cursor ended = *cursor;
        *self += weight_of(growth, ended.stack);
        *cursor = growth->cursors[first];
        growth->cursors[first++] = ended;
    }
    return first;
}

static bool grow(struct growth *growth, const struct pending *pending)
{
    struct branches *branches = growth->branches;
    if (branches->count >= BRANCH_NONE ||
        !ARRAY_RESERVE(&branches->items, &branches->capacity, branches->count + 1))
        return false;
    uint32_t number = (uint32_t)branches->count++;
    struct branch *branch = &branches->items[number];
    *branch = (struct branch){.symbol = pending->symbol,
                              .name = growth->names[pending->symbol],
                              .parent = pending->parent,
                              .depth = pending->depth,
                              .total = pending->total};
    if (pending->parent != BRANCH_NONE)
        branches->items[pending->parent].children++;
    size_t first = advance(growth, pending, &branch->self);
    return plant(growth, first, pending->to, number, pending->depth + 1, &branch->pruned);
}

static bool grow_all(struct growth *growth)
{
    if (!list_stacks(growth) || !name_symbols(growth))
        return false;
    begin_all(growth);
    bool done = plant(growth, 0, growth->cursor_count, BRANCH_NONE, 0, &growth->branches->pruned);
    while (done && growth->waiting_count > 0) {
        struct pending pending = growth->waiting[--growth->waiting_count];
        done = grow(growth, &pending);
    }
    return done;
}

/* ---- The tree ------------------------------------------------------------------------ */

bool branches_init(struct branches *branches, const struct stack_profile *profile,
                   const struct frame_source *source, const struct branch_options *options)
{
    struct growth growth = {.branches = branches, .profile = profile, .options = options};
    *branches = (struct branches){0};
    symbols_init(&branches->symbols, options->grain);
    bool done = frame_symbols_init(&growth.frames, source, &branches->symbols);
    growth.frames.by_module = true;
    growth.frames.no_inlines = options->no_inlines;
    done = done && grow_all(&growth);
    frame_symbols_release(&growth.frames);
    free(growth.list);
    free(growth.cursors);
    free(growth.spare);
    free(growth.is_root);
    free(growth.names);
    free(growth.child_of);
    free(growth.children);
    free(growth.waiting);
    if (!done)
        branches_release(branches);
    return done;
}

void branches_release(struct branches *branches)
{
    symbols_release(&branches->symbols);
    names_release(&branches->names);
    free(branches->items);
    *branches = (struct branches){0};
}
