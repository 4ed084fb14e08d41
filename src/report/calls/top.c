#include "report/calls/top.h"

#include "report/calls/functions.h"
#include "report/head.h"
#include "report/calls/node_columns.h"

static const struct answer_column columns[] = {
    {"name", "", ANSWER_NAME, named_column_name, "the function as pprof names it"},
    {"function", NULL, ANSWER_TEXT, NAMED_PART_OF(function), "name of the function",
     .flags = ANSWER_OMIT},
    {"file", NULL, ANSWER_TEXT, NAMED_PART_OF(file), "source file", .flags = ANSWER_OMIT},
    {"line", NULL, ANSWER_WHOLE, NAMED_PART_OF(line), "line of the file", .flags = ANSWER_OMIT},
    {"flat", "flat", ANSWER_AMOUNT, NODE_COLUMN(flat), "what the function allocates itself"},
    {"flat_share", "flat%", ANSWER_SHARE, NODE_PART(flat), "its part of the total"},
    {"sum_share", "sum%", ANSWER_SHARE, ANSWER_PART(struct node_row, sum),
     "the part of the total down to this row"},
    {"cum", "cum", ANSWER_AMOUNT, NODE_COLUMN(cum),
     "what comes through the function, once per stack, however often it recurs"},
    {"cum_share", "cum%", ANSWER_SHARE, NODE_PART(cum), "its part of the total"},
    {"address", NULL, ANSWER_TEXT, named_column_address, "address, of addresses",
     .flags = ANSWER_OMIT | ANSWER_NO_CSV},
    {"module", NULL, ANSWER_TEXT, NAMED_PART_OF(module),
     "program or library, where no more is known", .flags = ANSWER_OMIT | ANSWER_NO_CSV},
    NODE_BASE_COLUMNS,
};

static const struct answer_table nodes_table = {
    "nodes", ANSWER_ROWS, ANSWER_FIXED, ANSWER_IN_ALL, ANSWER_COLUMNS(columns), "a function"};

/* Are there inlined functions, of which text may tell? */
static bool has_inlines(const struct report *report)
{
    const struct model *model = report->input.model;
    bool has_inlines = false;
    for (size_t i = 0; i < model->frame_count; i++)
        has_inlines |= model->frames[i].line_count > 1;
    return has_inlines && !report->options->no_inlines;
}

/* How pprof marks functions that stand inlined in their callers. */
static const char *inline_label(const struct call_graph *graph, const struct call_node *node)
{
    bool is_inlined = false, is_called = false;
    for (size_t i = 0; i < node->in_count; i++) {
        is_inlined |= graph->edges[node->in[i]].is_inlined;
        is_called |= !graph->edges[node->in[i]].is_inlined;
    }
    return !is_inlined ? NULL : is_called ? " (partial-inline)" : " (inline)";
}

static void put_rows(struct answer *answer, const struct answer_section *section,
                     const struct call_graph *graph, bool says_inlines)
{
    struct node_row row = {0};
    answer_begin(answer, section);
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        row.named =
            (struct named_symbol){node->name, says_inlines ? inline_label(graph, node) : NULL,
                                  &graph->symbols.items[node->symbol]};
        row.node = node;
        row.sum += node->flat;
        answer_row(answer, &row);
    }
    answer_end(answer);
}

enum report_outcome top_put(struct answer *answer, const struct report *report)
{
    struct call_graph graph;
    bool says_inlines = answer_is_read(answer) && has_inlines(report);
    if (!graph_of_report(&graph, report, &(struct graph_wish){.no_edges = !says_inlines}))
        return REPORT_UNFINISHED;
    const char *unit = graph_unit(&graph, report);
    struct answer_section section = {.table = &nodes_table,
                                     .has = report_has_base(report),
                                     .unit = report->unit,
                                     .shown_unit = unit,
                                     .whole = report->whole};
    report_say_head(answer, report);
    graph_say_sums(answer, &graph, report, unit, false);
    report_head(answer, report);
    graph_record(answer, &graph, report, false);
    put_rows(answer, &section, &graph, says_inlines);
    call_graph_release(&graph);
    return REPORT_SAID;
}

const struct answer_table *const top_tables[] = {&graph_table, &nodes_table, NULL};
