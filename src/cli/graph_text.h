/* What reports of a call graph share: pprof's way to sum up what they show. */
#ifndef CLI_GRAPH_TEXT_H
#define CLI_GRAPH_TEXT_H

#include "analyze/call_graph.h"
#include "cli/report.h"

/* What a report wants of a graph beyond its options. */
struct graph_wish {
    bool whole;                    /* all nodes and edges, whatever the options say */
    bool no_edges;                 /* nobody looks at them */
    size_t node_count;             /* where the options say none; 0 for all */
    const struct pattern *pattern; /* only edges of functions that match; NULL for all */
};

/* Builds the graph.  False with a message. */
bool graph_of_report(struct call_graph *graph, const struct report *report,
                     const struct graph_wish *wish);

/* The unit in which all values of the graph are printed. */
const char *graph_unit(const struct call_graph *graph, const struct report *report);

/* "Showing nodes accounting for ...", "Dropped ...". */
void graph_print_sums(const struct call_graph *graph, const struct report *report, const char *unit,
                      bool with_edges);

/* A value as text of the unit, or of the one that --unit asks for; times and sizes are rounded to whole ones first. */
const char *graph_value(char *text, double value, const struct report *report, const char *unit);

/* The members of a node: name, and what it is made of; flat and cum. */
void graph_put_node(struct json *json, const struct call_graph *graph,
                    const struct call_node *node);

/* The name, function, file and line of a symbol as JSON. */
void graph_put_symbol(struct json *json, const char *name, const struct symbol *symbol);

#endif
