/* A call graph for Graphviz's dot, by pprof's rules: the size of a node's text tells its own part,
 * its colour the part that comes through it, red for what is there and green for what has gone; an
 * edge's weight, width and colour tell what comes through it.  Dotted edges pass over functions
 * that are not shown. */
#ifndef REPORT_CALLS_GRAPH_DOT_H
#define REPORT_CALLS_GRAPH_DOT_H

#include <stdio.h>

#include "report/calls/graph_labels.h"

struct graph_dot_options {
    const char *title;
    const char *const *legend; /* lines */
    size_t legend_count;
    double total;                      /* what percentages are of */
    const char *unit;                  /* of the values */
    const char *print_unit;            /* to print them in */
    const struct graph_labels *labels; /* NULL for no boxes */
    /* What a name that is too long for a box is told by, malloc'ed; NULL where it stays, and for
     * all that do.  Its tooltip has all of it. */
    char *(*shorten)(const char *name);
};

/* False when there is no memory; write errors show in `file`. */
bool graph_dot_print(const struct call_graph *graph, const struct graph_dot_options *options,
                     FILE *file);

/* A function's name as short as it is still known: without the path of its package (Go, Java) and
 * the namespaces around its class (C++).  In `names`; NULL when there is no memory. */
const char *graph_dot_short_name(struct names *names, const char *name);

#endif
