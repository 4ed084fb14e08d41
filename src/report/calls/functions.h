/* What reports of functions and calls share: a call graph as the question wants it, and pprof's way to sum up what is shown
 * of it. */
#ifndef REPORT_CALLS_FUNCTIONS_H
#define REPORT_CALLS_FUNCTIONS_H

#include "report/calls/call_graph.h"
#include "answer/answer.h"
#include "profile/pattern.h"
#include "report/report.h"

/* What a report wants of a graph beyond its options. */
struct graph_wish {
    bool whole;                    /* all nodes and edges, whatever the options say */
    bool no_edges;                 /* they are not needed */
    size_t node_count;             /* where the options say none; 0 for all */
    const struct pattern *pattern; /* only edges of functions that match; NULL for all */
};

/* Builds the graph.  False when there is no memory; then there is nothing to release. */
bool graph_of_report(struct call_graph *graph, const struct report *report,
                     const struct graph_wish *wish);

/* The same with options of the caller's, whose base is set. */
bool graph_of_options(struct call_graph *graph, const struct report *report,
                      struct call_graph_options *how);

/* A record of the graph: how many functions and calls there are, and what the base comes to. */
extern const struct answer_table graph_table;
void graph_record(struct answer *answer, const struct call_graph *graph,
                  const struct report *report, bool has_edges);

/* The unit of all values of the graph. */
const char *graph_unit(const struct call_graph *graph, const struct report *report);

/* A value as text of the unit, or of the one that --unit asks for; times and sizes are rounded to whole ones first.
 * `text` has MEASURE_TEXT_BYTES. */
const char *graph_value(char *text, double value, const struct report *report, const char *unit);

/* "Showing nodes accounting for ...", "Dropped ...": lines, each ended by a newline. */
void graph_say_sums(struct answer *answer, const struct call_graph *graph,
                    const struct report *report, const char *unit, bool with_edges);

#endif
