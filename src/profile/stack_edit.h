/* The stacks of a model as a filter's clauses on stacks leave them.  Filters that have the same such clauses share them: where many
 * questions are put to a model, they are kept. */
#ifndef PROFILE_STACK_EDIT_H
#define PROFILE_STACK_EDIT_H

#include "profile/frame_edit.h"

struct stack_edit {
    unsigned users;         /* who will call stack_edit_release */
    char *clauses;          /* those that it is made by, as they were typed; owned */
    bool hides_libraries;   /* and whether libraries are hidden, which needs no clause */
    struct frame_edit edit; /* of frames */
    struct stack_trie trie; /* with the model's frame numbers */
    bool borrows_nodes;     /* the trie's are the model's: no frame goes */
    uint32_t *
        moved; /* by stack of the model: the stack in `trie`, or STACK_NONE where nothing is left */
};

enum { STACK_EDITS_KEPT = 2 };

/* The last ones asked for, the latest first, of one model.  Zeroed when nothing is kept. */
struct stack_edits {
    struct stack_edit *items[STACK_EDITS_KEPT];
};

/* What a filter leaves that edits stacks (frame_edit_is_needed): one of those kept, or a new one, which is kept then.  `kept` may be NULL.  The model
 * is borrowed, the filter for the call alone.  To be released; NULL when there is no memory. */
struct stack_edit *stack_edit_of(struct stack_edits *kept, const struct model *model,
                                 const struct filter *filter);

/* One more user. */
struct stack_edit *stack_edit_share(struct stack_edit *edit);

/* Frees it with its last user; NULL is none. */
void stack_edit_release(struct stack_edit *edit);

void stack_edits_release(struct stack_edits *kept);

#endif
