/* Functions with those that call them and those that they call: pprof's -tree and -peek. */
#ifndef REPORT_CONTEXT_H
#define REPORT_CONTEXT_H

#include "analyze/call_graph.h"
#include "answer/answer.h"
#include "profile/pattern.h"
#include "report/report.h"

struct context {
    const struct report *report; /* borrowed */
    const struct pattern
        *pattern; /* borrowed: of the names of functions that are told; NULL for all */
    struct call_graph graph;
    bool is_missed; /* no function matches */
};

/* Builds the graph: with a pattern all of it, else as much as the question wants, and the report's own number of functions.
 * False when there is no memory; then there is nothing to release. */
bool context_init(struct context *context, const struct report *report,
                  const struct pattern *pattern);
void context_release(struct context *context);

extern const struct answer_table *const context_tables[]; /* ended by NULL */

/* Says a struct context.  False when there is no memory. */
bool context_put(struct answer *answer, const void *context);

#endif
