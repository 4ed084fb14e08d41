/* Columns of a call graph's nodes, beside those of their names (report/symbol_columns.h).  Rows are struct node_row. */
#ifndef REPORT_CALLS_NODE_COLUMNS_H
#define REPORT_CALLS_NODE_COLUMNS_H

#include "report/calls/call_graph.h"
#include "answer/answer.h"
#include "report/report.h"
#include "report/symbol_columns.h"

struct node_row {
    struct named_symbol named;
    const struct call_node *node;
    double sum; /* of flat, down to this row */
};

/* In the place of a function: a member of the node, and its part of the section's whole. */
#define NODE_COLUMN(member) ANSWER_FIELD_OF(struct node_row, node, member)
#define NODE_PART(member) ANSWER_PART_OF(struct node_row, node, member)

/* Of a base, JSON alone. */
#define NODE_BASE_COLUMNS                                                                          \
    {"base_flat",     NULL,         ANSWER_AMOUNT, NODE_COLUMN(base_flat), "`flat` in the base",   \
     REPORT_HAS_BASE, ANSWER_NO_CSV},                                                              \
    {                                                                                              \
        "base_cum", NULL, ANSWER_AMOUNT, NODE_COLUMN(base_cum), "`cum` in the base",               \
            REPORT_HAS_BASE, ANSWER_NO_CSV                                                         \
    }

#endif
