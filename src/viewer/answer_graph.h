/* Functions and who calls whom: the answers behind top, peek and the graph. */
#ifndef VIEWER_ANSWER_GRAPH_H
#define VIEWER_ANSWER_GRAPH_H

#include "analyze/call_graph.h"
#include "export/json.h"

/* Writes members into an object that is open: "total", "all_nodes", "dropped_nodes",
 * "dropped_edges"; "nodes", each with "name", "function", "file", "line", "flat", "cum"; and, where
 * `with_edges`, "edges", each with "from", "to", "weight", "residual", "inlined".
 *
 * Where the graph is one of a comparison, `compares`, there are "base_total", and "base_flat",
 * "base_cum", "base_weight" with each node and edge. */
void answer_put_graph(struct json *json, const struct call_graph *graph, bool compares,
                      bool with_edges);

/* Writes "found", the nodes whose function is `function`, each with "callers" and "callees": other
 * nodes' figures and the "weight" that they share with it. */
void answer_put_peek(struct json *json, const struct call_graph *graph, bool compares,
                     const char *function);

#endif
