/* Functions and who calls whom: the answers behind top, peek and the graph. */
#ifndef VIEWER_ANSWER_GRAPH_H
#define VIEWER_ANSWER_GRAPH_H

#include "analyze/call_graph.h"
#include "export/json.h"

/* Writes members into an object that is open: "total", "all_nodes", "dropped_nodes",
 * "dropped_edges"; "nodes", each with "name", "function", "file", "line", "flat", "cum"; and, where
 * `with_edges`, "edges", each with "from", "to", "weight", "residual", "inlined". */
bool answer_put_graph(struct json *json, const struct call_graph *graph,
                      const struct call_graph *before, bool with_edges);

/* Writes "found", the nodes whose function is `function`, each with "callers" and "callees": other
 * nodes' figures and the "weight" that they share with it. */
void answer_put_peek(struct json *json, const struct call_graph *graph, const char *function);

#endif
