/* Columns of a call graph's nodes, beside those of their names (report/symbol_columns.h).  Rows are struct node_row, the context is a struct node_rows. */
#ifndef REPORT_CALLS_NODE_COLUMNS_H
#define REPORT_CALLS_NODE_COLUMNS_H

#include "report/calls/call_graph.h"
#include "answer/answer.h"
#include "report/report.h"
#include "report/symbol_columns.h"

struct node_rows {
    const struct report *report;
};

struct node_row {
    struct named_symbol named;
    const struct call_node *node;
    double sum; /* of flat, down to this row */
};

struct answer_value node_column_flat_share(const void *row, const void *context);
struct answer_value node_column_sum_share(const void *row, const void *context);
struct answer_value node_column_cum_share(const void *row, const void *context);

/* In the place of a function: a member of the node. */
#define NODE_COLUMN(member) ANSWER_FIELD_OF(struct node_row, node, member)

/* Of a base, JSON alone. */
#define NODE_BASE_COLUMNS                                                                          \
    {"base_flat",     NULL,         ANSWER_AMOUNT, NODE_COLUMN(base_flat), "`flat` in the base",   \
     REPORT_HAS_BASE, ANSWER_NO_CSV},                                                              \
    {                                                                                              \
        "base_cum", NULL, ANSWER_AMOUNT, NODE_COLUMN(base_cum), "`cum` in the base",               \
            REPORT_HAS_BASE, ANSWER_NO_CSV                                                         \
    }

#endif
