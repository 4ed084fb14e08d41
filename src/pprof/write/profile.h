/* A pprof profile of a trace's allocations, as one protocol buffer (uncompressed).
 *
 * Sample types, in this order: alloc_objects/count, alloc_space/bytes, inuse_objects/count,
 * inuse_space/bytes, lifetime/nanoseconds, promoted_objects/count, promoted_space/bytes.  All are
 * estimates (profile/estimate.h).  In use is what is alive at the end of the trace.  The lifetime
 * of a sample is the sum of those of its objects, up to the end of the trace: divided by
 * alloc_objects, as `pprof -mean` does, it is the mean time for which an object was seen alive.
 * Where the sum over all samples would pass 2^62 nanoseconds, its unit is coarser: microseconds,
 * milliseconds or seconds.
 *
 * Each estimate is rounded with what the rounding before it left over, so that totals are those of
 * the trace to within one half, however many samples a profile has. */
#ifndef PPROF_WRITE_PROFILE_H
#define PPROF_WRITE_PROFILE_H

#include "pprof/write/block_groups.h"
#include "pprof/write/events.h"
#include "profile/symbols.h"

struct pprof_writing;

/* Everything is borrowed. */
struct pprof_export {
    const struct block_groups *groups; /* finished */
    struct pprof_events *events;       /* NULL, or what codes the events: then the columns behind
                                          inuse_space are left out, as the events tell them */
    int (*read)(void *context, struct pprof_writing *writing); /* with events: reads the trace */
    void *read_context; /* only now, into `groups` and `events`, fills in the rest of this struct,
                           and calls pprof_export_chunk whenever a chunk is due; 0 or an errno */
    const struct heaptap_trace_info *info;
    const struct frame_source *frames;
    const struct heaptap_metadata *metadata;
    size_t metadata_count;
    const char *filter; /* what the groups passed, told in a comment; NULL or "" for none */
    bool no_sizes;      /* one sample a stack, without the label `bytes` */
    bool unsymbolized;  /* addresses and mappings alone, wherever a frame's module is known */
    bool with_host;     /* name the machine in a comment */
    bool complete;      /* the trace could be read to its end */
};

/* Can the trace be written unsymbolized: does it know its modules? */
bool pprof_export_has_modules(const struct pprof_export *export);

void pprof_export_chunk(struct pprof_writing *writing);

/* 0, or the errno with which the sink or memory failed. */
int pprof_export_write(const struct pprof_export *export, struct heaptap_sink sink);

#endif
