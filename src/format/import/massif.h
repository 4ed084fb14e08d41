/* What valgrind's massif writes (massif.out.PID): of its snapshots the tree of the peak, as peak_space; in a file without one the last
 * tree, as inuse_space. */
#ifndef FORMAT_IMPORT_MASSIF_H
#define FORMAT_IMPORT_MASSIF_H

#include "pprof/read/profile.h"
#include "trace/input.h"

bool massif_looks_like_one(const uint8_t *bytes, size_t size);

enum heaptap_status massif_read(struct pprof **result, struct input *input,
                                struct heaptap_error *error);

#endif
