/* Allocators and containers, taken off the ends of stacks: so that a report names the functions
 * that wanted memory, not those through which all of it comes. */
#ifndef PROFILE_ALLOCATORS_H
#define PROFILE_ALLOCATORS_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

/* Is a trace of this head with these records of a native or an OCaml program, the stacks of which end in such
 * functions? */
bool allocators_are_in(const struct heaptap_trace_info *info,
                       const struct heaptap_metadata *records, size_t count);

/* Is a function of this name (readable or mangled) part of the machinery?  So are operator new, names after libc's
 * functions (xmalloc, g_malloc0, PyMem_Realloc, my_strdup), the allocators of some well-known programs (palloc,
 * caml_alloc), and all of the standard libraries of C++, Rust and OCaml (std::, core::, alloc::, Stdlib).  A program's own node_alloc or
 * Pool::allocate is none: that is a place which a report should name. */
bool allocator_is_name(const char *function);

/* The file of the frame that a guest's stack ends in: its function is the type of what was allocated. */
#define GUEST_TYPE_FILE "<type>"

/* Is a place of this name, such a type, or in a file of the sources of Rust's standard library and what that is
 * made of (where the names of its methods are those of types, "<[u8]>::to_vec")? */
bool allocator_is_place(const struct heaptap_location *location);

/* How many locations of a frame remain without such places at its inner end; 0 for a frame of
 * nothing else, and for one of which nothing is known. */
size_t allocators_trim(const struct heaptap_location *locations, size_t count);

/* The node at which a stack ends without the frames at its inner end for which `is_allocator`, by
 * frame, is true; `end` itself where no other frame is left. */
uint32_t allocators_outer_end(const struct stack_trie *trie, const bool *is_allocator,
                              uint32_t end);

/* Moves the tally of every stack of a finished profile to the stack without its innermost frames,
 * as far as they consist of such functions.  A stack of nothing else stays.  False without memory;
 * the profile is then good for release only. */
bool allocators_take_off(struct stack_profile *profile, const struct frame_source *source);

/* A source that tells frames without such functions at their innermost end; frames of nothing else
 * as they are. */
struct frame_source allocators_hidden(const struct frame_source *source);

#endif
