/* What a filter leaves of a model, summed up by stack: the aggregate that call trees, tops, hot
 * spots and graphs read.
 *
 *     struct matcher matcher;
 *     struct selection selection;
 *     matcher_init(&matcher, model, &filter, &length, &error);
 *     selection_init(&selection, &matcher, &filter, &options);
 *     ... selection.profile.tallies[stack], selection.profile.trie, selection.frames ...
 *
 * `profile` has a trie and a tally for each stack; stacks that nothing is left of have zeros.  Its
 * trie is the model's, unless the filter edits stacks (hide, show, show-from): then it is one of
 * its own, with the same frame numbers.  `frames` tells what is left of each frame's locations. */
#ifndef PROFILE_SELECTION_H
#define PROFILE_SELECTION_H

#include "profile/library_ends.h"
#include "profile/matcher.h"
#include "profile/stack_profile.h"

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

/* Locations that a filter has left of frames; zeroed where it leaves all. */
struct frame_edit {
    const struct model *model;
    uint32_t *first, *count; /* by frame: index into lines; count MODEL_NONE where it is hidden */
    struct heaptap_location *lines;
    size_t line_count, line_capacity;
    struct library_program program;
    struct library_ends library; /* of a filter that hides libraries, else zeroed */
    bool names_own;              /* the filter says what is the user's own */
};

struct selection {
    struct stack_profile profile;
    struct stack_tally whole;   /* the same quantity without any filter; negative values count by
                                   their   size */
    struct frame_source frames; /* valid while the selection stays where it is */
    struct frame_edit edit;
    size_t stack_count;           /* of the model */
    struct library_hidden hidden; /* of a filter that hides libraries, else zeros */
    bool borrows_trie;
    uint32_t *moved; /* by stack of the model, where stacks are edited: the stack here, or
                        STACK_NONE; else NULL */
};

/* The stack of the selection that a stack of the model has become; STACK_NONE where nothing is
 * left. */
static inline uint32_t selection_stack(const struct selection *selection, uint32_t stack)
{
    return selection->moved ? selection->moved[stack] : stack;
}

/* All are borrowed; the model must outlive the selection, the matcher and the filter need not.
 * False when there is no memory; then there is nothing to release. */
bool selection_init(struct selection *selection, const struct matcher *matcher,
                    const struct filter *filter, const struct selection_options *options);
void selection_release(struct selection *selection);

/* Is an object that passes, with what counts of its life, one of the quantity? */
static inline bool selection_counts(enum selection_quantity quantity, const struct matcher *matcher,
                                    size_t row, const struct matcher_life *life)
{
    const struct model_objects *objects = &matcher->model->objects;
    switch (quantity) {
    case SELECT_LIVE:
        return life->is_left;
    case SELECT_COLLECTED:
        return !life->is_left;
    case SELECT_PROMOTED:
        return objects->promoted_us && objects->promoted_us[row] != MODEL_NEVER;
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

/* Leaves out the stacks that have no events: for reports that would show them.  The selection gets
 * a trie of its own.  False when there is no memory; release it in either case. */
bool selection_compact(struct selection *selection);

/* The quantity without any filter, negative values by their size. */
struct stack_tally selection_whole(const struct model *model,
                                   const struct selection_options *options);

/* ---- Editing stacks (frame_edit.c) --------------------------------------------------- */

/* Does the filter edit stacks? */
bool frame_edit_is_needed(const struct filter *filter);

/* What a location of a frame is: by the filter's clauses of `own` none or LIBRARY_CODE, or, where none says what is the user's
 * own, by the rules of library_program.h.  Of a frame of which nothing is known (NULL) the module alone decides. */
enum library_kind frame_edit_library_kind(const struct filter *filter, const struct model *model,
                                          const struct library_program *program, uint32_t frame,
                                          const struct heaptap_location *location);

/* False when there is no memory; release it in either case.  Where it ends in the new trie goes, by
 * stack of the model, into `ends`, of which there are trie.stack_count: STACK_NONE for those that
 * nothing is left of. */
bool frame_edit_init(struct frame_edit *edit, const struct model *model,
                     const struct filter *filter, struct stack_trie *trie, uint32_t *ends);
void frame_edit_release(struct frame_edit *edit);

/* The wrappers of allocators that it leaves out; NULL where it leaves out none, or the filter's own words say what is. */
const struct wrappers *frame_edit_wrappers(const struct frame_edit *edit);

struct frame_source frame_edit_frames(const struct frame_edit *edit);
/* With the locations that libraries have at the inner ends of frames. */
struct frame_source frame_edit_all_frames(const struct frame_edit *edit);

#endif
