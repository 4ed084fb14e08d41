/* Which places of a program are a library's, by rules that need no option: what its author did not write is rarely what he
 * can change, so that reports on places name the innermost function of his own (profile/library_ends.h). */
#ifndef PROFILE_LIBRARY_H
#define PROFILE_LIBRARY_H

#include <stdbool.h>

#include "heaptap/trace.h"

/* The file of the frame that a guest's stack ends in: its function is the type of what was allocated. */
#define GUEST_TYPE_FILE "<type>"

/* Is a function of this name (readable or mangled) an allocator's or a native standard library's?  So are operator new, names
 * after libc's functions (xmalloc, g_malloc0, PyMem_Realloc, my_strdup), the allocators of some well-known programs (palloc,
 * caml_alloc), and all of the standard libraries of C++, Rust and OCaml (std::, core::, alloc::, Stdlib).  A program's own
 * node_alloc or Pool::allocate is none: that is a place which a report should name. */
bool allocator_is_name(const char *function);

/* Is it an allocator or a wrapper of one, and not a standard library's? */
bool library_is_allocator(const struct heaptap_location *location);

/* Does the location stand for a guest's type? */
bool library_is_type(const struct heaptap_location *location);

/* Is the place such a function, a stub of a runtime (caml_curry and its kin), a guest's type, the mark of missing callers, or in the standard library or an installed package of Rust, Python, Go, Java,
 * node, Ruby or PHP, by its file's folder or the package in its name?  The paths of `homes` (up to NULL) are the program's own:
 * files of the package in which one of them lies are no library's. */
bool library_is_place(const struct heaptap_location *location, const char *const *homes);

#endif
