/* What a filter's clauses on stacks (hide, show, show-from, libraries, own) leave of frames, and of the stacks that these are in. */
#ifndef PROFILE_FRAME_EDIT_H
#define PROFILE_FRAME_EDIT_H

#include "profile/library_ends.h"
#include "profile/filter.h"
#include "profile/model.h"

/* Locations that a filter has left of frames; zeroed where it leaves all. */
struct frame_edit {
    const struct model *model;
    uint32_t *first, *count; /* by frame: index into lines; count MODEL_NONE where it is hidden */
    struct heaptap_location *lines;
    size_t line_count, line_capacity;
    struct library_program program;
    struct library_ends library; /* of a filter that hides libraries, else zeroed */
    bool names_own;              /* the filter says what is the user's own */
    bool keeps_nodes; /* no frame goes: every node of the model's stacks stays what it is */
};

/* Does the filter edit stacks? */
bool frame_edit_is_needed(const struct filter *filter);

/* What a location of a frame is: by the filter's clauses of `own` none or LIBRARY_CODE, or, where none says what is the user's
 * own, by the rules of library_program.h.  Of a frame of which nothing is known (NULL) the module alone decides. */
enum library_kind frame_edit_library_kind(const struct filter *filter, const struct model *model,
                                          const struct library_program *program, uint32_t frame,
                                          const struct heaptap_location *location);

/* False when there is no memory; release it in either case.  Where it ends in the new trie goes, by
 * stack of the model, into `ends`, of which there are trie.stack_count: STACK_NONE for those that
 * nothing is left of.  One that keeps_nodes leaves `trie` empty, and ends are nodes of the model's. */
bool frame_edit_init(struct frame_edit *edit, const struct model *model,
                     const struct filter *filter, struct stack_trie *trie, uint32_t *ends);
void frame_edit_release(struct frame_edit *edit);

/* The wrappers of allocators that it leaves out; NULL where it leaves out none, or the filter's own words say what is. */
const struct wrappers *frame_edit_wrappers(const struct frame_edit *edit);

struct frame_source frame_edit_frames(const struct frame_edit *edit);
/* With the locations that libraries have at the inner ends of frames. */
struct frame_source frame_edit_all_frames(const struct frame_edit *edit);

#endif
