/* A pprof profile of addresses gets its functions, files and lines. */
#ifndef CLI_SYMBOLIZE_PPROF_H
#define CLI_SYMBOLIZE_PPROF_H

#include "pprof/read/profile.h"
#include "symbol/symbolizer.h"

/* Gives lines to the locations that have none, or one that is only a place in a module
 * (symbol_is_offset), and says in their mappings that it is done.  Where nothing is known of the
 * code, a location without lines gets such a place, as a frame of a trace has.  `*found` counts the
 * locations that got lines.  False when there is no memory. */
bool symbolize_pprof(struct pprof *pprof, struct symbolizer *symbolizer, size_t *found);

/* For a report that opens a profile: the same with the files that are there, and no word of those
 * that are not; locations of which nothing is known stay addresses. */
bool symbolize_pprof_quietly(struct pprof *pprof);

#endif
