#include "profile/event_series.h"

#include "profile/live_peak.h"

/* A block that is alive, or, where births are moved to promotions, waits for its own. */
struct living {
    uint64_t first, second; /* samples that pass, of each half */
    uint64_t length;
    enum heaptap_source source;
    bool is_born;
};

bool event_series_init(struct event_series *series, const struct model *model, size_t steps)
{
    *series = (struct event_series){.estimate = model->estimate};
    series->builder = series_builder_new(model, steps);
    id_table_init(&series->alive, sizeof(struct living));
    peak_tracker_init(&series->tracker, model->estimate.sample_rate);
    return series->builder;
}

void event_series_select(struct event_series *series, const struct passing_blocks *passing)
{
    series->passing = passing;
    if (passing->moves_births || passing->moves_deaths)
        peak_tracker_init_open(&series->tracker, series->estimate.sample_rate);
}

void event_series_release(struct event_series *series)
{
    series_builder_free(series->builder);
    id_table_release(&series->alive);
}

/* ---- Time ---------------------------------------------------------------------------- */

/* What the tracker has noted of samples since `highest` was the highest is noted of densities. */
static void note_densities(struct event_series *series, int64_t highest)
{
    const struct peak_tracker *tracker = &series->tracker;
    if (tracker->is_exact && tracker->peak.highest != highest)
        series->top[0] = series->live[0];
    for (int half = 0; !tracker->is_exact && half < PEAK_HALVES; half++) {
        if (tracker->is_higher)
            series->top[half] = series->live[half];
        if (tracker->chose[half])
            series->then[half] = series->live[half];
    }
}

/* The microsecond is over. */
static void note(struct event_series *series)
{
    int64_t highest = series->tracker.peak.highest;
    peak_tracker_note(&series->tracker);
    note_densities(series, highest);
}

static void move(struct event_series *series, int64_t time_us)
{
    if (time_us <= series->tracker.now_us)
        return;
    note(series);
    series->tracker.now_us = time_us;
}

/* ---- Blocks -------------------------------------------------------------------------- */

static void add_half(struct event_sum *sum, double samples, double weight, int sign)
{
    sum->density += sign * samples * weight;
    sum->squares += sign * samples * weight * weight;
}

/* The block begins (1) or ends (-1), now. */
static void change(struct event_series *series, uint32_t domain, const struct living *block,
                   int sign)
{
    int64_t highest = series->tracker.peak.highest;
    uint64_t samples = block->first + block->second;
    double words = (double)block->length + series->estimate.header_words;
    double weight = words > 0 ? 1 / words : 1; /* of a sample, as density */
    bool by_peak = series->passing->by_peak;
    struct series_part part = {
        .samples = samples,
        .seen_blocks = !by_peak,
        .seen_words =
            by_peak ? 0 : estimate_seen_words(&series->estimate, block->length, block->source),
        .density = (double)samples * weight,
        .squares = (double)samples * weight * weight};
    peak_tracker_add(&series->tracker, domain, (int64_t)block->first, (int64_t)block->second, sign);
    add_half(&series->live[0], (double)block->first, weight, sign);
    add_half(&series->live[1], (double)block->second, weight, sign);
    for (int half = 0; half < PEAK_HALVES; half++)
        if (series->tracker.live[half] == 0)
            series->live[half] = (struct event_sum){0}; /* of rounding, nothing is left */
    if (!series->tracker.is_open)
        note_densities(series, highest);
    series_builder_change(series->builder, series->tracker.now_us, &part, sign);
}

static struct living living_of(const struct event_series *series, const struct heaptap_event *event,
                               unsigned halves)
{
    uint64_t first = peak_first_half(&series->estimate, event->id, event->samples);
    return (struct living){
        .first = halves & 1 ? first : 0,
        .second = halves & 2 ? event->samples - first : 0,
        .length = event->length,
        .source = event->source,
        .is_born = !(series->passing->moves_births && event->source == HEAPTAP_MINOR),
    };
}

static bool add_allocation(struct event_series *series, const struct heaptap_event *event)
{
    bool fresh;
    estimate_see(&series->estimate, event->length);
    unsigned halves = passing_blocks_halves(series->passing, event->id);
    struct living *block = halves ? id_table_add(&series->alive, event->id, &fresh) : NULL;
    if (!block)
        return !halves;
    *block = living_of(series, event, halves);
    if (block->is_born)
        change(series, event->domain, block, 1);
    return true;
}

static void end(struct event_series *series, const struct heaptap_event *event,
                struct living *block)
{
    if (block->is_born)
        change(series, event->domain, block, -1);
    id_table_remove_found(&series->alive, event->id, block);
}

static void promote(struct event_series *series, const struct heaptap_event *event,
                    struct living *block)
{
    if (block->source != HEAPTAP_MINOR)
        return;
    if (!block->is_born) {
        block->is_born = true;
        change(series, event->domain, block, 1);
    } else if (series->passing->moves_deaths) {
        end(series, event, block);
    }
}

bool event_series_add(struct event_series *series, const struct heaptap_event *event)
{
    move(series, event->time_us);
    if (event->kind == HEAPTAP_ALLOC)
        return add_allocation(series, event);
    struct living *block = id_table_find(&series->alive, event->id);
    if (block && event->kind == HEAPTAP_PROMOTE)
        promote(series, event, block);
    else if (block)
        end(series, event, block);
    return true;
}

/* ---- The end ------------------------------------------------------------------------- */

struct series event_series_finish(struct event_series *series)
{
    struct peak_tracker *tracker = &series->tracker;
    struct live_peak found = {0};
    note(series);
    peak_tracker_finish(tracker);
    found.peak = tracker->peak;
    for (int half = 0; half < PEAK_HALVES; half++) {
        const struct event_sum *top = &series->top[half];
        const struct event_sum *chosen = found.peak.is_at_end         ? &series->live[half]
                                         : tracker->highest[half] > 0 ? &series->then[half]
                                                                      : top;
        found.density += chosen->density;
        found.squares += chosen->squares;
        found.highest_density += top->density;
        found.highest_squares += top->squares;
    }
    struct series made = series_builder_take(series->builder, &series->estimate, &found);
    series->builder = NULL;
    return made;
}
