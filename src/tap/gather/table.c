#include "tap/inside/pages.h"
#include "tap/gather/profile.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct table *table_new(size_t slots)
{
    struct table *table = pages_map(sizeof *table + slots * sizeof table->slots[0]);
    if (table)
        table->mask = slots - 1;
    return table;
}

void table_free(struct table *table)
{
    while (table) {
        struct table *before = table->before;
        pages_unmap(table, sizeof *table + (table->mask + 1) * sizeof table->slots[0]);
        table = before;
    }
}

void table_put(struct table *table, uint64_t hash, uint32_t number)
{
    size_t index = hash & table->mask;
    while (atomic_load_explicit(&table->slots[index], memory_order_relaxed))
        index = (index + 1) & table->mask;
    atomic_store_explicit(&table->slots[index], number, memory_order_release);
    table->used++;
}

struct table *table_grown(struct table *table, uint64_t (*hash_of)(void *context, uint32_t number),
                          void *context)
{
    struct table *grown = table_new((table->mask + 1) * 2);
    if (!grown)
        return NULL;
    for (size_t i = 0; i <= table->mask; i++) {
        uint32_t number = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (number)
            table_put(grown, hash_of(context, number), number);
    }
    grown->before = table;
    return grown;
}

struct index *index_new(size_t slots)
{
    size_t bytes = sizeof(struct index) + slots * sizeof(struct index_slot);
    struct index *index = pages_map(bytes);
    if (!index)
        return NULL;
    if (bytes >= HUGE_PAGE_BYTES && !confined_on())
        madvise(index, bytes, MADV_HUGEPAGE); /* all of it will be touched, at random */
    index->mask = slots - 1;
    return index;
}

void index_free(struct index *index)
{
    if (index)
        pages_unmap(index, sizeof *index + (index->mask + 1) * sizeof index->slots[0]);
}

void index_put(struct index *index, uint64_t hash, uint32_t number)
{
    uint32_t mark = (uint32_t)hash;
    size_t at = mark & index->mask;
    while (index->slots[at].number)
        at = (at + 1) & index->mask;
    index->slots[at] = (struct index_slot){.number = number, .mark = mark};
    index->used++;
}

bool index_make_room(struct index **index)
{
    struct index *old = *index;
    if (old->used * 4 <= old->mask * 3)
        return true;
    struct index *grown = index_new((old->mask + 1) * 2);
    if (!grown)
        return old->used < old->mask;
    for (size_t i = 0; i <= old->mask; i++)
        if (old->slots[i].number)
            index_put(grown, old->slots[i].mark, old->slots[i].number);
    index_free(old);
    *index = grown;
    return true;
}
