/* The report `flamegraph` as a table: the call tree that the picture draws.  The picture and the folded stacks are made
 * from the same tree (export/). */
#ifndef REPORT_FLAMEGRAPH_H
#define REPORT_FLAMEGRAPH_H

#include "analyze/call_tree.h"
#include "answer/answer.h"

/* All borrowed. */
struct flamegraph {
    const char *trace; /* its name */
    bool is_complete;  /* else it was cut */
    const struct call_tree *tree;
    const struct estimate *estimate;
    enum stack_weight weight; /* by which nodes are left out */
    double min_share;         /* nodes below this part of all weight are left out */
};

/* False when there is no memory. */
bool flamegraph_put(struct answer *answer, const struct flamegraph *flamegraph);

extern const struct answer_table *const flamegraph_tables[]; /* ended by NULL */

#endif
