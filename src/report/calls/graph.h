/* Who calls whom: functions and the calls between them, cut to what can be drawn, by pprof's rules.  cli/graph_form.c draws them. */
#ifndef REPORT_CALLS_GRAPH_H
#define REPORT_CALLS_GRAPH_H

#include "report/calls/call_graph.h"
#include "report/calls/graph_labels.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct graph_question {
    bool no_labels;     /* no boxes with sizes of blocks and other labels */
    bool drop_negative; /* no functions that have shrunk */
};

extern const struct question_option graph_options[];    /* ended by one without a word */
extern const struct answer_table *const graph_tables[]; /* ended by NULL */

/* The graph as the question wants it.  Labels may take places of nodes; they borrow the graph, which has to stay where it is.
 * False when there is no memory; then there is nothing to release. */
struct drawn_graph {
    struct call_graph graph;
    struct graph_labels labels; /* zeroed where the question wants none */
};
bool drawn_graph_init(struct drawn_graph *drawn, const struct report *report);
void drawn_graph_release(struct drawn_graph *drawn);

enum report_outcome graph_put(struct answer *answer, const struct report *report);

#endif
