/* The stacks of a model as a filter leaves them: for reports that look at rows, not at tallies. */
#ifndef REPORT_STACK_VIEW_H
#define REPORT_STACK_VIEW_H

#include "profile/selection.h"

struct stack_view {
    const struct stack_trie *trie;
    const uint32_t *ends; /* by stack of the model: the node at which it ends, or STACK_NONE where
                             nothing is left of it */
    struct frame_source frames; /* valid while the view stays where it is */
    struct stack_trie own_trie; /* of a filter that edits stacks */
    uint32_t *own_ends;
    struct frame_edit edit;
};

/* The model is borrowed.  False when there is no memory; then there is nothing to release. */
bool stack_view_init(struct stack_view *view, const struct model *model,
                     const struct filter *filter);
void stack_view_release(struct stack_view *view);

#endif
