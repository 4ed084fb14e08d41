/* The figures of what a filter leaves: each object that passes tells its story as events, one
 * object after the other.  A summary depends on that order in its times and in its peak alone,
 * which are put right at the end. */
#include "analyze/summary.h"
#include "profile/live_peak.h"

/* The object's events go to `events`; how many they are. */
static size_t story_of(const struct matcher *matcher, size_t row, const struct matcher_life *life,
                       struct heaptap_event events[3])
{
    const struct model_object object = model_object(matcher->model, row);
    const struct model_shape *shape = object.shape;
    size_t count = 0;
    struct heaptap_event event = {.domain = shape->domain, .id = row};
    event.kind = HEAPTAP_ALLOC;
    event.time_us = life->born_us;
    event.source = (enum heaptap_source)shape->source;
    event.length = shape->words;
    event.samples = model_shape_samples(shape, life->halves);
    events[count++] = event;
    event.kind = HEAPTAP_PROMOTE;
    event.time_us = object.promoted_us;
    if (object.promoted_us != MODEL_NEVER && !matcher->moves_deaths)
        events[count++] = event;
    event.kind = HEAPTAP_COLLECT;
    event.time_us = life->died_us;
    if (life->died_us != MODEL_NEVER)
        events[count++] = event;
    return count;
}

static bool add_objects(struct summary *summary, const struct matcher *matcher)
{
    struct heaptap_event events[3];
    struct matcher_life life;
    for (size_t row = 0; row < matcher->model->objects.count; row++)
        if (matcher_object(matcher, row, &life) &&
            !summary_add(summary, events, story_of(matcher, row, &life, events)))
            return false;
    return true;
}

bool summary_init_filtered(struct summary *summary, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct live_peak found;
    if (!summary_init(summary, &model->info) || !add_objects(summary, matcher) ||
        !live_peak_find(&found, matcher, 0, model->end_us + 1))
        return false;
    summary_finish(summary);
    summary->peak = found.peak;
    summary->last_us = summary->final_us = model->end_us;
    return true;
}
