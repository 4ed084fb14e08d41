/* All blocks of glibc's malloc that are in use, found by their headers: in a heap one chunk follows the other. */
#ifndef TAP_HOLDERS_CHUNKS_H
#define TAP_HOLDERS_CHUNKS_H

#include <stdint.h>

#include "tap/holders/maps.h"
#include "tap/holders/present.h"
#include "tap/holders/snapshot_options.h"

struct chunks {
    const struct maps *maps;
    struct present *present;
};

/* Tells them in the order of their addresses, with NO_ID.  Those that were freed and lie in a cache of malloc's are among them.
 * `from` is a struct chunks. */
void chunks_each(holders_tell_block *tell, void *context, const void *from);

/* Where the heap of another arena than the main one ends that begins at `start`, in a mapping; 0 where none does. */
uint64_t chunks_heap_end(struct present *present, const struct mapping *mapping, uint64_t start);

#endif
