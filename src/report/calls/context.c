#include "report/calls/context.h"

#include <math.h>

#include "report/calls/call_graph.h"
#include "report/calls/functions.h"
#include "report/head.h"
#include "report/symbol_columns.h"

enum { NODES = 80 };

struct context {
    const struct report *report; /* borrowed */
    struct call_graph graph;
};

static bool is_told(const struct context *context, const struct call_node *node)
{
    struct pattern *pattern = context->report->pattern;
    return !pattern || pattern_matches(pattern, node->name);
}

static bool tells_any(const struct context *context)
{
    bool told = false;
    for (size_t i = 0; i < context->graph.count; i++)
        told |= is_told(context, &context->graph.nodes[i]);
    return told;
}

/* ---- Columns ------------------------------------------------------------------------- */

/* A function, or one beside it. */
struct context_row {
    struct named_symbol who;       /* first: NAMED_COLUMNS */
    const struct call_node *node;  /* the function that it is about */
    const struct call_node *own;   /* the same in its own row; NULL beside it */
    const struct call_edge *edge;  /* between the two; NULL for the function itself */
    const struct call_node *other; /* beside the function; NULL for itself */
    const char *kind;              /* what stands in the row: "caller" */
    double sum;                    /* of flat, down to the function; beside it NAN */
};

/* The context is the struct context. */
#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct context_row *of = row,                                     \
               double whole = ((const struct context *)context)->report->whole, expression)

static double value_of(const struct context_row *row)
{
    return row->edge ? row->edge->weight : row->node->cum;
}

GETTER(value, answer_number(value_of(of)))
GETTER(flat_or_none, answer_number(of->edge ? 0 : of->node->flat))
GETTER(share, answer_share(value_of(of), of->edge ? of->node->cum : whole))
GETTER(calls_share, of->edge ? answer_share(of->edge->weight, of->node->cum) : answer_nothing())

static struct answer_value get_who(const void *row, const void *context)
{
    const struct context_row *of = row;
    struct answer_value value = named_column_name(row, context);
    value.after = of->edge && of->edge->is_inlined ? " (inline)" : NULL;
    value.indent = of->edge ? 1 : 0;
    return value;
}

#define OF_NODE(member) ANSWER_FIELD_OF(struct context_row, node, member)
#define OF_OWN(member) ANSWER_FIELD_OF(struct context_row, own, member)
#define OF_EDGE(member) ANSWER_FIELD_OF(struct context_row, edge, member)
#define OF_OTHER(member) ANSWER_FIELD_OF(struct context_row, other, member)
#define OF_ROW(member) ANSWER_FIELD(struct context_row, member)

/* For programs: functions, with arrays of those beside them. */
static const struct answer_column node_columns[] = {
    NAMED_COLUMNS(NULL, 0),
    {"flat", NULL, ANSWER_AMOUNT, OF_NODE(flat), "what the function allocates itself"},
    {"cum", NULL, ANSWER_AMOUNT, OF_NODE(cum),
     "what comes through the function, once per stack, however often it recurs"},
    {"base_flat", NULL, ANSWER_AMOUNT, OF_NODE(base_flat), "`flat` in the base", REPORT_HAS_BASE},
    {"base_cum", NULL, ANSWER_AMOUNT, OF_NODE(base_cum), "`cum` in the base", REPORT_HAS_BASE},
};
static const struct answer_table nodes_table =
    ANSWER_JSON(ANSWER_ROWS, "nodes", node_columns, "a function");

static const struct answer_column edge_columns[] = {
    NAMED_COLUMNS(NULL, 0),
    {"value", NULL, ANSWER_AMOUNT, get_value, "what comes through the call"},
    {"inlined", NULL, ANSWER_FLAG, OF_EDGE(is_inlined), "the callee is inlined in the caller"},
    {"residual", NULL, ANSWER_FLAG, OF_EDGE(is_residual), "functions between the two are left out"},
    {"cum", NULL, ANSWER_AMOUNT, OF_OTHER(cum), "all that comes through the caller, or the callee"},
    {"base_value", NULL, ANSWER_AMOUNT, OF_EDGE(base_weight), "`value` in the base",
     REPORT_HAS_BASE},
    {"base_cum", NULL, ANSWER_AMOUNT, OF_OTHER(base_cum), "`cum` in the base", REPORT_HAS_BASE},
};
static const struct answer_table callers_table =
    ANSWER_JSON(ANSWER_ROWS, "callers", edge_columns, "a function that calls it");
static const struct answer_table callees_table =
    ANSWER_JSON(ANSWER_ROWS, "callees", edge_columns, "a function that it calls");

/* For others: each function between those that call it and those that it calls. */
static const struct answer_column row_columns[] = {
    {"name", NULL, ANSWER_TEXT, OF_NODE(name), "the function that the row is about"},
    {"kind", NULL, ANSWER_TEXT, OF_ROW(kind),
     "function, or who stands beside it: caller or callee"},
    {"other", "context", ANSWER_NAME, get_who, "the caller, the callee or the function"},
    {"flat", NULL, ANSWER_AMOUNT, get_flat_or_none, "what the function allocates itself"},
    {"value", NULL, ANSWER_AMOUNT, get_value,
     "what comes through the call; of a function, all that comes through it"},
    {"share", NULL, ANSWER_SHARE, get_share,
     "its part of what comes through the function; of that, of the total"},
    {NULL, "flat", ANSWER_AMOUNT, OF_OWN(flat)},
    {NULL, "flat%", ANSWER_SHARE, ANSWER_PART_OF(struct context_row, own, flat)},
    {NULL, "sum%", ANSWER_SHARE, ANSWER_PART(struct context_row, sum)},
    {NULL, "cum", ANSWER_AMOUNT, OF_OWN(cum)},
    {NULL, "cum%", ANSWER_SHARE, ANSWER_PART_OF(struct context_row, own, cum)},
    {NULL, "calls", ANSWER_AMOUNT, OF_EDGE(weight), .width = 7},
    {NULL, "calls%", ANSWER_SHARE, get_calls_share},
};

#define RULE "----------------------------------------------------------+-------------"

static const struct answer_table rows_table = {
    .style = ANSWER_FIXED,
    .forms = ANSWER_IN_TEXT | ANSWER_IN_CSV,
    ANSWER_COLUMNS(row_columns),
    .help = "a function, after those that call it and before those that it calls",
    .layout = {.heading = RULE "\n      flat  flat%   sum%        cum   cum%   calls calls% + "
                               "context \t \t \n",
               .bar = " | ",
               .rule = RULE},
};

const struct answer_table *const context_tables[] = {&graph_table,   &nodes_table, &callers_table,
                                                     &callees_table, &rows_table,  NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

static struct named_symbol named(const struct context *context, const struct call_node *node)
{
    return (struct named_symbol){node->name, NULL, &context->graph.symbols.items[node->symbol]};
}

/* Rows of those that call the row's function, or that it calls. */
static void put_beside(struct answer *answer, const struct context *context,
                       const struct context_row *function, bool incoming)
{
    const struct call_graph *graph = &context->graph;
    const struct call_node *node = function->node;
    struct context_row row = {.node = node, .sum = NAN};
    size_t count = incoming ? node->in_count : node->out_count;
    row.kind = incoming ? "caller" : "callee";
    for (size_t i = 0; i < count; i++) {
        row.edge = &graph->edges[incoming ? node->in[i] : node->out[i]];
        row.other = &graph->nodes[incoming ? row.edge->from : row.edge->to];
        row.who = named(context, row.other);
        answer_row(answer, &row);
    }
}

static void put_nested(struct answer *answer, const struct context *context,
                       const struct context_row *row)
{
    unsigned has = report_has_base(context->report);
    struct answer_section callers = {.table = &callers_table, .context = context, .has = has};
    struct answer_section callees = {.table = &callees_table, .context = context, .has = has};
    answer_row(answer, row);
    answer_begin(answer, &callers);
    put_beside(answer, context, row, true);
    answer_end(answer);
    answer_begin(answer, &callees);
    put_beside(answer, context, row, false);
    answer_end(answer);
}

static void put_flat(struct answer *answer, const struct context *context,
                     const struct context_row *row)
{
    answer_rule(answer);
    put_beside(answer, context, row, true);
    answer_row(answer, row);
    put_beside(answer, context, row, false);
}

static void put_functions(struct answer *answer, const struct answer_section *section,
                          void (*put)(struct answer *, const struct context *,
                                      const struct context_row *))
{
    const struct context *context = section->context;
    double sum = 0;
    if (!answer_tells(answer, section->table))
        return;
    answer_begin(answer, section);
    for (size_t i = 0; i < context->graph.count; i++) {
        const struct call_node *node = &context->graph.nodes[i];
        if (!is_told(context, node))
            continue;
        sum += node->flat;
        put(answer, context,
            &(struct context_row){.who = named(context, node),
                                  .node = node,
                                  .own = node,
                                  .kind = "function",
                                  .sum = sum});
    }
    if (context->graph.count > 0)
        answer_rule(answer);
    answer_end(answer);
}

static void put_context(struct answer *answer, const struct context *context)
{
    const struct report *report = context->report;
    const struct call_graph *graph = &context->graph;
    struct answer_section nodes = {
        .table = &nodes_table, .context = context, .has = report_has_base(report)};
    struct answer_section rows = {
        .table = &rows_table, .context = context, .unit = report->unit, .whole = report->whole};
    rows.shown_unit = graph_unit(graph, report);
    report_say_head(answer, report);
    graph_say_sums(answer, graph, report, rows.shown_unit, false);
    report_head(answer, report);
    graph_record(answer, graph, report, false);
    put_functions(answer, &nodes, put_nested);
    put_functions(answer, &rows, put_flat);
}

enum report_outcome context_put(struct answer *answer, const struct report *report)
{
    struct context context = {.report = report};
    struct graph_wish wish = {
        .whole = report->pattern, .node_count = NODES, .pattern = report->pattern};
    if (!graph_of_report(&context.graph, report, &wish))
        return REPORT_UNFINISHED;
    bool is_missed = report->pattern && (!tells_any(&context) || report_gave_up(report));
    if (!is_missed)
        put_context(answer, &context);
    call_graph_release(&context.graph);
    return is_missed ? REPORT_MISSED : REPORT_SAID;
}
