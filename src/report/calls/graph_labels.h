/* What the labels of samples say in a graph: of each function, how much of its weight comes with
 * which label.  By pprof's rules: text labels count together, joined by line ends; of the numbers
 * only the one called `bytes` counts.  For a trace, that is the size of blocks. */
#ifndef REPORT_CALLS_GRAPH_LABELS_H
#define REPORT_CALLS_GRAPH_LABELS_H

#include "report/calls/call_graph.h"
#include "profile/selection.h"

struct label_box {
    const char *group; /* text labels, "key:value" joined by \n as two characters; "" for none */
    const char *name;  /* the group itself, or a number with its unit: "1.50kB" */
    const char *unit;  /* of a number, else "" */
    double value;      /* of a number */
    bool is_number;
    double flat, cum;
};

struct graph_labels_place {
    uint32_t first, count; /* in boxes */
};

struct graph_labels {
    const struct call_graph *graph; /* whose symbols graph_labels_count is asked about */
    double cutoff;                  /* boxes below this, flat and cum, are left out */
    struct names names;
    struct label_box *boxes; /* grouped by function */
    size_t count, capacity;
    struct map by_name; /* hash of a function's printed name -> index into places */
    struct graph_labels_place *places;
    const char **place_names;
    size_t place_count;
};

struct graph_labels_options {
    const struct selection_options *selection;
    const struct call_graph_options *graph; /* grain, inlined functions, weight */
    double total;                           /* flat weight of the profile */
};

/* Sums up what passes the matcher.  False when there is no memory; then there is nothing to
 * release. */
bool graph_labels_init(struct graph_labels *labels, const struct matcher *matcher,
                       const struct filter *filter, const struct graph_labels_options *options);
void graph_labels_release(struct graph_labels *labels);

/* The boxes of a function, by its name in the graph; borrowed. */
const struct label_box *graph_labels_of(const struct graph_labels *labels, const char *name,
                                        size_t *count);

/* For call_graph_options.label_count; the context is the labels, with `graph` set. */
size_t graph_labels_count(void *labels, uint32_t symbol);

enum { GRAPH_BOXES_MAX = 4 };

/* The boxes to be drawn of the numbers of one group: at most GRAPH_BOXES_MAX, where there are more
 * the nearest are put together as "64B..1kB".  `by_flat` as for a node with callees.  Names are in
 * `names`.  The number of boxes; 0 too when there is no memory. */
size_t graph_labels_collapse(const struct label_box *boxes, size_t count, const char *group,
                             bool by_flat, struct names *names,
                             struct label_box drawn[GRAPH_BOXES_MAX]);

/* The heaviest text groups, likewise. */
size_t graph_labels_groups(const struct label_box *boxes, size_t count, bool by_flat,
                           struct label_box drawn[GRAPH_BOXES_MAX]);

#endif
