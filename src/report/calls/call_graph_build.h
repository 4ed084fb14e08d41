/* A call graph while it is built: what nodes (call_graph.c) and edges (call_edges.c) share. */
#ifndef REPORT_CALLS_CALL_GRAPH_BUILD_H
#define REPORT_CALLS_CALL_GRAPH_BUILD_H

#include <math.h>

#include "report/calls/call_graph.h"
#include "report/stack_walk.h"

#define NODE_NONE UINT32_MAX

/* What a symbol comes to before nodes are chosen. */
struct sum {
    double flat, cum;
    double base_flat, base_cum;
    uint32_t open; /* how often it is on the path that is walked */
    uint32_t node; /* its number among those kept, or NODE_NONE */
};

/* Where the edges of a path go on. */
struct reach {
    uint32_t node;    /* the last one kept, or NODE_NONE */
    bool is_residual; /* others were dropped behind it */
};

struct call_graph_build {
    struct call_graph *graph;
    const struct stack_profile *profile;
    const struct call_graph_options *options;
    struct frame_symbols frames;
    struct sum *sums; /* by symbol */
    size_t sum_count, sum_capacity, tally_capacity;
    struct stack_walk walk; /* with tallies, where the graph has them */
    struct reach *reached;  /* by depth of the path; [0] is the root's */
    size_t depth, reached_capacity;
    uint32_t *open; /* ties of the path, and behind those of each node of the trie their number */
    size_t open_count, open_capacity;
    struct tie *ties; /* edges while they are counted: a table by caller and callee, or a list */
    size_t tie_capacity;
    bool is_table;      /* the former, where nodes are few */
    struct map by_ends; /* of a list: number in it + 1, by caller and callee */
    bool *is_asked;     /* by node, whether its edges are; NULL: all are */
};

/* The symbols of the frame at a node of the trie. */
static inline const uint32_t *call_graph_symbols_at(struct call_graph_build *build, uint32_t node,
                                                    size_t *count)
{
    *count = 0;
    return frame_symbols_of(&build->frames, build->walk.trie->nodes[node].frame, count);
}

/* What nodes and edges go by, until the graph is made. */
static inline double call_graph_heavier(const struct call_graph_build *build, double now,
                                        double base)
{
    return !build->options->divisor && fabs(base) > fabs(now) ? base : now;
}

static inline double call_graph_cutoff(const struct call_graph_build *build, double fraction)
{
    const struct call_graph *graph = build->graph;
    return fabs(trunc(call_graph_heavier(build, graph->total, graph->base_total) * fraction));
}

/* ---- Edges (call_edges.c) ------------------------------------------------------------ */

/* Numbers the nodes in their present order, for symbols. */
void call_edges_number_nodes(struct call_graph_build *build);

/* Counts the edges between the graph's nodes.  False when there is no memory. */
bool call_edges_count(struct call_graph_build *build);

/* Leaves out light edges, and tells how many they were. */
size_t call_edges_trim(struct call_graph_build *build);

/* Gives each node the lists of its edges, in the order of their numbers.  False when there is no
 * memory. */
bool call_edges_link(struct call_graph *graph);

/* Sorts these, heaviest first. */
void call_edges_sort(struct call_graph *graph);

#endif
