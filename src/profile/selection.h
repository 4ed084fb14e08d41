/* What a filter leaves of a model, summed up by stack: the aggregate that call trees, tops, hot
 * spots and graphs read.
 *
 *     struct matcher matcher;
 *     struct selection selection;
 *     matcher_init(&matcher, model, &filter, &length, &error);
 *     selection_init(&selection, &matcher, &filter, &options, NULL);
 *     ... selection.profile.tallies[stack], selection.profile.trie, selection.frames ...
 *
 * `profile` has a trie and a tally for each stack; stacks that nothing is left of have zeros.  Its
 * trie is the model's, unless the filter edits stacks (hide, show, show-from): then it is another
 * (profile/stack_edit.h), with the same frame numbers.  `frames` tells what is left of each frame's locations. */
#ifndef PROFILE_SELECTION_H
#define PROFILE_SELECTION_H

#include "profile/library_calls.h"
#include "profile/matcher.h"
#include "profile/stack_edit.h"

enum selection_quantity {
    SELECT_ALLOCATED,
    SELECT_LIVE, /* at the end of the trace */
    SELECT_PROMOTED,
    SELECT_COLLECTED, /* before the end */
};

struct selection_options {
    enum selection_quantity quantity; /* of objects */
    size_t value_type;                /* of samples */
};

struct selection {
    struct stack_profile profile;
    struct stack_tally whole; /* the same quantity without any filter; negative values count by
                                   their   size */
    struct frame_source frames;
    struct stack_edit *edit;      /* its own or shared; NULL where the filter edits no stacks */
    size_t stack_count;           /* of the model */
    struct library_hidden hidden; /* of a filter that hides libraries, else zeros */
    struct library_calls
        *calls; /* likewise, where functions without a name call libraries; else NULL */
    bool borrows_trie;
    const uint32_t
        *moved; /* by stack of the model, where its trie is not the model's: the stack here, or
                              STACK_NONE; else NULL */
    uint32_t *own_moved; /* the same where it has been made compact; else NULL */
};

/* The stack of the selection that a stack of the model has become; STACK_NONE where nothing is
 * left. */
static inline uint32_t selection_stack(const struct selection *selection, uint32_t stack)
{
    return selection->moved ? selection->moved[stack] : stack;
}

/* All are borrowed; the model must outlive the selection, the matcher and the filter need not.  Edited stacks are looked for among
 * `edits` and kept there; NULL for stacks of its own.  False when there is no memory; then there is nothing to release. */
bool selection_init(struct selection *selection, const struct matcher *matcher,
                    const struct filter *filter, const struct selection_options *options,
                    struct stack_edits *edits);
void selection_release(struct selection *selection);

/* The same of the same matcher where `of`, whose stacks are the model's, has summed it up; `filter` has its clauses, but edits stacks.
 * As for selection_init. */
bool selection_edit(struct selection *selection, const struct selection *of,
                    const struct model *model, const struct filter *filter,
                    struct stack_edits *edits);

/* Frees the tallies of stacks, of which the total stays. */
void selection_forget_tallies(struct selection *selection);

/* How much memory it takes, without its edited stacks and what it borrows. */
size_t selection_bytes(const struct selection *selection);

/* What passes of another selection of the same quantity, which outlives it: `matcher` is of a filter that adds to the other's clauses
 * those that are about lives alone.  It shares the other's stacks; what libraries hide is not counted.  As for selection_init. */
bool selection_narrow(struct selection *selection, const struct selection *of,
                      const struct matcher *matcher, const struct selection_options *options);

/* Is an object that passes, with what counts of its life, one of the quantity? */
static inline bool selection_counts(enum selection_quantity quantity, const struct matcher *matcher,
                                    size_t row, const struct matcher_life *life)
{
    switch (quantity) {
    case SELECT_LIVE:
        return life->is_left;
    case SELECT_COLLECTED:
        return !life->is_left;
    case SELECT_PROMOTED:
        return model_row_promoted_us(matcher->model, row) != MODEL_NEVER;
    default:
        return true;
    }
}

/* Adds the blocks of a row, with the halves of their samples that pass; a sample's value. */
static inline void selection_add_row(struct stack_tally *tally, const struct model *model,
                                     size_t row, const struct matcher_life *life)
{
    unsigned halves = life->halves;
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    uint32_t blocks = model_row_blocks(model, row);
    tally->events += blocks;
    tally->samples += blocks * model_shape_samples(shape, halves);
    if (!life->by_peak)
        tally->seen_words += blocks * model_shape_seen_words(model, shape);
    tally->density += blocks * model_shape_density(shape, halves);
    tally->squares += blocks * model_shape_squares(shape, halves);
}

static inline void selection_add_value(struct stack_tally *tally, int64_t value)
{
    tally->events += value != 0;
    tally->samples += value != 0;
    tally->value += (double)value;
}

/* The program that the model is of, as far as libraries are told from it: zeroed where no stacks are edited. */
struct library_program selection_program(const struct selection *selection);

/* The wrappers of allocators that it leaves out; NULL as for frame_edit_wrappers, or where no stacks are edited. */
const struct wrappers *selection_wrappers(const struct selection *selection);

/* Leaves out the stacks that have no events: for reports that would show them.  The selection gets
 * a trie of its own.  False when there is no memory; release it in either case. */
bool selection_compact(struct selection *selection);

/* The quantity without any filter, negative values by their size. */
struct stack_tally selection_whole(const struct model *model,
                                   const struct selection_options *options);

#endif
