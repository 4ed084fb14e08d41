/* A series of some blocks, made while the events of their trace stream by: memory follows what is alive.
 *
 * A model has all times of a block at once, and can look at its rows again for the peak.  Here a block is two events, and the peak
 * is followed as time goes on (profile/peak.h): whenever a half's curve is at its highest, what is alive then is noted, as
 * samples and as objects. */
#ifndef PROFILE_EVENT_SERIES_H
#define PROFILE_EVENT_SERIES_H

#include "base/id_table.h"
#include "profile/passing_blocks.h"
#include "profile/peak.h"
#include "profile/series.h"

/* Of samples of one half: sums of what model_shape has of a block. */
struct event_sum {
    double density, squares;
};

struct event_series {
    const struct passing_blocks *passing; /* of event_series_select */
    struct estimate estimate;
    struct series_builder *builder;
    struct id_table alive; /* event_series.c: struct living */
    struct peak_tracker tracker;
    struct event_sum live[PEAK_HALVES];
    struct event_sum then[PEAK_HALVES]; /* at the half's time */
    struct event_sum top[PEAK_HALVES];  /* at the highest point */
};

/* In `steps` steps of all of a run, whose end the model knows.  False when there is no memory; then there is nothing to
 * release. */
bool event_series_init(struct event_series *series, const struct model *model, size_t steps);
/* Which blocks pass; borrowed.  Before the first event. */
void event_series_select(struct event_series *series, const struct passing_blocks *passing);
void event_series_release(struct event_series *series);

/* Each event of the trace, in true order, passing or not: they are the time.  False when there is no memory. */
bool event_series_add(struct event_series *series, const struct heaptap_event *event);

/* After the last event, once: the caller's to release. */
struct series event_series_finish(struct event_series *series);

#endif
