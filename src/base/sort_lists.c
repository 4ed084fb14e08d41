/* Two numbers at a time, as one number that lies in the list's own item: the lists themselves are
 * all over memory. */
#include "base/sort_lists.h"

#include <stdlib.h>

#include "base/order.h"

enum { SORT_SMALL = 12, SORT_DEEP = 64 };

struct sorting {
    sort_lists_at *at;
    const void *context;
};

static int compare_lists(const void *left, const void *right, void *context)
{
    const struct sorting *sorting = context;
    const struct sorted_list *a = left, *b = right;
    uint32_t longest = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 0; i < longest; i++) {
        uint32_t x = sorting->at(sorting->context, a, i), y = sorting->at(sorting->context, b, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Lists whose first `depth` numbers are equal come in. */
static void sort(const struct sorting *sorting, struct sorted_list *lists, size_t count,
                 uint32_t depth)
{
    if (count < SORT_SMALL || depth >= SORT_DEEP) {
        if (count > 1)
            qsort_r(lists, count, sizeof *lists, compare_lists, (void *)sorting);
        return;
    }
    for (size_t i = 0; i < count; i++)
        lists[i].key = (uint64_t)sorting->at(sorting->context, &lists[i], depth) << 32 |
                       sorting->at(sorting->context, &lists[i], depth + 1);
    qsort(lists, count, sizeof *lists, order_numbers);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && lists[to].key == lists[from].key; to++)
            ;
        if ((uint32_t)lists[from].key != 0)
            sort(sorting, lists + from, to - from, depth + 2);
    }
}

void sort_lists(struct sorted_list *lists, size_t count, sort_lists_at *at, const void *context)
{
    sort(&(struct sorting){at, context}, lists, count, 0);
}
