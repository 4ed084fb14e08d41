/* What the events in a profile say of their trace as a whole; it may stand in any of the chunks. */
#ifndef PPROF_READ_EVENTS_WHOLE_H
#define PPROF_READ_EVENTS_WHOLE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/names.h"
#include "pprof/read/profile.h"
#include "pprof/read/wire.h"

struct pprof_events_whole {
    const struct model *model; /* borrowed */
    struct heaptap_trace_info info;
    struct heaptap_metadata *metadata;
    size_t metadata_count, metadata_capacity;
    struct names names; /* strings of both */
    uint64_t *codes;    /* by location */
    size_t code_count;
    struct heaptap_location *lines; /* the profile's, with their characters */
    bool *nameless;                 /* by location */
    uint32_t no_frame;              /* location that stands for an empty stack; MODEL_NONE */
    struct map by_code;             /* -> location */
    bool has_version, has_info;
};

/* Goes through all chunks.  Whatever the status, the result is to be released. */
enum heaptap_status pprof_events_whole_read(struct pprof_events_whole *whole,
                                            const struct model *model,
                                            struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void pprof_events_whole_release(struct pprof_events_whole *whole);

/* What a code means, as heaptap_describe has it. */
size_t pprof_events_whole_describe(const struct pprof_events_whole *whole, uint64_t code,
                                   struct heaptap_location *locations, size_t max);

/* The fields of a chunk; the offsets of what is wrong with them are those within the chunk. */
static inline struct wire pprof_chunk_wire(const struct profile_chunk *chunk)
{
    return (struct wire){chunk->bytes, chunk->bytes + chunk->size, chunk->bytes};
}

/* Such offsets become those of the file, in which the chunk begins at `offset`. */
enum heaptap_status pprof_at_chunk(enum heaptap_status status, uint64_t offset,
                                   struct heaptap_error *error);

#endif
