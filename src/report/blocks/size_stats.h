/* The sizes of blocks in the order in which they came: as a whole, and part by part. */
#ifndef REPORT_BLOCKS_SIZE_STATS_H
#define REPORT_BLOCKS_SIZE_STATS_H

#include <stdbool.h>

#include "report/blocks/spread.h"
#include "base/map.h"
#include "profile/estimate.h"

/* Blocks above this many words are large. */
enum { SIZE_STATS_SMALL_MAX_WORDS = 256 };

struct size_class;
struct size_cut;

/* Blocks of one size and as many samples are one class.  The order, which only parts ask for, is a sequence of classes, 4 bytes a
 * block; or blocks come by a second time, when it is known how many they are. */
struct size_stats {
    bool only_counts; /* set before the first: no order is kept */
    struct estimate estimate;
    bool estimated; /* a block counts as the blocks it stands for; else as one */
    struct size_class *classes;
    size_t class_count, class_capacity;
    struct map by_key;  /* hash of size and samples -> first class of a chain */
    uint32_t *sequence; /* of classes */
    size_t count, capacity;
    struct size_cut *cut; /* of the second look; NULL before */
};

/* What a stretch of the sequence comes to. */
struct size_part {
    uint64_t blocks; /* sampled ones */
    struct spread spread;
    double large; /* weight of large blocks */
};

/* `estimate` NULL: each block counts once. */
void size_stats_init(struct size_stats *stats, const struct estimate *estimate);
void size_stats_release(struct size_stats *stats);

/* False when there is no memory. */
bool size_stats_add(struct size_stats *stats, uint64_t words, uint64_t samples);

/* All blocks.  False when there is no memory, here and below. */
bool size_stats_whole(const struct size_stats *stats, struct size_part *whole);

/* All blocks have been added, and only counted: they will be added once more, in the same order, to be cut into parts as
 * size_stats_parts says.  False when there is no memory. */
bool size_stats_look_again(struct size_stats *stats, size_t parts);

/* The sequence cut into parts of ceil(blocks / parts) blocks each, the last with what is left.
 * `*count` of them, at most `parts`, are written to `list`.  After a second look, it was asked
 * for as many. */
bool size_stats_parts(struct size_stats *stats, size_t parts, struct size_part *list,
                      size_t *count);

/* Each size that occurs with its weight, ascending; `*list` is malloc'ed, the caller's. */
bool size_stats_by_size(const struct size_stats *stats, struct weighted_value **list,
                        size_t *count);

/* The same with the number of blocks of each size, whatever they stand for. */
bool size_stats_blocks_by_size(const struct size_stats *stats, struct weighted_value **list,
                               size_t *count);

#endif
