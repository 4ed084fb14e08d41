#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "report/tree/branches.h"

/* ---- Of symbols ---------------------------------------------------------------------- */

static int compare_symbols(const void *left, const void *right, void *context)
{
    const struct symbol *items = context;
    const struct symbol *a = &items[*(const uint32_t *)left], *b = &items[*(const uint32_t *)right];
    int order = order_texts(symbol_name(a), symbol_name(b));
    if (order == 0)
        order = order_texts(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    if (order == 0)
        order = a->start_char < b->start_char ? -1 : a->start_char > b->start_char;
    return order ? order : a->end_char < b->end_char ? -1 : a->end_char > b->end_char;
}

uint32_t *branches_rank(const struct symbols *symbols)
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

/* ---- Of branches --------------------------------------------------------------------- */

struct order {
    const struct branch *items;
    const uint32_t *ranks;  /* by symbol: its place in the order of names */
    uint32_t *child, *next; /* by branch: the first below it, and the next beside it; 0 for none */
};

static int compare(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    uint32_t a = order->ranks[order->items[*(const uint32_t *)left].symbol];
    uint32_t b = order->ranks[order->items[*(const uint32_t *)right].symbol];
    return a < b ? -1 : a > b;
}

/* Links all branches but the root, those that are to come last first. */
static bool link_branches(struct order *order, size_t count)
{
    uint32_t *sorted = malloc(count * sizeof *sorted);
    for (uint32_t i = 1; sorted && i < count; i++)
        sorted[i - 1] = i;
    if (sorted)
        qsort_r(sorted, count - 1, sizeof *sorted, compare, order);
    for (size_t i = count - 1; sorted && i-- > 0;) {
        uint32_t parent = order->items[sorted[i]].parent;
        order->next[sorted[i]] = order->child[parent];
        order->child[parent] = sorted[i];
    }
    free(sorted);
    return sorted;
}

/* `place` gets the new index of each. */
static void lay_out(const struct order *order, struct branch *to, uint32_t *place)
{
    const struct branch *from = order->items;
    uint32_t at = 0, count = 0;
    for (;;) {
        place[at] = count;
        to[count] = from[at];
        to[count++].parent = place[from[at].parent];
        if (order->child[at] != 0) {
            at = order->child[at];
            continue;
        }
        while (at != 0 && order->next[at] == 0)
            at = from[at].parent;
        if (at == 0)
            return;
        at = order->next[at];
    }
}

bool branches_sort(struct branches *branches)
{
    size_t count = branches->count;
    uint32_t *ranks = branches_rank(&branches->symbols);
    uint32_t *place = malloc(count * sizeof *place);
    struct branch *items = malloc(count * sizeof *items);
    struct order order = {branches->items, ranks, calloc(count, sizeof *order.child),
                          calloc(count, sizeof *order.next)};
    bool done =
        ranks && place && items && order.child && order.next && link_branches(&order, count);
    if (done) {
        lay_out(&order, items, place);
        free(branches->items);
        branches->items = items;
        branches->capacity = count;
    } else {
        free(items);
    }
    free(ranks);
    free(place);
    free(order.child);
    free(order.next);
    return done;
}
