/* Which frames of a program are a library's: the rules of library.h, and what the program itself tells.
 *
 * Shared libraries of the distribution are the ones below /usr/lib and its kin.  The main program is never a library,
 * wherever it lies: neither its file, nor sources that lie in the same folder of packages (vendor/, node_modules/) as the
 * program or the source of its main function.  Of several processes that goes for the program of each. */
#ifndef PROFILE_LIBRARY_PROGRAM_H
#define PROFILE_LIBRARY_PROGRAM_H

#include "profile/library.h"
#include "profile/symbols.h"
#include "profile/wrapper_set.h"

enum { LIBRARY_HOMES = 64 };

/* What is known of a program, or of those of several processes.  Borrowed from the source. */
struct library_program {
    const char *homes
        [LIBRARY_HOMES +
         1]; /* their paths and the sources of their main functions, each once, as many as there is room for; NULL
                                             after the last */
    bool is_nameless_runtime;
    const struct wrappers *wrappers; /* NULL for none */
};

enum library_kind {
    LIBRARY_NONE,   /* the user's own, as far as can be told */
    LIBRARY_SHARED, /* in a shared library of the distribution; or where the program begins: _start, a main without a line */
    LIBRARY_CODE, /* by its name or its source: library_is_place; or a wrapper of allocators by its shape */
};

struct library_program library_program_of(const struct frame_source *source);

/* Of a location in a module (NULL where it is not known); without a location (NULL) of code in the module. */
enum library_kind library_kind_of(const struct library_program *program, const char *module,
                                  const struct heaptap_location *location);

/* Is it an allocator or a wrapper of one, by its name or its shape? */
bool library_program_is_allocator(const struct library_program *program,
                                  const struct heaptap_location *location);

/* Is the path that of a shared library of the distribution? */
bool library_is_shared(const char *path);

#endif
