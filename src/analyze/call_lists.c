#include "analyze/call_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort_lists.h"

enum {
    NODE_FRAMES = 16,       /* frames in lists that cost about what a node of a tree does */
    FEW_FRAMES = 256 << 10, /* of so few, lists are made anyway */
};

/* A node of the walk's path: the lists below it, and the first that belongs to no child yet. */
struct reach {
    uint32_t next, to;
};

struct call_lists {
    const struct stack_tally *tallies; /* by stack */
    uint32_t *items;                   /* ranks of symbols: of each stack, callers first */
    size_t item_count, item_capacity;
    struct sorted_list *order; /* sorted; `number` is the stack */
    uint32_t count, deepest;
    uint32_t *by_rank;   /* symbols */
    struct reach *reach; /* by depth */
};

struct filling {
    struct call_lists *lists;
    struct call_tree *tree;
    const struct stack_profile *profile;
    const struct call_tree_options *options;
    struct frame_symbols frames;
    uint32_t deeper;  /* the symbol "<deeper>" */
    uint32_t *met;    /* by symbol: the stack + 1 in which it was last met */
    size_t met_count; /* room for them */
};

bool call_lists_fit(const struct stack_profile *profile, const struct call_tree_options *options)
{
    const struct stack_trie *trie = &profile->trie;
    size_t frames = 0, most = FEW_FRAMES + NODE_FRAMES * trie->count;
    if (options->skip_unknown)
        return false;
    for (size_t i = 0; i < trie->stack_count && frames <= most; i++)
        for (uint32_t node = trie->ends[i]; node != STACK_ROOT && frames <= most;
             node = trie->nodes[node].parent)
            frames++;
    return frames <= most;
}

/* ---- Lists --------------------------------------------------------------------------- */

static bool put(struct call_lists *lists, uint32_t symbol)
{
    if (symbol == SYMBOL_NONE ||
        !ARRAY_RESERVE(&lists->items, &lists->item_capacity, lists->item_count + 1))
        return false;
    lists->items[lists->item_count++] = symbol;
    return true;
}

/* The symbols of a stack, the innermost first. */
static bool put_stack(struct filling *filling, uint32_t end)
{
    const struct stack_trie *trie = &filling->profile->trie;
    if (end == STACK_ROOT)
        return put(filling->lists, symbols_number_of(&filling->tree->symbols, "<no stack>", NULL));
    for (uint32_t node = end; node != STACK_ROOT; node = trie->nodes[node].parent) {
        size_t count;
        const uint32_t *symbols =
            frame_symbols_of(&filling->frames, trie->nodes[node].frame, &count);
        if (!symbols)
            return false;
        while (count-- > 0)
            if (!put(filling->lists, symbols[count]))
                return false;
    }
    return true;
}

static void reverse(uint32_t *items, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        uint32_t item = items[i];
        items[i] = items[--count];
        items[count] = item;
    }
}

/* Leaves out the symbols that the list has already.  False when there is no memory. */
static bool merge_recursion(struct filling *filling, uint32_t stack, size_t from)
{
    struct call_lists *lists = filling->lists;
    size_t known = filling->met_count, symbols = filling->tree->symbols.count, kept = from;
    if (!ARRAY_RESERVE(&filling->met, &filling->met_count, symbols))
        return false;
    memset(filling->met + known, 0, (filling->met_count - known) * sizeof *filling->met);
    for (size_t i = from; i < lists->item_count; i++) {
        uint32_t symbol = lists->items[i];
        if (filling->met[symbol] != stack + 1)
            lists->items[kept++] = symbol;
        filling->met[symbol] = stack + 1;
    }
    lists->item_count = kept;
    return true;
}

static void cut(struct filling *filling, const struct stack_tally *tally, size_t from)
{
    struct call_lists *lists = filling->lists;
    uint32_t most = filling->options->max_depth;
    if (most == 0 || lists->item_count - from <= most)
        return;
    lists->items[from + most] = filling->deeper;
    lists->item_count = from + most + 1;
    filling->tree->cut_events += tally->events;
}

static bool add_list(struct filling *filling, uint32_t stack)
{
    struct call_lists *lists = filling->lists;
    size_t from = lists->item_count;
    if (!put_stack(filling, filling->profile->trie.ends[stack]))
        return false;
    if (!filling->options->reverse)
        reverse(lists->items + from, lists->item_count - from);
    if (filling->options->merge_recursion && !merge_recursion(filling, stack, from))
        return false;
    cut(filling, &lists->tallies[stack], from);
    uint32_t depth = (uint32_t)(lists->item_count - from);
    lists->deepest = depth > lists->deepest ? depth : lists->deepest;
    lists->order[lists->count++] = (struct sorted_list){.count = depth, .number = stack};
    return true;
}

static uint32_t rank_at(const void *context, const struct sorted_list *list, uint32_t depth)
{
    return depth < list->count ? list->items[depth] + 1 : 0;
}

/* Turns the symbols of all lists into ranks, and sorts them. */
static bool sort(struct filling *filling)
{
    struct call_lists *lists = filling->lists;
    size_t symbols = filling->tree->symbols.count, next = 0;
    uint32_t *ranks = call_tree_rank(&filling->tree->symbols);
    lists->by_rank = malloc((symbols + 1) * sizeof *lists->by_rank);
    if (!ranks || !lists->by_rank) {
        free(ranks);
        return false;
    }
    for (uint32_t i = 0; i < symbols; i++)
        lists->by_rank[ranks[i]] = i;
    for (size_t i = 0; i < lists->item_count; i++)
        lists->items[i] = ranks[lists->items[i]];
    free(ranks);
    for (uint32_t i = 0; i < lists->count; i++) {
        lists->order[i].items = lists->items + next;
        next += lists->order[i].count;
    }
    sort_lists(lists->order, lists->count, rank_at, NULL);
    return true;
}

static bool list_stacks(struct filling *filling)
{
    struct call_lists *lists = filling->lists;
    struct symbols *symbols = &filling->tree->symbols;
    size_t stacks = filling->profile->trie.stack_count;
    lists->order = malloc((stacks + 1) * sizeof *lists->order);
    filling->deeper =
        filling->options->max_depth > 0 ? symbols_number_of(symbols, "<deeper>", NULL) : 0;
    if (!lists->order || filling->deeper == SYMBOL_NONE)
        return false;
    for (uint32_t i = 0; i < stacks; i++)
        if (lists->tallies[i].events > 0 && !add_list(filling, i))
            return false;
    return sort(filling);
}

/* A node for each depth, and the root with all that there is. */
static bool make_nodes(struct filling *filling)
{
    struct call_lists *lists = filling->lists;
    struct call_tree *tree = filling->tree;
    size_t nodes = (size_t)lists->deepest + 1;
    tree->self = calloc(nodes, sizeof *tree->self);
    tree->total = calloc(nodes, sizeof *tree->total);
    lists->reach = calloc(nodes, sizeof *lists->reach);
    if (!tree->self || !tree->total || !lists->reach || !stack_trie_init_appended(&tree->tree))
        return false;
    for (uint32_t depth = 0; depth < lists->deepest; depth++)
        if (stack_trie_append(&tree->tree, depth, 0) == STACK_NONE)
            return false;
    for (uint32_t i = 0; i < lists->count; i++)
        stack_tally_sum(&tree->total[STACK_ROOT], &lists->tallies[lists->order[i].number]);
    return true;
}

bool call_lists_fill(struct call_tree *tree, const struct stack_profile *profile,
                     const struct frame_source *source, const struct call_tree_options *options)
{
    struct filling filling = {.tree = tree, .profile = profile, .options = options};
    filling.lists = tree->lists = calloc(1, sizeof *tree->lists);
    if (!tree->lists)
        return false;
    tree->lists->tallies = profile->tallies;
    bool done = frame_symbols_init(&filling.frames, source, &tree->symbols) &&
                list_stacks(&filling) && make_nodes(&filling);
    frame_symbols_release(&filling.frames);
    free(filling.met);
    return done;
}

void call_lists_free(struct call_lists *lists)
{
    if (!lists)
        return;
    free(lists->items);
    free(lists->order);
    free(lists->by_rank);
    free(lists->reach);
    free(lists);
}

/* ---- Walking ------------------------------------------------------------------------- */

void call_lists_rewind(struct call_lists *lists)
{
    lists->reach[0] = (struct reach){0, lists->count};
}

uint32_t call_lists_next(const struct call_tree *tree, uint32_t depth)
{
    struct call_lists *lists = tree->lists;
    uint32_t at = lists->reach[depth].next, to = lists->reach[depth].to, own = at;
    struct stack_tally self = {0}, total;
    if (at == to)
        return STACK_ROOT;
    uint32_t rank = lists->order[at].items[depth];
    for (; at < to && lists->order[at].count == depth + 1 && lists->order[at].items[depth] == rank;
         at++)
        stack_tally_sum(&self, &lists->tallies[lists->order[at].number]);
    own = at;
    for (total = self; at < to && lists->order[at].items[depth] == rank; at++)
        stack_tally_sum(&total, &lists->tallies[lists->order[at].number]);
    lists->reach[depth].next = at;
    lists->reach[depth + 1] = (struct reach){own, at};
    tree->self[depth + 1] = self;
    tree->total[depth + 1] = total;
    tree->tree.nodes[depth + 1].frame = lists->by_rank[rank];
    return depth + 1;
}

size_t call_lists_count(const struct call_lists *lists)
{
    size_t nodes = 0;
    for (uint32_t i = 0; i < lists->count; i++) {
        const struct sorted_list *list = &lists->order[i], *before = list - 1;
        uint32_t depth = 0;
        while (i > 0 && depth < list->count && depth < before->count &&
               list->items[depth] == before->items[depth])
            depth++;
        nodes += list->count - depth;
    }
    return nodes;
}
