/* Sizes and lifetimes of a trace's blocks, from its events in true order. */
#ifndef REPORT_BLOCKS_BLOCK_STATS_H
#define REPORT_BLOCKS_BLOCK_STATS_H

#include "report/blocks/lifetimes.h"
#include "report/blocks/size_stats.h"
#include "base/id_table.h"
#include "heaptap/trace.h"

/* A block is kept from its allocation to its collection.  With `major_only` its life begins when it
 * enters the major heap, or is allocated there or outside the heap; what never does isn't kept.
 *
 * Time is counted in two ways.  In events: each beginning and each end of a kept block is one tick of
 * a clock, and a block that is alive at the end ends one tick after the last.  In microseconds:
 * such a block ends with the last beginning or end of any.  The clock doesn't step back: an event
 * that is earlier than one before it counts as at the same time. */
struct block_stats {
    bool major_only;
    bool estimated; /* a block counts as the blocks it stands for; else as one */
    struct estimate estimate;
    struct size_stats sizes; /* in the order in which kept blocks began */
    struct lifetimes in_events, in_us;
    uint64_t ticks;               /* so far */
    int64_t now_us;               /* of the latest event */
    int64_t last_us;              /* of the latest tick */
    uint64_t survivors;           /* kept blocks that are alive at the end */
    double survivor_weight;       /* the same as they count */
    uint64_t unknown_promotions;  /* with major_only: of blocks not known to be in the minor heap */
    uint64_t unknown_collections; /* of blocks not known to be alive */
    struct id_table blocks;       /* block_stats.c: struct living */
    bool started;                 /* now_us means something */
    bool failed;                  /* while survivors were added */
};

/* What is `only_counted` takes as much memory as what is alive, and must be looked at again before figures are asked for. */
void block_stats_init(struct block_stats *stats, const struct heaptap_trace_info *info,
                      bool major_only, bool estimated, bool only_counted);
void block_stats_release(struct block_stats *stats);

/* False when there is no memory. */
bool block_stats_add(struct block_stats *stats, const struct heaptap_event *event);

/* Ends what is alive.  False when there is no memory. */
bool block_stats_finish(struct block_stats *stats);

/* All events have been added, of stats whose sizes and lifetimes are only counted: they will be added once more, from the first on,
 * and finished again.  `parts` as of stats_report_init.  False when there is no memory. */
bool block_stats_look_again(struct block_stats *stats, size_t parts);

#endif
