/* Which blocks of a trace pass a filter: for reports that go through its events, in whatever order,
 * and count those of some blocks alone.
 *
 * Two bits for each block of the trace are what this takes, so that the trace may be larger than memory.  They come from up to three
 * readings: where the run ends and has its peak, if the filter speaks of that; then the stacks and shapes that there are, with
 * their names, and which blocks pass by their times; then which of these pass by stack and shape, if the filter speaks of
 * those, too. */
#ifndef PROFILE_PASSING_BLOCKS_H
#define PROFILE_PASSING_BLOCKS_H

#include "base/map.h"
#include "heaptap/trace.h"
#include "profile/estimate.h"
#include "profile/filter.h"

enum { PASSING_PAGE_IDS = 1 << 10 };

struct passing_blocks {
    uint64_t **
        pages; /* of PASSING_PAGE_IDS neighbouring ids: which halves of each block's samples pass */
    size_t count, capacity;
    struct map page_of;       /* id / PASSING_PAGE_IDS -> index into pages */
    struct estimate estimate; /* the trace's */
    uint64_t whole;           /* blocks of the trace, whether they pass or not */
    uint64_t passing;         /* of them, those that pass */
    bool moves_births;        /* as in profile/matcher.h */
    bool moves_deaths;
    bool by_peak; /* they pass by the peak: as in struct matcher_life */
};

/* Reads what `reader`, of true order and with stacks, reads, to its end; damage is such an end, too: the
 * reading of the events that follows reports it.  `*reader` may be another one afterwards, and is NULL where it could not begin again.
 * HEAPTAP_BAD_ARGUMENT as of matcher_init.  On failure there is nothing to release. */
enum heaptap_status passing_blocks_init(struct passing_blocks *blocks,
                                        struct heaptap_reader **reader, const struct filter *filter,
                                        size_t *length,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void passing_blocks_release(struct passing_blocks *blocks);

/* Which halves of a block's samples pass: bits 1 << half, 0 where it doesn't. */
unsigned passing_blocks_halves(const struct passing_blocks *blocks, uint64_t id);

/* How many of the samples of a block pass: of one that is alive at one of the peak's times only, those of a half. */
uint64_t passing_blocks_samples(const struct passing_blocks *blocks, uint64_t id, uint64_t samples);

#endif
