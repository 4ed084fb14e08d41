/* Programs whose own heap malloc does not see: which runtime they run on, and what does see it. */
#ifndef CLI_RECORD_RUNTIME_HEAP_H
#define CLI_RECORD_RUNTIME_HEAP_H

#include <stdbool.h>

#include "profile/symbols.h"

struct runtime_heap {
    const char *language; /* "a Python program" */
    const char *unseen;   /* what isn't recorded, as a clause */
    const char *way;      /* what would see it */
};

/* By the functions and modules of a recording's frames, and by the program's name; NULL where none of them tells, also of
 * programs that have an interpreter built in for something else. */
const struct runtime_heap *runtime_heap_of(const struct frame_source *frames, const char *program);

/* By what the program's file asks of its loader, or offers; a script's is its interpreter's.  NULL where nothing tells. */
const struct runtime_heap *runtime_heap_of_file(const char *path);

/* Is it an OCaml program that traces its own heap where MEMTRACE says so? */
bool runtime_heap_has_memtrace(const char *path);

/* Two lines, malloc'ed: what is not seen, and what sees it.  NULL without memory. */
char *runtime_heap_text(const struct runtime_heap *heap, const char *program);

#endif
