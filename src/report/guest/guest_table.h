/* The rows that `heaptap memtracer` shows: a guest profile under filters, put together by line and
 * type, by function, by type, or left as a tree of calls. */
#ifndef REPORT_GUEST_GUEST_TABLE_H
#define REPORT_GUEST_GUEST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/guest_profile.h"

/* Which rows of a table are shown. */
struct guest_limits {
    double bytes;           /* rows of less are hidden */
    double count;           /* likewise, in allocations */
    long rows;              /* the first so many; 0: all */
    enum guest_value order; /* those with most of it come first */
};

enum guest_grouping {
    GUEST_BY_LINE,     /* file, line and type */
    GUEST_BY_FUNCTION, /* file and function; total with what it calls */
    GUEST_BY_TYPE,
};

struct guest_table_row {
    uint32_t site; /* one of those that were put together */
    uint32_t type;
    bool is_hidden; /* while the table is made: its rows don't pass the filter */
    struct guest_tally self;
    struct guest_tally total; /* with what is called from there; by function only */
    uint32_t first, last;     /* of the model's rows that are in it: `next` links them */
    uint32_t counted;         /* while the table is made: the row that was last added to `total` */
};

/* Where the header's number of allocations is: the parts add up to it. */
struct guest_accounting {
    double recorded;             /* allocations, as counted apart from all rows */
    double shown, shown_bytes;   /* rows with a place and a type that are shown */
    double hidden, hidden_bytes; /* rows that the filters keep back */
    size_t hidden_rows;
    double no_place, no_place_bytes; /* rows without a place, as far as not hidden */
    double untyped, untyped_bytes;   /* of those with a place, rows without a type */
};

struct guest_table {
    struct guest_table_row *rows; /* in the order that is asked for, then by bytes, count, name */
    size_t count, capacity;
    uint32_t *next; /* by row of the model: the next in the same row here, MODEL_NONE for none */
    struct guest_accounting accounting;
    struct guest_tally sum; /* of all rows, hidden ones too */
};

/* False when there is no memory.  To be released. */
bool guest_table_make(struct guest_table *table, const struct guest_profile *profile,
                      enum guest_grouping grouping, const struct guest_limits *limits);
void guest_table_release(struct guest_table *table);

#endif
