#include "profile/block_list.h"

#include <stdlib.h>

#include "base/array.h"

bool block_list_init(struct block_list *list)
{
    *list = (struct block_list){0};
    id_table_init(&list->by_id, sizeof(uint32_t));
    if (!ARRAY_RESERVE(&list->items, &list->capacity, 1))
        return false;
    list->items[0] = (struct block_link){0};
    list->count = 1;
    return true;
}

void block_list_release(struct block_list *list)
{
    id_table_release(&list->by_id);
    free(list->items);
    *list = (struct block_list){0};
}

static uint32_t new_item(struct block_list *list)
{
    uint32_t item = list->unused;
    if (item) {
        list->unused = list->items[item].after;
        return item;
    }
    if (list->count >= UINT32_MAX || !ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
        return 0;
    return (uint32_t)list->count++;
}

bool block_list_add(struct block_list *list, uint64_t id)
{
    bool fresh;
    uint32_t item = new_item(list);
    uint32_t *index = item ? id_table_add(&list->by_id, id, &fresh) : NULL;
    if (!index)
        return false;
    uint32_t last = list->items[0].before;
    *index = item;
    list->items[item] = (struct block_link){id, last, 0};
    list->items[last].after = item;
    list->items[0].before = item;
    return true;
}

bool block_list_steps(const struct block_list *list, unsigned cursor, uint64_t id, int64_t *steps)
{
    const uint32_t *index = id_table_find(&list->by_id, id);
    uint32_t forward = list->cursors[cursor], backward = forward;
    if (!index)
        return false;
    for (int i = 0; i <= BLOCK_LIST_STEPS; i++) {
        if (forward == *index || backward == *index) {
            *steps = forward == *index ? i : -i;
            return true;
        }
        forward = list->items[forward].after;
        backward = list->items[backward].before;
    }
    return false;
}

bool block_list_at(const struct block_list *list, unsigned cursor, int64_t steps, uint64_t *id)
{
    uint32_t item = list->cursors[cursor];
    if (steps > BLOCK_LIST_STEPS || steps < -BLOCK_LIST_STEPS)
        return false;
    for (; steps > 0; steps--)
        item = list->items[item].after;
    for (; steps < 0; steps++)
        item = list->items[item].before;
    *id = list->items[item].id;
    return item != 0;
}

void block_list_named(struct block_list *list, unsigned cursor, uint64_t id, bool ended)
{
    const uint32_t *index = id_table_find(&list->by_id, id);
    if (!index)
        return;
    uint32_t item = *index;
    struct block_link *link = &list->items[item];
    list->cursors[cursor] = link->after;
    if (!ended)
        return;
    for (unsigned i = 0; i < BLOCK_LIST_CURSORS; i++)
        if (list->cursors[i] == item)
            list->cursors[i] = link->after;
    list->items[link->before].after = link->after;
    list->items[link->after].before = link->before;
    link->after = list->unused;
    list->unused = item;
    id_table_remove(&list->by_id, id);
}
