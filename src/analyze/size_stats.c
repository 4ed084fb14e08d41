#include "analyze/size_stats.h"

#include <stdlib.h>

#include "base/array.h"

struct size_class {
    uint64_t words, samples;
    double weight;  /* of one block */
    uint64_t count; /* blocks */
    uint32_t next;  /* of the classes whose hash is the same; UINT32_MAX for none */
};

void size_stats_init(struct size_stats *stats, const struct estimate *estimate)
{
    *stats = (struct size_stats){0};
    if (estimate) {
        stats->estimate = *estimate;
        stats->estimated = true;
    }
}

void size_stats_release(struct size_stats *stats)
{
    map_release(&stats->by_key);
    free(stats->classes);
    free(stats->sequence);
    *stats = (struct size_stats){0};
}

/* ---- Adding */

static bool new_class(struct size_stats *stats, uint64_t words, uint64_t samples)
{
    if (!ARRAY_RESERVE(&stats->classes, &stats->class_capacity, stats->class_count + 1))
        return false;
    double weight =
        stats->estimated ? estimate_objects(&stats->estimate, (double)samples, (double)words) : 1;
    stats->classes[stats->class_count++] =
        (struct size_class){words, samples, weight, 0, UINT32_MAX};
    return true;
}

/* The number of a class, perhaps a new one; UINT32_MAX when there is no memory. */
static uint32_t class_of(struct size_stats *stats, uint64_t words, uint64_t samples)
{
    uint64_t key = words ^ samples << 40 ^ samples >> 24;
    uint32_t added = (uint32_t)stats->class_count;
    bool fresh;
    uint32_t *first = map_put(&stats->by_key, key, added, &fresh);
    if (!first)
        return UINT32_MAX;
    uint32_t at = fresh ? UINT32_MAX : *first, last = at;
    for (; at != UINT32_MAX; last = at, at = stats->classes[at].next)
        if (stats->classes[at].words == words && stats->classes[at].samples == samples)
            return at;
    if (!new_class(stats, words, samples))
        return UINT32_MAX;
    if (last != UINT32_MAX)
        stats->classes[last].next = added;
    return added;
}

bool size_stats_add(struct size_stats *stats, uint64_t words, uint64_t samples)
{
    uint32_t class = class_of(stats, words, stats->estimated ? samples : 1);
    if (class == UINT32_MAX || !ARRAY_RESERVE(&stats->sequence, &stats->capacity, stats->count + 1))
        return false;
    stats->classes[class].count++;
    stats->sequence[stats->count++] = class;
    return true;
}

/* ---- Looking */

/* `counts` blocks of each class; `scratch` has room for as many values as there are classes. */
static struct size_part part_of(const struct size_stats *stats, const uint64_t *counts,
                                struct weighted_value *scratch)
{
    struct size_part part = {0};
    for (size_t i = 0; i < stats->class_count; i++) {
        const struct size_class *class = &stats->classes[i];
        scratch[i] = (struct weighted_value){class->words, class->weight * (double)counts[i]};
        part.blocks += counts[i];
        if (class->words > SIZE_STATS_SMALL_MAX_WORDS)
            part.large += scratch[i].weight;
    }
    part.spread = spread_of(scratch, stats->class_count);
    return part;
}

/* Cuts the sequence into stretches of `length` blocks. */
static bool cut(const struct size_stats *stats, size_t length, struct size_part *list,
                size_t *count)
{
    size_t classes = stats->class_count + 1;
    uint64_t *counts = calloc(classes, sizeof *counts);
    struct weighted_value *scratch = calloc(classes, sizeof *scratch);
    bool done = counts && scratch;
    *count = 0;
    for (size_t i = 0; done && i < stats->count; i++) {
        counts[stats->sequence[i]]++;
        if ((i + 1) % length != 0 && i + 1 != stats->count)
            continue;
        list[(*count)++] = part_of(stats, counts, scratch);
        for (size_t k = 0; k < classes; k++)
            counts[k] = 0;
    }
    free(counts);
    free(scratch);
    return done;
}

bool size_stats_whole(const struct size_stats *stats, struct size_part *whole)
{
    size_t count;
    *whole = (struct size_part){0};
    return stats->count == 0 || cut(stats, stats->count, whole, &count);
}

bool size_stats_parts(const struct size_stats *stats, size_t parts, struct size_part *list,
                      size_t *count)
{
    size_t length = stats->count / parts + (stats->count % parts != 0);
    *count = 0;
    return stats->count == 0 || cut(stats, length, list, count);
}

static int by_value(const void *a, const void *b)
{
    const struct weighted_value *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

static bool list_sizes(const struct size_stats *stats, bool as_blocks, struct weighted_value **list,
                       size_t *count)
{
    struct weighted_value *sizes = calloc(stats->class_count + 1, sizeof *sizes);
    *list = sizes;
    *count = 0;
    if (!sizes)
        return false;
    for (size_t i = 0; i < stats->class_count; i++)
        sizes[i] = (struct weighted_value){stats->classes[i].words,
                                           (as_blocks ? 1 : stats->classes[i].weight) *
                                               (double)stats->classes[i].count};
    qsort(sizes, stats->class_count, sizeof *sizes, by_value);
    for (size_t i = 0; i < stats->class_count; i++) {
        if (*count > 0 && sizes[*count - 1].value == sizes[i].value)
            sizes[*count - 1].weight += sizes[i].weight;
        else
            sizes[(*count)++] = sizes[i];
    }
    return true;
}

bool size_stats_by_size(const struct size_stats *stats, struct weighted_value **list, size_t *count)
{
    return list_sizes(stats, false, list, count);
}

bool size_stats_blocks_by_size(const struct size_stats *stats, struct weighted_value **list,
                               size_t *count)
{
    return list_sizes(stats, true, list, count);
}
