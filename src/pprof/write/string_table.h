/* The string table of a profile that is written: strings are numbered when they are first needed,
 * and written last.  None is copied. */
#ifndef PPROF_WRITE_STRING_TABLE_H
#define PPROF_WRITE_STRING_TABLE_H

#include "base/map.h"
#include "pprof/write/protobuf.h"

/* Zeroed, it holds "" alone, number 0. */
struct pprof_strings {
    const char **items; /* but for "", in the order of their numbers */
    size_t count, capacity;
    struct map numbers; /* by address */
    bool failed;        /* there was no memory */
};

void pprof_strings_release(struct pprof_strings *strings);

/* The number of a text that lasts; NULL is "".  Equal texts are to be one pointer, or stand in the
 * table twice. */
uint64_t pprof_strings_number(struct pprof_strings *strings, const char *text);

/* Writes a field that names a text, unless that is empty. */
void pprof_strings_put(struct pprof_strings *strings, struct protobuf *out, unsigned field,
                       const char *text);

/* Writes the table. */
void pprof_strings_put_all(struct pprof_strings *strings, struct protobuf *out);

#endif
