/* What the samples behind a call graph's nodes come to: weights alone don't say how far off they may be. */
#ifndef ANALYZE_NODE_TALLIES_H
#define ANALYZE_NODE_TALLIES_H

#include "analyze/call_graph.h"

struct node_tallies {
    struct stack_tally *flat; /* by symbol of the graph: of the stacks that end there */
    struct stack_tally *cum;  /* of those that pass there, once a stack */
};

/* Of the graph that call_graph_init made of the other three.  False when there is no memory; then there is nothing to release. */
bool node_tallies_init(struct node_tallies *tallies, struct call_graph *graph,
                       const struct stack_profile *profile, const struct frame_source *source,
                       const struct call_graph_options *options);
void node_tallies_release(struct node_tallies *tallies);

#endif
