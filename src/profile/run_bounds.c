#include "profile/run_bounds.h"

#include "base/id_table.h"

enum { EVENTS_AT_ONCE = 256 };

struct live_block {
    uint64_t samples, first_half;
};

struct counting {
    struct id_table alive; /* by block: struct live_block */
    struct peak_tracker peak;
    struct estimate estimate;
};

static void count(struct counting *counting, uint32_t domain, const struct live_block *block,
                  int sign)
{
    peak_tracker_add(&counting->peak, domain, (int64_t)block->first_half,
                     (int64_t)(block->samples - block->first_half), sign);
}

static bool add(struct counting *counting, const struct heaptap_event *event)
{
    bool fresh;
    peak_tracker_move(&counting->peak, event->time_us);
    if (event->kind == HEAPTAP_ALLOC) {
        struct live_block *block = id_table_add(&counting->alive, event->id, &fresh);
        if (!block)
            return false;
        *block = (struct live_block){
            event->samples, peak_first_half(&counting->estimate, event->id, event->samples)};
        count(counting, event->domain, block, 1);
    } else if (event->kind != HEAPTAP_PROMOTE) {
        struct live_block *block = id_table_find(&counting->alive, event->id);
        if (!block)
            return true;
        count(counting, event->domain, block, -1);
        id_table_remove_found(&counting->alive, event->id, block);
    }
    return true;
}

int64_t run_end_us(const struct heaptap_reader *reader, int64_t last_us)
{
    static const uint64_t most = UINT64_C(1) << 60;
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    int64_t end_us = last_us;
    bool is_stopped = false;
    for (size_t i = 0; i < count; i++)
        is_stopped |= records[i].kind == HEAPTAP_STOPPED;
    enum heaptap_metadata_kind kind = is_stopped ? HEAPTAP_STOPPED : HEAPTAP_ENDED;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind && records[i].number < most &&
            (int64_t)records[i].number > end_us)
            end_us = (int64_t)records[i].number;
    return end_us;
}

bool run_bounds_read(struct run_bounds *bounds, struct heaptap_reader *reader)
{
    struct heaptap_event events[EVENTS_AT_ONCE];
    struct counting counting = {.estimate = estimate_of(heaptap_reader_info(reader))};
    size_t found = 0;
    bool done = true;
    id_table_init(&counting.alive, sizeof(struct live_block));
    peak_tracker_init(&counting.peak, counting.estimate.sample_rate);
    while (done &&
           heaptap_reader_next_many(reader, events, EVENTS_AT_ONCE, &found, NULL) == HEAPTAP_OK)
        for (size_t i = 0; done && i < found; i++)
            done = add(&counting, &events[i]);
    peak_tracker_finish(&counting.peak);
    bounds->end_us = run_end_us(reader, counting.peak.now_us);
    bounds->peak = counting.peak.peak;
    id_table_release(&counting.alive);
    return done;
}
