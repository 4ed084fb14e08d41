/* A function line by line, with its source where that can be found. */
#ifndef VIEWER_ANSWER_LINES_H
#define VIEWER_ANSWER_LINES_H

#include "analyze/call_graph.h"
#include "export/json.h"

/* Where sources come from: whoever runs the viewer knows how to find them.  Only files that the
 * trace names are ever asked for. */
struct viewer_sources {
    /* The lines of a file, borrowed until the next call, and their number; NULL where it isn't to
     * be had. */
    char **(*lines)(void *context, const char *file, size_t *count);
    void *context;
};

/* Writes members into an object that is open: "total", and "routines", each with "function",
 * "file", "found" and "lines": "line", "flat", "cum", "text"; "base_cum" too, where the graph is
 * one of a comparison, `compares`.  `graph` has lines for nodes; `sources` may be NULL.  False when
 * there is no memory. */
bool answer_put_lines(struct json *json, const struct call_graph *graph, bool compares,
                      const char *function, const struct viewer_sources *sources);

#endif
