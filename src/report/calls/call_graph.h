/* The call graph of a profile, by pprof's rules: what top, peek and the graph show.
 *
 * A node is a symbol, as coarse as asked for.  Its flat weight is that of the stacks that end in
 * it, its cum weight that of the stacks that pass through it, however often; an edge has the weight
 * of the stacks in which its caller stands right before its callee, and counts once a stack as
 * well.  Calls of a function by itself are no edges.  Compared with a base, nodes and edges are
 * chosen and ordered by what they weigh in either, at most.
 *
 * Nodes whose cum is below a fraction of all flat weight are dropped; what called them then has a
 * residual edge to what they called.  Of the rest, the first `node_count` in the order are kept,
 * and edges lighter than a fraction are dropped. */
#ifndef REPORT_CALLS_CALL_GRAPH_H
#define REPORT_CALLS_CALL_GRAPH_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

enum call_graph_order {
    ORDER_FLAT,
    ORDER_CUM,
    ORDER_ENTROPY, /* for pictures: prefers nodes where much meets or parts */
};

struct call_graph_options {
    enum symbol_grain grain;
    bool no_inlines; /* of a frame its outermost function alone */
    enum stack_weight weight;
    enum call_graph_order order;
    size_t node_count;    /* 0 for all */
    double node_fraction; /* 0 drops none */
    double edge_fraction;
    bool drop_negative;
    const struct stack_profile *base;    /* to compare with: the same stacks; NULL for none */
    const struct stack_profile *divisor; /* instead of a base: of the same stacks, what figures are
                                            divided by once nodes and edges are chosen and ordered */
    enum stack_weight divisor_weight;
    bool has_tallies; /* tell what the samples behind the nodes come to */
    bool no_edges;    /* they are not needed; not with ORDER_ENTROPY */
    /* Whether the edges of a node of this name are asked for, for reports on a few functions;
     * others are left out.  NULL for all. */
    bool (*is_asked)(void *context, const char *name);
    void *asked_context;
    /* How many labels a node will have in the picture, for ORDER_ENTROPY, where they take places of
     * nodes; NULL for none. */
    size_t (*label_count)(void *context, uint32_t symbol);
    void *label_context;
};

struct call_node {
    uint32_t symbol;
    const char *name; /* as pprof prints it; borrowed with the graph */
    double flat, cum;
    double base_flat, base_cum;
    uint32_t *in, *out; /* numbers of edges, heaviest first */
    size_t in_count, out_count;
};

struct call_edge {
    uint32_t from, to; /* numbers of nodes */
    double weight;
    double base_weight;
    double now_weight; /* while it is built, when `weight` is that of the heavier side */
    bool is_residual;  /* nodes between them were dropped */
    bool is_inlined;   /* the callee stands inlined in the caller, always */
};

/* What the samples behind a symbol come to. */
struct call_tallies {
    struct stack_tally flat, cum;
};

struct call_graph {
    struct stack_measure measure;
    struct symbols symbols;
    struct names names;
    struct call_node *nodes; /* in the order asked for */
    size_t count;
    struct call_tallies *tallies; /* by symbol; NULL unless they were asked for */
    struct call_edge *edges;      /* dropped ones left out */
    size_t edge_count, edge_capacity;
    uint32_t *ends; /* the nodes' lists of edges */
    double total;   /* flat weight of all nodes, before any was dropped */
    double base_total;
    size_t dropped_nodes; /* by node_fraction */
    size_t all_nodes;     /* left by that */
    size_t dropped_edges;
};

/* Reads a finished profile.  False when there is no memory; then there is nothing to release. */
bool call_graph_init(struct call_graph *graph, const struct stack_profile *profile,
                     const struct frame_source *source, const struct call_graph_options *options);
void call_graph_release(struct call_graph *graph);

/* What pprof calls a symbol, of which nothing but that is needed: "main.f", "main.f a/b.go:12",
 * "00000000004008f1 main.f b.c:7", "[libm.so.6]", "<unknown>".  In the table; NULL when there is no
 * memory. */
const char *call_graph_name(struct names *names, const struct symbol *symbol);

#endif
