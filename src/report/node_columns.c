#include "report/node_columns.h"

#include "report/symbol_columns.h"

#define GETTER(name, expression)                                                                   \
    struct answer_value node_column_##name(const void *row, const void *context)                   \
    {                                                                                              \
        const struct node_row *of = row;                                                           \
        const struct node_rows *rows = context;                                                    \
        (void)rows;                                                                                \
        return expression;                                                                         \
    }

static const struct symbol *symbol_of(const struct node_row *row, const struct node_rows *rows)
{
    return &rows->graph->symbols.items[row->node->symbol];
}

/* Empty texts are none. */
static struct answer_value text(const char *text)
{
    return answer_text(text && *text ? text : NULL);
}

static struct answer_value share(double value, const struct node_rows *rows)
{
    return answer_number(rows->report->whole != 0 ? value / rows->report->whole : 0);
}

/* How pprof marks functions that stand inlined in their callers. */
static const char *inline_label(const struct node_row *row, const struct node_rows *rows)
{
    bool is_inlined = false, is_called = false;
    for (size_t i = 0; rows->says_inlines && i < row->node->in_count; i++) {
        is_inlined |= rows->graph->edges[row->node->in[i]].is_inlined;
        is_called |= !rows->graph->edges[row->node->in[i]].is_inlined;
    }
    return !is_inlined ? NULL : is_called ? " (partial-inline)" : " (inline)";
}

struct answer_value node_column_name(const void *row, const void *context)
{
    struct answer_value value = answer_text(((const struct node_row *)row)->node->name);
    value.after = inline_label(row, context);
    return value;
}

GETTER(function, text(symbol_of(of, rows)->function))
GETTER(file, text(symbol_of(of, rows)->file))
GETTER(line, symbol_value_line(symbol_of(of, rows)))
GETTER(address, symbol_value_address(symbol_of(of, rows)))
GETTER(module, text(symbol_of(of, rows)->module))
GETTER(flat, answer_number(of->node->flat))
GETTER(flat_share, share(of->node->flat, rows))
GETTER(sum_share, share(of->sum, rows))
GETTER(cum, answer_number(of->node->cum))
GETTER(cum_share, share(of->node->cum, rows))
