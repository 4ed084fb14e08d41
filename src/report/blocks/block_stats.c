#include "report/blocks/block_stats.h"

#include <stdlib.h>

/* A block that is alive. */
struct living {
    uint64_t tick; /* when it began; means something when it is kept */
    int64_t begin_us;
    uint64_t words, samples;
    bool kept; /* not yet, with major_only, while it is in the minor heap */
};

void block_stats_init(struct block_stats *stats, const struct heaptap_trace_info *info,
                      bool major_only, bool estimated, bool only_counted)
{
    *stats = (struct block_stats){
        .major_only = major_only,
        .estimated = estimated,
        .estimate = estimate_of(info),
    };
    size_stats_init(&stats->sizes, estimated ? &stats->estimate : NULL);
    stats->sizes.only_counts = only_counted;
    stats->in_events.only_counts = stats->in_us.only_counts = only_counted;
    id_table_init(&stats->blocks, sizeof(struct living));
}

void block_stats_release(struct block_stats *stats)
{
    size_stats_release(&stats->sizes);
    lifetimes_release(&stats->in_events);
    lifetimes_release(&stats->in_us);
    id_table_release(&stats->blocks);
}

static void tick(struct block_stats *stats)
{
    stats->ticks++;
    stats->last_us = stats->now_us;
}

static bool begin(struct block_stats *stats, struct living *block)
{
    tick(stats);
    block->kept = true;
    block->tick = stats->ticks;
    block->begin_us = stats->now_us;
    return size_stats_add(&stats->sizes, block->words, block->samples);
}

static double weight_of(const struct block_stats *stats, const struct living *block)
{
    return stats->estimated
               ? estimate_objects(&stats->estimate, (double)block->samples, (double)block->words)
               : 1;
}

static bool end(struct block_stats *stats, const struct living *block, uint64_t end_tick)
{
    double weight = weight_of(stats, block);
    uint64_t us = (uint64_t)stats->last_us - (uint64_t)block->begin_us;
    return lifetimes_add(&stats->in_events, end_tick - block->tick, weight, stats->estimated) &&
           lifetimes_add(&stats->in_us, us, weight, stats->estimated);
}

static bool add_allocation(struct block_stats *stats, const struct heaptap_event *event)
{
    bool fresh;
    struct living *block = id_table_put(&stats->blocks, event->id, &fresh);
    if (!block)
        return false;
    *block = (struct living){.words = event->length, .samples = event->samples};
    return stats->major_only && event->source == HEAPTAP_MINOR ? true : begin(stats, block);
}

static bool add_promotion(struct block_stats *stats, const struct heaptap_event *event)
{
    if (!stats->major_only)
        return true;
    struct living *block = id_table_find(&stats->blocks, event->id);
    if (!block || block->kept) {
        stats->unknown_promotions++;
        return true;
    }
    return begin(stats, block);
}

static bool add_collection(struct block_stats *stats, const struct heaptap_event *event)
{
    const struct living *block = id_table_find(&stats->blocks, event->id);
    bool done = true;
    if (!block) {
        stats->unknown_collections++;
        return true;
    }
    if (block->kept) {
        tick(stats);
        done = end(stats, block, stats->ticks);
    }
    id_table_remove(&stats->blocks, event->id);
    return done;
}

bool block_stats_add(struct block_stats *stats, const struct heaptap_event *event)
{
    if (!stats->started || event->time_us > stats->now_us)
        stats->now_us = event->time_us;
    stats->started = true;
    switch (event->kind) {
    case HEAPTAP_ALLOC:
        return add_allocation(stats, event);
    case HEAPTAP_PROMOTE:
        return add_promotion(stats, event);
    case HEAPTAP_COLLECT:
        return add_collection(stats, event);
    case HEAPTAP_EXIT:
        break; /* it survives its process */
    }
    return true;
}

static void end_survivor(void *context, uint64_t id, void *record)
{
    struct block_stats *stats = context;
    const struct living *block = record;
    (void)id;
    if (!block->kept)
        return;
    stats->survivors++;
    stats->survivor_weight += weight_of(stats, block);
    if (!end(stats, block, stats->ticks + 1))
        stats->failed = true;
}

bool block_stats_finish(struct block_stats *stats)
{
    id_table_each(&stats->blocks, end_survivor, stats);
    return !stats->failed;
}

bool block_stats_look_again(struct block_stats *stats, size_t parts)
{
    id_table_release(&stats->blocks);
    id_table_init(&stats->blocks, sizeof(struct living));
    stats->ticks = stats->survivors = 0;
    stats->unknown_promotions = stats->unknown_collections = 0;
    stats->now_us = stats->last_us = 0;
    stats->survivor_weight = 0;
    stats->started = false;
    lifetimes_look_again(&stats->in_events);
    lifetimes_look_again(&stats->in_us);
    return size_stats_look_again(&stats->sizes, parts);
}
