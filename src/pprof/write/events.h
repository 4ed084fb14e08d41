/* Every event of a trace, for a pprof profile: docs/pprof-events.md says how they are coded. */
#ifndef PPROF_WRITE_EVENTS_H
#define PPROF_WRITE_EVENTS_H

#include "pprof/write/protobuf.h"
#include "profile/block_list.h"

enum { EVENT_COLUMNS = 8 };

struct pprof_events {
    const struct heaptap_trace_info *info; /* borrowed */
    struct text columns[EVENT_COLUMNS];    /* of the chunk being filled, packed */
    size_t count;                          /* events in it */
    bool begun;                            /* a chunk has been written */
    bool with_host;                        /* name the machine */
    bool failed;                           /* there was no memory */
    uint16_t domain;                       /* of the last event */
    int64_t time_us;                       /* of it */
    uint64_t last_id;                      /* of the last allocation */
    uint64_t *next_ids;                    /* by domain: what its next block should be */
    uint64_t sample_count;                 /* met so far */
    struct block_list blocks;
};

/* Release it in either case; false when there is no memory. */
bool pprof_events_init(struct pprof_events *events, const struct heaptap_trace_info *info,
                       bool with_host);
void pprof_events_release(struct pprof_events *events);

/* Codes an event.  `sample` numbers the sample of an allocation: samples come in the order of their
 * first blocks. */
void pprof_events_add(struct pprof_events *events, const struct heaptap_event *event,
                      uint64_t sample);

/* Is there enough for a chunk? */
static inline bool pprof_events_due(const struct pprof_events *events)
{
    return events->count >= 1 << 16;
}

/* Writes what is there as fields of an open chunk, and begins anew. */
void pprof_events_put(struct pprof_events *events, struct protobuf *out);

/* Writes metadata as fields of an open chunk. */
void pprof_events_put_metadata(const struct heaptap_metadata *records, size_t count,
                               struct protobuf *out);

static inline uint64_t pprof_events_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

#endif
