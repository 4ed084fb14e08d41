/* A graph made simpler for the eye. */
#ifndef REPORT_CALLS_GRAPH_PRUNE_H
#define REPORT_CALLS_GRAPH_PRUNE_H

#include "report/calls/call_graph.h"

/* Takes away residual edges whose ends are connected another way too: those of each callee that are
 * lighter than all of its direct calls.  `edges`, and the lists of the nodes, lose them.  False
 * when there is no memory; then the graph is as it was. */
bool graph_prune(struct call_graph *graph);

#endif
