#include "report/calls/node_columns.h"

#define GETTER(name, expression)                                                                   \
    struct answer_value node_column_##name(const void *row, const void *context)                   \
    {                                                                                              \
        const struct node_row *of = row;                                                           \
        const struct node_rows *rows = context;                                                    \
        (void)rows;                                                                                \
        return expression;                                                                         \
    }

static struct answer_value share(double value, const struct node_rows *rows)
{
    return answer_number(rows->report->whole != 0 ? value / rows->report->whole : 0);
}

GETTER(flat_share, share(of->node->flat, rows))
GETTER(sum_share, share(of->sum, rows))
GETTER(cum_share, share(of->node->cum, rows))
