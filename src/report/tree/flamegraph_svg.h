/* A flame graph as one SVG file: callers above their callees, as wide as what is allocated below
 * them.  It can be read in anything that draws SVG; in a browser, a script inside it zooms and
 * searches. */
#ifndef REPORT_TREE_FLAMEGRAPH_SVG_H
#define REPORT_TREE_FLAMEGRAPH_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "report/tree/call_walk.h"

enum flamegraph_colour {
    COLOUR_BY_FILE,
    COLOUR_BY_FUNCTION,
    COLOUR_BY_CHANGE, /* of a difference (report/change/difference.h): red for more, green for less */
};

struct flamegraph_svg_options {
    enum stack_weight weight;
    enum flamegraph_colour colour;
    double min_share;     /* frames below this part of all weight are left out, and counted */
    const char *title;    /* a heading */
    const char *subtitle; /* below it; may be NULL */
};

/* Goes on with the walk, which is at the root, to its end.  False when there is no memory; write errors show in `file`. */
bool flamegraph_svg_print(struct call_walk *walk, const struct estimate *estimate,
                          const struct flamegraph_svg_options *options, FILE *file);

#endif
