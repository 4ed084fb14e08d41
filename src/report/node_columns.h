/* Columns of a call graph's nodes.  Rows are struct node_row, the context is a struct node_rows. */
#ifndef REPORT_NODE_COLUMNS_H
#define REPORT_NODE_COLUMNS_H

#include "analyze/call_graph.h"
#include "answer/answer.h"
#include "report/report.h"

struct node_rows {
    const struct call_graph *graph;
    const struct report *report;
    bool says_inlines; /* after names, in text */
};

struct node_row {
    const struct call_node *node;
    double sum; /* of flat, down to this row */
};

struct answer_value node_column_name(const void *row, const void *context);
struct answer_value node_column_function(const void *row, const void *context);
struct answer_value node_column_file(const void *row, const void *context);
struct answer_value node_column_line(const void *row, const void *context);
struct answer_value node_column_address(const void *row, const void *context);
struct answer_value node_column_module(const void *row, const void *context);
struct answer_value node_column_flat(const void *row, const void *context);
struct answer_value node_column_flat_share(const void *row, const void *context);
struct answer_value node_column_sum_share(const void *row, const void *context);
struct answer_value node_column_cum(const void *row, const void *context);
struct answer_value node_column_cum_share(const void *row, const void *context);

#endif
