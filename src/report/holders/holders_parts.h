/* What the files of the report share: the snapshot as it is asked for, its rows, and the tables that show them. */
#ifndef REPORT_HOLDERS_HOLDERS_PARTS_H
#define REPORT_HOLDERS_HOLDERS_PARTS_H

#include "report/holders/holder_sites.h"
#include "answer/answer.h"
#include "base/text.h"
#include "report/report.h"

struct holders {
    struct selection selection; /* with all stacks: ways lead through what the filter leaves out */
    struct holder_sites sites;
    const struct report *report;
    const struct model *model;
    uint32_t number; /* of the snapshot, among the model's */
    uint32_t *
        by_site; /* indexes into steps that blocks end at: of one site together, the heaviest first */
    uint32_t ends; /* how many */
};

/* Of a snapshot; release it in any case. */
bool holders_init(struct holders *holders, const struct holders_snapshot *snapshot,
                  enum symbol_grain grain);
void holders_release(struct holders *holders);

/* The line that a site's blocks are allocated at. */
const struct symbol *holders_symbol_of(const struct holders *holders, uint32_t site);

struct site_row {
    struct symbol symbol; /* first: symbol_columns.h */
    const struct holder_site *site;
    double share;
};

struct path_row {
    const struct holder_step *step;
    const struct holder_site *site; /* that it leads to */
    char *text;                     /* the whole way */
};

/* A step of a way, in a row of its own. */
struct step_row {
    struct symbol symbol; /* of a root without a place: zeros */
    const struct holder_step *step;
    const struct holders_root *root; /* NULL: a block */
    const char *type;                /* of the block; NULL where it isn't known */
};

/* One of the trace's snapshots, whole. */
struct snapshot_row {
    const struct holders_snapshot *snapshot;
    uint32_t number; /* from 1 on */
    uint64_t bytes, blocks, lost_bytes, lost_blocks;
};

struct root_row {
    const struct holders_root *root; /* first: ROOT_COLUMNS */
    const struct holder_root_sum *sum;
    double share;
};

/* Columns of a row that begins with the root, as a root_row does. */
struct answer_value holders_get_root_place(const void *row, const void *context);
#define ROOT_KINDS                                                                                 \
    "global, thread-local, stack, mapping; of Lua, local, registry, garbage; lost: no root leads there"
#define ROOT_COLUMNS                                                                               \
    {"kind", "KIND", ANSWER_TEXT, ANSWER_FIELD_OF(struct root_row, root, kind_name), ROOT_KINDS},  \
        {"file", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct root_row, root, file),                 \
         "where the variable is declared"},                                                        \
        {"line",                                                                                   \
         NULL,                                                                                     \
         ANSWER_WHOLE,                                                                             \
         ANSWER_FILLED_OF(struct root_row, root, line),                                            \
         "line of the file",                                                                       \
         0,                                                                                        \
         ANSWER_OMIT},                                                                             \
    {                                                                                              \
        NULL, "PLACE", ANSWER_PLACE, holders_get_root_place                                        \
    }

/* What a root is called; of a module's data without a symbol, the module; "" for none. */
const char *holders_root_name(const struct holders_root *root);

/* "book (global, shop.cpp:8)" */
void holders_put_root(struct text *text, const struct holders_root *root);

/* The way to a step.  To be freed; NULL when there is no memory. */
char *holders_way_text(const struct holders *holders, const struct holder_step *step);

/* That text as a row has it, taken over: where people read it, both its ends, so that one long way doesn't make all rows of the table
 * wide; unless names are asked for in full. */
char *holders_way_shown(char *way, const struct answer *answer, const struct question *question);

extern const struct answer_table holders_snapshot_table, holders_roots_table, holders_sites_table,
    holders_paths_table, holders_steps_table, holders_snapshots_table;

#endif
