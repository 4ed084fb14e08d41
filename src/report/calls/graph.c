#include "report/calls/graph.h"

#include <stddef.h>

#include "report/calls/graph_prune.h"
#include "report/calls/functions.h"
#include "report/head.h"
#include "report/calls/node_columns.h"

enum { NODES = 80 };

/* ---- Options ------------------------------------------------------------------------- */

#define OWN(name) offsetof(struct graph_question, name)

const struct question_option graph_options[] = {
    {"no-labels", 0, OPTION_FLAG, PART_OWN, NULL,
     "Leave out the boxes with sizes of blocks, and other labels of a pprof profile",
     OWN(no_labels)},
    {"output", 'o', OPTION_TEXT, PART_PICTURE, "FILE",
     "Write to FILE; - for standard output, the default", offsetof(struct question, output)},
    {"dot", 0, OPTION_FORM, 0, NULL,
     "Text for Graphviz: the default, unless FILE ends with .svg or .png", .form = REPORT_DOT},
    {"svg", 0, OPTION_FORM, 0, NULL, "An SVG picture, made by Graphviz's dot", .form = REPORT_SVG},
    {"png", 0, OPTION_FORM, 0, NULL, "A PNG picture, made by Graphviz's dot", .form = REPORT_PNG},
    {"drop-negative", 0, OPTION_FLAG, PART_OWN, NULL, "Leave out functions that have shrunk",
     OWN(drop_negative)},
    {NULL},
};

static const struct graph_question *own(const struct question *question)
{
    return (const struct graph_question *)question->own;
}

/* ---- The graph ----------------------------------------------------------------------- */

static struct call_graph_options options_of(const struct report *report)
{
    const struct question *question = report->options;
    return (struct call_graph_options){
        .grain = question->grain,
        .no_inlines = question->no_inlines,
        .weight = report->weight,
        .order = question->by_cum ? ORDER_CUM : ORDER_ENTROPY,
        .node_count = question->node_count >= 0 ? (size_t)question->node_count : NODES,
        .node_fraction = question->node_fraction,
        .edge_fraction = question->edge_fraction,
        .drop_negative = own(question)->drop_negative,
    };
}

/* Labels may take places of nodes, so they come first. */
static bool find_labels(struct drawn_graph *drawn, const struct report *report,
                        struct call_graph_options *how)
{
    double total = report_value(report, &report->selection.profile.total);
    struct graph_labels_options what = {&report->what, how, total};
    if (own(report->options)->no_labels)
        return true;
    if (!graph_labels_init(&drawn->labels, &report->matcher, &report->filter, &what))
        return false;
    drawn->labels.graph = &drawn->graph;
    how->label_count = graph_labels_count;
    how->label_context = &drawn->labels;
    return true;
}

bool drawn_graph_init(struct drawn_graph *drawn, const struct report *report)
{
    struct call_graph_options how = options_of(report);
    *drawn = (struct drawn_graph){0};
    if (!find_labels(drawn, report, &how))
        return false;
    bool is_made = graph_of_options(&drawn->graph, report, &how);
    if (is_made && graph_prune(&drawn->graph))
        return true;
    if (is_made)
        call_graph_release(&drawn->graph);
    graph_labels_release(&drawn->labels);
    return false;
}

void drawn_graph_release(struct drawn_graph *drawn)
{
    call_graph_release(&drawn->graph);
    graph_labels_release(&drawn->labels);
}

/* ---- Columns ------------------------------------------------------------------------- */

/* The context is the graph. */
#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const struct type *of = row, const struct call_graph *graph = context,  \
               expression)

GETTER(call_edge, caller, answer_text(graph->nodes[of->from].name))
GETTER(call_edge, callee, answer_text(graph->nodes[of->to].name))

#define OF_EDGE(member) ANSWER_FIELD(struct call_edge, member)

static const struct answer_column node_columns[] = {
    {"flat", "FLAT", ANSWER_AMOUNT, NODE_COLUMN(flat), "what the function allocates itself"},
    {"cum", "CUM", ANSWER_AMOUNT, NODE_COLUMN(cum),
     "what comes through the function, once per stack, however often it recurs"},
    NAMED_COLUMNS("FUNCTION", 0),
    NODE_BASE_COLUMNS,
};
static const struct answer_table nodes_table =
    ANSWER_TABLE(ANSWER_ROWS, "nodes", ANSWER_IN_JSON | ANSWER_IN_TEXT, node_columns, "a function");

static const struct answer_column edge_columns[] = {
    {"from", NULL, ANSWER_WHOLE, OF_EDGE(from), "the caller's place in `nodes`, from 0",
     .flags = ANSWER_NO_CSV},
    {"to", NULL, ANSWER_WHOLE, OF_EDGE(to), "the callee's place there", .flags = ANSWER_NO_CSV},
    {"caller", NULL, ANSWER_TEXT, get_caller, "name of the caller"},
    {"callee", NULL, ANSWER_TEXT, get_callee, "name of the callee"},
    {"weight", "CALLS", ANSWER_AMOUNT, OF_EDGE(weight), "what comes through the call"},
    {NULL, "CALLER", ANSWER_NAME, get_caller},
    {NULL, "CALLEE", ANSWER_NAME, get_callee},
    {"residual", NULL, ANSWER_FLAG, OF_EDGE(is_residual), "functions between the two are left out"},
    {"inlined", NULL, ANSWER_FLAG, OF_EDGE(is_inlined), "the callee is inlined in the caller"},
    {"base_weight", NULL, ANSWER_AMOUNT, OF_EDGE(base_weight), "`weight` in the base",
     REPORT_HAS_BASE, ANSWER_NO_CSV},
};
static const struct answer_table edges_table =
    ANSWER_TABLE(ANSWER_ROWS, "edges", ANSWER_IN_ALL, edge_columns, "a call");

const struct answer_table *const graph_tables[] = {&graph_table, &nodes_table, &edges_table, NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

static void put_nodes(struct answer *answer, const struct answer_section *section,
                      const struct call_graph *graph)
{
    answer_begin(answer, section);
    for (size_t i = 0; i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        answer_row(answer, &(struct node_row){
                               .named = {node->name, NULL, &graph->symbols.items[node->symbol]},
                               .node = node});
    }
    answer_end(answer);
}

static void put_edges(struct answer *answer, const struct answer_section *section,
                      const struct call_graph *graph)
{
    ANSWER_ITEMS(answer, section, graph->edges, graph->edge_count);
}

enum report_outcome graph_put(struct answer *answer, const struct report *report)
{
    struct drawn_graph drawn;
    const struct call_graph *graph = &drawn.graph;
    if (!drawn_graph_init(&drawn, report))
        return REPORT_UNFINISHED;
    const char *unit = graph_unit(graph, report);
    unsigned has = report_has_base(report);
    struct answer_section nodes = {&nodes_table, NULL, has, report->unit, unit};
    struct answer_section edges = {&edges_table, graph, has, report->unit, unit};
    report_say_head(answer, report);
    graph_say_sums(answer, graph, report, unit, true);
    report_head(answer, report);
    graph_record(answer, graph, report, true);
    put_nodes(answer, &nodes, graph);
    put_edges(answer, &edges, graph);
    drawn_graph_release(&drawn);
    return REPORT_SAID;
}
