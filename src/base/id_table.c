#include "base/id_table.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 6, PAGE_IDS = 1 << PAGE_BITS, FIRST_SLOTS = 64 };

struct id_page {
    uint64_t present; /* a bit for each id that has a record */
    char records[];   /* PAGE_IDS of them */
};

void id_table_init(struct id_table *table, size_t record_bytes)
{
    *table = (struct id_table){.record_bytes = record_bytes};
}

void id_table_release(struct id_table *table)
{
    for (size_t i = 0; table->slots && i <= table->mask; i++)
        free(table->slots[i].page);
    free(table->slots);
    *table = (struct id_table){.record_bytes = table->record_bytes};
}

/* Pages of neighbouring numbers are neighbours in the table: that is how they are met. */
static size_t home_of(const struct id_table *table, uint64_t number)
{
    return (size_t)(number ^ (number >> 20) * UINT64_C(0x9e3779b97f4a7c15)) & table->mask;
}

/* The slot of page `number`, or the empty one where it belongs. */
static struct id_slot *slot_of(const struct id_table *table, uint64_t number)
{
    size_t index = home_of(table, number);
    while (table->slots[index].page && table->slots[index].number != number)
        index = (index + 1) & table->mask;
    return &table->slots[index];
}

static bool grow(struct id_table *table)
{
    struct id_table grown = *table;
    size_t slots = table->slots ? (table->mask + 1) * 2 : FIRST_SLOTS;
    grown.slots = calloc(slots, sizeof *grown.slots);
    grown.mask = slots - 1;
    if (!grown.slots)
        return false;
    for (size_t i = 0; table->slots && i <= table->mask; i++)
        if (table->slots[i].page)
            *slot_of(&grown, table->slots[i].number) = table->slots[i];
    free(table->slots);
    *table = grown;
    return true;
}

static void *record_of(const struct id_table *table, struct id_page *page, uint64_t id)
{
    return page->records + (id & (PAGE_IDS - 1)) * table->record_bytes;
}

static uint64_t bit_of(uint64_t id)
{
    return UINT64_C(1) << (id & (PAGE_IDS - 1));
}

void *id_table_put(struct id_table *table, uint64_t id, bool *fresh)
{
    if ((!table->slots || table->pages * 2 > table->mask) && !grow(table))
        return NULL;
    struct id_slot *slot = slot_of(table, id >> PAGE_BITS);
    if (!slot->page) {
        slot->page = malloc(sizeof *slot->page + PAGE_IDS * table->record_bytes);
        if (!slot->page)
            return NULL;
        slot->page->present = 0;
        slot->number = id >> PAGE_BITS;
        table->pages++;
    }
    void *record = record_of(table, slot->page, id);
    *fresh = !(slot->page->present & bit_of(id));
    if (*fresh) {
        slot->page->present |= bit_of(id);
        memset(record, 0, table->record_bytes);
        table->count++;
    }
    return record;
}

void *id_table_find(const struct id_table *table, uint64_t id)
{
    if (!table->slots)
        return NULL;
    struct id_page *page = slot_of(table, id >> PAGE_BITS)->page;
    return page && (page->present & bit_of(id)) ? record_of(table, page, id) : NULL;
}

/* Empties a slot, and moves up those behind it that had to give way. */
static void vacate(struct id_table *table, struct id_slot *slot)
{
    size_t hole = (size_t)(slot - table->slots), next = hole;
    free(slot->page);
    table->pages--;
    for (;;) {
        next = (next + 1) & table->mask;
        if (!table->slots[next].page)
            break;
        size_t home = home_of(table, table->slots[next].number);
        if (((next - home) & table->mask) < ((next - hole) & table->mask))
            continue;
        table->slots[hole] = table->slots[next];
        hole = next;
    }
    table->slots[hole].page = NULL;
}

void id_table_remove(struct id_table *table, uint64_t id)
{
    struct id_slot *slot = table->slots ? slot_of(table, id >> PAGE_BITS) : NULL;
    if (!slot || !slot->page || !(slot->page->present & bit_of(id)))
        return;
    slot->page->present &= ~bit_of(id);
    table->count--;
    if (!slot->page->present)
        vacate(table, slot);
}

void id_table_each(const struct id_table *table,
                   void (*visit)(void *context, uint64_t id, void *record), void *context)
{
    for (size_t i = 0; table->slots && i <= table->mask; i++) {
        struct id_page *page = table->slots[i].page;
        for (uint64_t left = page ? page->present : 0; left; left &= left - 1) {
            uint64_t id = table->slots[i].number << PAGE_BITS | (unsigned)__builtin_ctzll(left);
            visit(context, id, record_of(table, page, id));
        }
    }
}
