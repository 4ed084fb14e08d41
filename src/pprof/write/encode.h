/* A pprof profile that was read, perhaps changed, and is written again. */
#ifndef PPROF_WRITE_ENCODE_H
#define PPROF_WRITE_ENCODE_H

#include "pprof/read/profile.h"

/* Writes the profile, uncompressed: all that the reader keeps of it.  Its functions are those that
 * lines have, numbered anew; ids are dense.  Equal samples stay apart.  0, or the errno with which
 * the sink or memory failed. */
int pprof_encode(const struct pprof *pprof, struct heaptap_sink sink);

#endif
