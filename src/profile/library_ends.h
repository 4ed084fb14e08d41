/* The functions of libraries at the inner ends of stacks: stacks without them, and what they come to. */
#ifndef PROFILE_LIBRARY_ENDS_H
#define PROFILE_LIBRARY_ENDS_H

#include "profile/library_program.h"
#include "profile/stack_profile.h"
#include "profile/symbols.h"

/* What was left out of a profile. */
struct library_hidden {
    struct stack_tally tally; /* of the stacks that have lost functions */
    size_t functions;         /* distinct ones that they have lost */
};

/* What of a frame goes from the inner ends of stacks. */
enum library_end {
    LIBRARY_END_KEPT,     /* nothing, or not all of it */
    LIBRARY_END_NAMELESS, /* nothing, unless an allocator calls it: postgres+0x5f32a0 below palloc */
    LIBRARY_END_SHARED,   /* all of it: in a shared library, which its own name does not say */
    LIBRARY_END_CODE,     /* all of it, by its name or source, or by a filter's own words */
    LIBRARY_END_ALLOCATOR, /* likewise, and it is an allocator or a wrapper of one */
    LIBRARY_END_TYPE,      /* a guest's type, which stands where nothing else does */
};

/* Of a frame of these locations, of which the least that a library has of one is `least`. */
enum library_end library_end_of(const struct library_program *program,
                                const struct heaptap_location *locations, size_t count,
                                enum library_kind least);

/* Is it a place in a module without a name, "postgres+0x5f32a0"? */
bool library_is_nameless(const struct heaptap_location *locations, size_t count);

/* By frame, which of its locations are a library's. */
struct library_ends {
    uint32_t *inner;        /* how many at its inner end; of a guest's type 0 */
    enum library_end *ends; /* what that comes to */
    uint32_t *outer;        /* by stack, library_outer_end; owned; NULL for none */
};

/* False when there is no memory; released is zeroed. */
bool library_ends_init(struct library_ends *ends, size_t frame_count);
void library_ends_release(struct library_ends *ends);

/* The node at which a stack ends without frames that are a library's as a whole.  Where no other frame is left, the innermost in
 * a shared library that isn't one by its name; of a stack without such, the innermost that is no type, or `end` itself. */
uint32_t library_outer_end(const struct library_ends *ends, const struct stack_trie *trie,
                           uint32_t end);

/* What some stacks have lost, while they are counted. */
struct library_taken {
    bool *frames;             /* by frame: some stack has lost what a library has of it */
    struct stack_tally tally; /* of such stacks */
};

/* False when there is no memory. */
bool library_taken_init(struct library_taken *taken, size_t frame_count);
void library_taken_release(struct library_taken *taken);

/* Counts a stack, whose outer end is known. */
void library_taken_add(struct library_taken *taken, const struct library_ends *ends,
                       const struct stack_trie *trie, uint32_t stack,
                       const struct stack_tally *tally);

/* What has been counted; `all` has all locations of the frames.  False when there is no memory. */
bool library_taken_sum(const struct library_taken *taken, const struct library_ends *ends,
                       const struct frame_source *all, struct library_hidden *hidden);

#endif
