/* The stacks of a model as a filter leaves them: for reports that look at rows, not at tallies. */
#ifndef REPORT_STACK_VIEW_H
#define REPORT_STACK_VIEW_H

#include "report/report.h"

struct stack_view {
    const struct stack_trie *trie;
    const uint32_t *ends; /* by stack of the model: the node at which it ends, or STACK_NONE where
                             nothing is left of it */
    struct frame_source frames;
    struct stack_edit *edit; /* of a filter that edits stacks; else NULL */
    uint32_t *own_ends;
};

/* The model is borrowed; `edits` is as for selection_init.  False when there is no memory; then there is nothing to release. */
bool stack_view_init(struct stack_view *view, const struct model *model,
                     const struct filter *filter, struct stack_edits *edits);
/* The same of a report that is selected. */
bool stack_view_of(struct stack_view *view, const struct report *report);

void stack_view_release(struct stack_view *view);

#endif
