/* Which blocks of a trace pass a filter: for reports that go through its events, in whatever order,
 * and count those of some blocks alone. */
#ifndef PROFILE_PASSING_BLOCKS_H
#define PROFILE_PASSING_BLOCKS_H

#include "base/id_table.h"
#include "heaptap/trace.h"
#include "profile/filter.h"

struct passing_blocks {
    struct id_table ids; /* of blocks that pass: which halves of their samples, a byte */
    double sample_rate;
    size_t whole;      /* blocks of the trace, whether they pass or not */
    bool moves_births; /* as in profile/matcher.h */
    bool moves_deaths;
};

/* Reads `reader`, of true order and with stacks, to its end; damage is such an end, too, for
 * whoever reads the events to tell of.  HEAPTAP_BAD_ARGUMENT as of matcher_init.  On failure there
 * is nothing to release. */
enum heaptap_status passing_blocks_init(struct passing_blocks *blocks,
                                        struct heaptap_reader *reader, const struct filter *filter,
                                        size_t *length,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void passing_blocks_release(struct passing_blocks *blocks);

/* How many of the samples of a block pass: of one that is alive at one of the peak's times only, those of a half. */
uint64_t passing_blocks_samples(const struct passing_blocks *blocks, uint64_t id, uint64_t samples);

static inline bool passing_blocks_have(const struct passing_blocks *blocks, uint64_t id)
{
    return id_table_find(&blocks->ids, id);
}

#endif
