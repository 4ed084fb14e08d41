/* A pprof profile of addresses gets its functions, files and lines. */
#ifndef CLI_SYMBOLIZE_PPROF_H
#define CLI_SYMBOLIZE_PPROF_H

#include "import/pprof.h"
#include "symbol/symbolizer.h"

/* Gives lines to the locations that have none, as far as the files of their mappings are there, and
 * says in these mappings that it is done.  `*found` counts the
 * locations that got some.  False when there is no memory. */
bool symbolize_pprof(struct pprof *pprof, struct symbolizer *symbolizer, size_t *found);

/* The same for a report that opens a profile: with the files that are there, and no word of those
 * that are not. */
bool symbolize_pprof_quietly(struct pprof *pprof);

#endif
