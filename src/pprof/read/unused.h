/* Leaving out of a profile what no sample refers to. */
#ifndef PPROF_READ_UNUSED_H
#define PPROF_READ_UNUSED_H

#include "pprof/read/profile.h"

/* Removes the locations that are in no stack; frames are numbered anew.  False when there is no
 * memory. */
bool pprof_drop_unused(struct pprof *pprof);

#endif
