#include "report/blocks/size_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

struct size_class {
    uint64_t words, samples;
    double weight;  /* of one block */
    uint64_t count; /* blocks */
    uint32_t next;  /* of the classes whose hash is the same; UINT32_MAX for none */
};

/* Parts that are being made. */
struct size_cut {
    size_t length;                  /* of a part */
    size_t seen;                    /* blocks so far */
    uint64_t *counts;               /* by class: blocks of the part so far */
    struct weighted_value *scratch; /* room for a value of each class */
    struct size_part *list;
    size_t count;
};

static void cut_free(struct size_cut *cut)
{
    if (!cut)
        return;
    free(cut->counts);
    free(cut->scratch);
    free(cut->list);
    free(cut);
}

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
    cut_free(stats->cut);
    *stats = (struct size_stats){0};
}

/* ---- Classes */

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

/* ---- Parts */

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

/* To cut what has been counted into `parts`.  NULL when there is no memory. */
static struct size_cut *cut_new(const struct size_stats *stats, size_t parts)
{
    struct size_cut *cut = calloc(1, sizeof *cut);
    if (!cut)
        return NULL;
    cut->length = stats->count / parts + (stats->count % parts != 0);
    cut->counts = calloc(stats->class_count + 1, sizeof *cut->counts);
    cut->scratch = calloc(stats->class_count + 1, sizeof *cut->scratch);
    cut->list = calloc(parts, sizeof *cut->list);
    if (cut->counts && cut->scratch && cut->list)
        return cut;
    cut_free(cut);
    return NULL;
}

/* The next block is of this class. */
static void cut_add(struct size_cut *cut, const struct size_stats *stats, uint32_t class)
{
    cut->counts[class]++;
    if (++cut->seen % cut->length != 0 && cut->seen != stats->count)
        return;
    cut->list[cut->count++] = part_of(stats, cut->counts, cut->scratch);
    memset(cut->counts, 0, stats->class_count * sizeof *cut->counts);
}

bool size_stats_look_again(struct size_stats *stats, size_t parts)
{
    stats->cut = cut_new(stats, parts);
    return stats->cut;
}

/* ---- Adding, and looking at the whole */

bool size_stats_add(struct size_stats *stats, uint64_t words, uint64_t samples)
{
    uint32_t class = class_of(stats, words, stats->estimated ? samples : 1);
    if (class == UINT32_MAX)
        return false;
    if (stats->cut) {
        cut_add(stats->cut, stats, class);
        return true;
    }
    if (!stats->only_counts && !ARRAY_RESERVE(&stats->sequence, &stats->capacity, stats->count + 1))
        return false;
    stats->classes[class].count++;
    if (!stats->only_counts)
        stats->sequence[stats->count] = class;
    stats->count++;
    return true;
}

bool size_stats_whole(const struct size_stats *stats, struct size_part *whole)
{
    uint64_t *counts = calloc(stats->class_count + 1, sizeof *counts);
    struct weighted_value *scratch = calloc(stats->class_count + 1, sizeof *scratch);
    bool done = counts && scratch;
    *whole = (struct size_part){0};
    for (size_t i = 0; done && i < stats->class_count; i++)
        counts[i] = stats->classes[i].count;
    if (done && stats->count > 0)
        *whole = part_of(stats, counts, scratch);
    free(counts);
    free(scratch);
    return done;
}

bool size_stats_parts(struct size_stats *stats, size_t parts, struct size_part *list, size_t *count)
{
    *count = 0;
    if (stats->count == 0)
        return true;
    struct size_cut *cut = stats->cut ? stats->cut : cut_new(stats, parts);
    if (!cut)
        return false;
    for (size_t i = 0; !stats->only_counts && i < stats->count; i++)
        cut_add(cut, stats, stats->sequence[i]);
    memcpy(list, cut->list, cut->count * sizeof *list);
    *count = cut->count;
    if (!stats->cut)
        cut_free(cut);
    return true;
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
    qsort(sizes, stats->class_count, sizeof *sizes, order_numbers);
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
