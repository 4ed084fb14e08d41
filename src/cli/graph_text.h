/* Nodes of a call graph in JSON. */
#ifndef CLI_GRAPH_TEXT_H
#define CLI_GRAPH_TEXT_H

#include "cli/report.h"
#include "report/functions.h"

/* The members of a node: name, and what it is made of; flat and cum. */
void graph_put_node(struct json *json, const struct call_graph *graph,
                    const struct call_node *node);

#endif
