/* Neighbouring pages must not be neighbours in the hash table: long-lived blocks leave pages behind
 * in long runs of numbers, and whatever probe ends up in a run of home slots has to walk it.  The
 * locality of events shows in few pages being met again and again; `recent` keeps those at hand. */
#include "base/id_table.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

void id_table_init(struct id_table *table, size_t record_bytes)
{
    *table = (struct id_table){.record_bytes = record_bytes};
}

void id_table_release(struct id_table *table)
{
    for (size_t i = 0; table->slots && i <= table->mask; i++)
        free(table->slots[i].page);
    free(table->slots);
    free(table->recent);
    *table = (struct id_table){.record_bytes = table->record_bytes};
}

static size_t home_of(const struct id_table *table, uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & table->mask;
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
    if (!table->recent)
        table->recent = calloc(ID_TABLE_RECENT, sizeof *table->recent);
    grown.recent = table->recent;
    grown.slots = calloc(slots, sizeof *grown.slots);
    grown.mask = slots - 1;
    if (!grown.slots || !grown.recent) {
        free(grown.slots);
        return false;
    }
    for (size_t i = 0; table->slots && i <= table->mask; i++)
        if (table->slots[i].page)
            *slot_of(&grown, table->slots[i].number) = table->slots[i];
    free(table->slots);
    *table = grown;
    return true;
}

struct id_page *id_table_page(const struct id_table *table, uint64_t number)
{
    struct id_page *page = table->slots ? slot_of(table, number)->page : NULL;
    if (page)
        table->recent[number % ID_TABLE_RECENT] = (struct id_slot){number, page};
    return page;
}

struct id_page *id_table_new_page(struct id_table *table, uint64_t number)
{
    if ((!table->slots || table->pages * 2 > table->mask) && !grow(table))
        return NULL;
    struct id_slot *slot = slot_of(table, number);
    if (!slot->page) {
        slot->page = malloc(sizeof *slot->page + ID_TABLE_PAGE_IDS * table->record_bytes);
        if (!slot->page)
            return NULL;
        slot->page->present = 0;
        slot->number = number;
        table->pages++;
    }
    table->recent[number % ID_TABLE_RECENT] = *slot;
    return slot->page;
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

void id_table_drop_page(struct id_table *table, uint64_t number)
{
    struct id_slot *recent = &table->recent[number % ID_TABLE_RECENT];
    if (recent->number == number)
        recent->page = NULL;
    vacate(table, slot_of(table, number));
}

void id_table_each(const struct id_table *table,
                   void (*visit)(void *context, uint64_t id, void *record), void *context)
{
    for (size_t i = 0; table->slots && i <= table->mask; i++) {
        struct id_page *page = table->slots[i].page;
        for (uint64_t left = page ? page->present : 0; left; left &= left - 1) {
            uint64_t id =
                table->slots[i].number << ID_TABLE_PAGE_BITS | (unsigned)__builtin_ctzll(left);
            visit(context, id, id_table_record(table, page, id));
        }
    }
}
