/* Tables of lines and types as `heaptap memtracer` prints them, and other memory tracers of guest languages:
 *
 *     Memory Tracer. Recorded 5681 allocations.
 *
 *     Source Location || Count || Size || Type
 *     queens.lox:20 || 2056 || 64.3kB || LoxArray
 *
 * Each row is a stack: the type, called by the line.  Count and Size are alloc_objects and alloc_space; Live and Live Size,
 * where the table has them, inuse_objects and inuse_space.  Columns are found by their titles.  Rows of callers ("from
 * ...") are parts of the row above and left out, as is what stands around the tables: the program's own output, sums. */
#ifndef FORMAT_IMPORT_MEMTRACER_TABLE_H
#define FORMAT_IMPORT_MEMTRACER_TABLE_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status memtracer_table_read(struct pprof **pprof, struct input *input,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Does the head of such a table stand in these bytes, decompressed? */
bool memtracer_table_looks_like_one(const uint8_t *bytes, size_t size);

#endif
