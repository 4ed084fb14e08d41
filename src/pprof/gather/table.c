#include "inside/pages.h"
#include "pprof/gather/profile.h"

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
