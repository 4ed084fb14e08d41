#include "report/tree/heavy_branches.h"

#include <stdlib.h>

#include "base/array.h"

static bool is_before(const struct heavy_branch *a, const struct heavy_branch *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->serial < b->serial;
}

static void swap(struct heavy_branch *a, struct heavy_branch *b)
{
    struct heavy_branch kept = *a;
    *a = *b;
    *b = kept;
}

bool heavy_branches_push(struct heavy_branches *branches, struct heavy_branch *branch)
{
    branch->serial = ++branches->serial;
    if (!ARRAY_RESERVE(&branches->items, &branches->capacity, branches->count + 1))
        return false;
    size_t at = branches->count++;
    struct heavy_branch *items = branches->items;
    items[at] = *branch;
    for (; !branches->is_stack && at > 0 && is_before(&items[at], &items[(at - 1) / 2]);
         at = (at - 1) / 2)
        swap(&items[at], &items[(at - 1) / 2]);
    return true;
}

struct heavy_branch heavy_branches_pop(struct heavy_branches *branches)
{
    struct heavy_branch *items = branches->items;
    struct heavy_branch first = items[0];
    if (branches->is_stack)
        return items[--branches->count];
    items[0] = items[--branches->count];
    for (size_t at = 0, least; (least = 2 * at + 1) < branches->count; at = least) {
        if (least + 1 < branches->count && is_before(&items[least + 1], &items[least]))
            least++;
        if (!is_before(&items[least], &items[at]))
            break;
        swap(&items[least], &items[at]);
    }
    return first;
}

void heavy_branches_release(struct heavy_branches *branches)
{
    free(branches->items);
    *branches = (struct heavy_branches){0};
}
