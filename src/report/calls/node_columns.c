#include "report/calls/node_columns.h"

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(node_column_##name, const struct node_row *of = row,                                \
               const struct node_rows *rows = context, expression)

GETTER(flat_share, answer_share(of->node->flat, rows->report->whole))
GETTER(sum_share, answer_share(of->sum, rows->report->whole))
GETTER(cum_share, answer_share(of->node->cum, rows->report->whole))
