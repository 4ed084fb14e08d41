/* Functions with those that call them and those that they call: pprof's -tree and -peek. */
#ifndef CLI_GRAPH_CONTEXT_H
#define CLI_GRAPH_CONTEXT_H

#include "cli/graph_text.h"
#include "profile/pattern.h"

/* Prints the nodes of a graph whose names match; `pattern` NULL for all.  How many they were goes
 * into
 * `*shown`.  In the format of the report's options. */
void graph_context_print(const struct call_graph *graph, const struct report *report,
                         const struct pattern *pattern, size_t *shown);

#endif
