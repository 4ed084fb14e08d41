/* What becomes of a trace's blocks, as its events tell it: block groups filled by a reader. */
#ifndef PPROF_WRITE_BLOCK_FATES_H
#define PPROF_WRITE_BLOCK_FATES_H

#include "pprof/write/block_groups.h"
#include "base/id_table.h"

struct block_fates {
    struct block_groups groups; /* complete when block_fates_finish has been called */
    struct stack_paths paths;
    bool keeps_collected;   /* the runtime has a minor heap: see block_fates.c */
    struct id_table blocks; /* block_fates.c: struct block */
    struct id_table early;  /* block_fates.c: struct early_end */
    uint32_t last_group;    /* of the last allocation */
};

/* Release it in either case; false when there is no memory. */
bool block_fates_init(struct block_fates *fates, const struct heaptap_trace_info *info);
void block_fates_release(struct block_fates *fates);

/* Every event of a reader that decodes stacks, in either order.  False when there is no memory. */
bool block_fates_add(struct block_fates *fates, const struct heaptap_event *event);

/* To be called at the end: counts what is alive, which has lived until the run ended, and forgets the blocks. */
void block_fates_finish(struct block_fates *fates, int64_t end_us);

#endif
