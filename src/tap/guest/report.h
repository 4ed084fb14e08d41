/* The report of a watched heap as it is written: the mapped file (report_file.h), and the tables by which its
 * records are found again.  The tables are private memory; nobody else needs them. */
#ifndef TAP_GUEST_REPORT_H
#define TAP_GUEST_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/guest_report.h"
#include "tap/inside/file_view.h"

/* An open-addressing table of record numbers; the records themselves are the keys.  0: free. */
struct record_index {
    uint32_t *slots;
    uint32_t mask;
    uint32_t used;
};

struct report {
    struct guest_report_header *header;
    char *strings; /* this and the following stay where they are while they become longer */
    struct guest_location *locations;
    uint32_t *types;
    struct guest_node *nodes;
    struct guest_row *rows;
    struct file_view views[GUEST_SECTIONS]; /* of the file */
    char path[GUEST_PATH_BYTES];
    struct record_index by_string, by_location, by_type, by_node, by_row;
};

/* Makes the file of heap `number` of this process in `directory`, empty but for the records 0.  0
 * or an errno. */
int report_create(struct report *report, const char *directory, uint32_t number);

/* In a fork's child: a file of its own with the names of the parent's and no rows.  0 or an errno,
 * and then nothing is mapped any more. */
int report_divide(struct report *report, const char *directory, uint32_t number);

void report_close(struct report *report);

/* Numbers of records, made where there is none yet; 0 when there is no room. */
uint32_t report_location(struct report *report, const char *file, const char *function,
                         uint32_t line);
uint32_t report_type(struct report *report, const char *name);
uint32_t report_node_new(struct report *report, uint32_t parent, uint32_t location);
uint32_t report_row_new(struct report *report, uint32_t site, uint32_t type);

static inline uint32_t pair_hash(uint32_t a, uint32_t b)
{
    return (uint32_t)((((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u) >> 32);
}

static inline uint32_t report_node(struct report *report, uint32_t parent, uint32_t location)
{
    const struct record_index *index = &report->by_node;
    for (uint32_t at = pair_hash(parent, location);; at++) {
        uint32_t node = index->slots[at & index->mask];
        if (!node)
            return report_node_new(report, parent, location);
        if (report->nodes[node].parent == parent && report->nodes[node].location == location)
            return node;
    }
}

static inline uint32_t report_row(struct report *report, uint32_t site, uint32_t type)
{
    const struct record_index *index = &report->by_row;
    for (uint32_t at = pair_hash(site, type);; at++) {
        uint32_t row = index->slots[at & index->mask];
        if (!row)
            return report_row_new(report, site, type);
        if (report->rows[row].site == site && report->rows[row].type == type)
            return row;
    }
}

#endif
