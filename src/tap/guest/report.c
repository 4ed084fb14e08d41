#include "tap/guest/report.h"

#include <errno.h>
#include <string.h>

#include "tap/guest/report_file.h"
#include "tap/inside/pages.h"

enum { FIRST_SLOTS = 1024 };

/* ---- Tables -------------------------------------------------------------------------- */

static bool index_init(struct record_index *index, uint32_t slots)
{
    index->slots = pages_map(slots * sizeof *index->slots);
    index->mask = slots - 1;
    index->used = 0;
    return index->slots != NULL;
}

static void index_release(struct record_index *index)
{
    pages_unmap(index->slots, ((size_t)index->mask + 1) * sizeof *index->slots);
    *index = (struct record_index){0};
}

static void index_put(struct record_index *index, uint32_t hash, uint32_t record)
{
    while (index->slots[hash & index->mask])
        hash++;
    index->slots[hash & index->mask] = record;
    index->used++;
}

static uint32_t string_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t location_hash(const struct guest_location *location)
{
    return pair_hash(pair_hash(location->file, location->function), location->line);
}

static uint32_t record_hash(const struct report *report, int section, uint32_t record)
{
    switch (section) {
    case GUEST_STRINGS:
        return string_hash(report->strings + record);
    case GUEST_LOCATIONS:
        return location_hash(&report->locations[record]);
    case GUEST_TYPES:
        return pair_hash(0, report->types[record]);
    case GUEST_NODES:
        return pair_hash(report->nodes[record].parent, report->nodes[record].location);
    default:
        return pair_hash(report->rows[record].site, report->rows[record].type);
    }
}

/* Enters a record that is not in the table.  Without memory for a larger table it fills up to
 * seven eighths; after that the record is not found again, and there will be no more of its kind.
 */
static bool index_add(struct report *report, struct record_index *index, int section,
                      uint32_t record)
{
    uint32_t slots = index->mask + 1;
    if (index->used >= slots / 2) {
        struct record_index larger;
        if (slots <= UINT32_MAX / 4 && index_init(&larger, 2 * slots)) {
            for (uint32_t i = 0; i < slots; i++)
                if (index->slots[i])
                    index_put(&larger, record_hash(report, section, index->slots[i]),
                              index->slots[i]);
            index_release(index);
            *index = larger;
        } else if (index->used >= slots - slots / 8) {
            return false;
        }
    }
    index_put(index, record_hash(report, section, record), record);
    return true;
}

static bool indexes_init(struct report *report)
{
    return index_init(&report->by_string, FIRST_SLOTS) &&
           index_init(&report->by_location, FIRST_SLOTS) &&
           index_init(&report->by_type, FIRST_SLOTS) && index_init(&report->by_node, FIRST_SLOTS) &&
           index_init(&report->by_row, FIRST_SLOTS);
}

static void indexes_release(struct report *report)
{
    index_release(&report->by_string);
    index_release(&report->by_location);
    index_release(&report->by_type);
    index_release(&report->by_node);
    index_release(&report->by_row);
}

/* ---- Life ---------------------------------------------------------------------------- */

int report_create(struct report *report, const char *directory, uint32_t number)
{
    *report = (struct report){0};
    int failure = report_file_create(report, directory, number);
    if (!failure && !indexes_init(report))
        failure = ENOMEM;
    if (failure)
        report_close(report);
    return failure;
}

void report_close(struct report *report)
{
    report_file_close(report);
    indexes_release(report);
    *report = (struct report){0};
}

int report_divide(struct report *report, const char *directory, uint32_t number)
{
    struct report child;
    int failure = report_create(&child, directory, number);
    if (!failure) {
        static const int names[] = {GUEST_STRINGS, GUEST_LOCATIONS, GUEST_TYPES, GUEST_NODES};
        for (size_t i = 0; i < sizeof names / sizeof *names && !failure; i++)
            failure = report_file_copy(&child, report, names[i]) ? 0 : ENOSPC;
        /* The tables of names stay as they are; that of rows is the child's new one. */
        struct record_index *mine[] = {&child.by_string, &child.by_location, &child.by_type,
                                       &child.by_node};
        struct record_index *theirs[] = {&report->by_string, &report->by_location, &report->by_type,
                                         &report->by_node};
        for (size_t i = 0; i < sizeof mine / sizeof *mine && !failure; i++) {
            struct record_index swap = *mine[i];
            *mine[i] = *theirs[i];
            *theirs[i] = swap;
        }
        if (failure)
            report_close(&child);
    }
    report_close(report);
    if (!failure)
        *report = child;
    return failure;
}

/* ---- Names --------------------------------------------------------------------------- */

static uint32_t report_string(struct report *report, const char *text)
{
    char cut[GUEST_STRING_MAX];
    size_t size = strnlen(text, GUEST_STRING_MAX);
    if (size == 0)
        return 0;
    if (size == GUEST_STRING_MAX) {
        memcpy(cut, text, --size);
        cut[size] = 0;
        text = cut;
    }
    const struct record_index *index = &report->by_string;
    for (uint32_t at = string_hash(text); index->slots[at & index->mask]; at++) {
        uint32_t found = index->slots[at & index->mask];
        if (strcmp(report->strings + found, text) == 0)
            return found;
    }
    uint32_t added = report_file_add(report, GUEST_STRINGS, (uint32_t)size + 1);
    if (!added)
        return 0;
    memcpy(report->strings + added, text, size + 1);
    return index_add(report, &report->by_string, GUEST_STRINGS, added) ? added : 0;
}

uint32_t report_location(struct report *report, const char *file, const char *function,
                         uint32_t line)
{
    struct guest_location wanted = {report_string(report, file ? file : ""),
                                    report_string(report, function ? function : ""), line};
    const struct record_index *index = &report->by_location;
    for (uint32_t at = location_hash(&wanted); index->slots[at & index->mask]; at++) {
        const struct guest_location *found = &report->locations[index->slots[at & index->mask]];
        if (found->file == wanted.file && found->function == wanted.function &&
            found->line == wanted.line)
            return index->slots[at & index->mask];
    }
    uint32_t added = report_file_add(report, GUEST_LOCATIONS, 1);
    if (!added)
        return 0;
    report->locations[added] = wanted;
    return index_add(report, &report->by_location, GUEST_LOCATIONS, added) ? added : 0;
}

uint32_t report_type(struct report *report, const char *name)
{
    uint32_t string = report_string(report, name);
    const struct record_index *index = &report->by_type;
    if (!string)
        return 0;
    for (uint32_t at = pair_hash(0, string); index->slots[at & index->mask]; at++)
        if (report->types[index->slots[at & index->mask]] == string)
            return index->slots[at & index->mask];
    uint32_t added = report_file_add(report, GUEST_TYPES, 1);
    if (!added)
        return 0;
    report->types[added] = string;
    return index_add(report, &report->by_type, GUEST_TYPES, added) ? added : 0;
}

uint32_t report_node_new(struct report *report, uint32_t parent, uint32_t location)
{
    uint32_t added = report_file_add(report, GUEST_NODES, 1);
    if (!added)
        return 0;
    report->nodes[added] = (struct guest_node){parent, location, report->nodes[parent].depth + 1};
    return index_add(report, &report->by_node, GUEST_NODES, added) ? added : 0;
}

uint32_t report_row_new(struct report *report, uint32_t site, uint32_t type)
{
    uint32_t added = report_file_add(report, GUEST_ROWS, 1);
    if (!added)
        return 0;
    report->rows[added].site = site;
    report->rows[added].type = type;
    return index_add(report, &report->by_row, GUEST_ROWS, added) ? added : 0;
}
