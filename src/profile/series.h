/* What the objects that a filter leaves come to over time: live bytes, and allocation and
 * collection by steps of equal length. */
#ifndef PROFILE_SERIES_H
#define PROFILE_SERIES_H

#include "profile/matcher.h"

struct series_sum {
    double bytes, objects; /* estimated */
    double samples;        /* on which they rest */
    double squares;        /* of the weights of these as objects: estimate_sum.squares */
    double seen_blocks,
        seen_bytes; /* the sampled blocks by themselves: estimate_sum.least; 0 of a peak */
};

struct series_step {
    struct series_sum live; /* at the end of the step */
    struct series_sum allocated, collected;
};

struct series {
    int64_t from_us, to_us; /* the first microsecond, and the one behind the last */
    struct series_step *steps;
    size_t count;
    struct series_sum before; /* alive when the series begins */
    struct series_sum
        peak; /* the most that was alive at once: an estimate without bias (profile/peak.h) */
    struct series_sum
        highest; /* the highest point of the curve, which is above the peak where few samples make it */
    struct estimate_range peak_range, peak_objects_range; /* 95 % bounds of its bytes and objects */
    int64_t peak_us;                                      /* its time, the earliest */
    struct estimate estimate;
};

/* 95 % bounds of a sum. */
struct estimate_range series_bytes_range(const struct series *series, const struct series_sum *sum);
struct estimate_range series_objects_range(const struct series *series,
                                           const struct series_sum *sum);

/* Step i lasts from series_step_us(i) to before series_step_us(i + 1).  0 <= from < to;
 * model->end_us + 1 for all of it.  False when there is no memory; then there is nothing to
 * release. */
bool series_init(struct series *series, const struct matcher *matcher, int64_t from_us,
                 int64_t to_us, size_t count);
/* The same with a peak that is the highest end of a step: for pictures, which draw no more, and
 * have the exact one from elsewhere; it saves some looks at all objects. */
bool series_init_steps(struct series *series, const struct matcher *matcher, int64_t from_us,
                       int64_t to_us, size_t count);
void series_release(struct series *series);

/* ---- Made while blocks end (profile/folded_rows.h), or event by event (profile/event_series.h) ---- */

struct series_builder;

/* All of a run whose end the model knows, in so many steps.  NULL when there is no memory. */
struct series_builder *series_builder_new(const struct model *model, size_t count);
/* The same of a part of the run, whose end is not included. */
struct series_builder *series_builder_new_part(const struct model *model, int64_t from_us,
                                               int64_t to_us, size_t count);
void series_builder_add(struct series_builder *builder, const struct matcher_life *life,
                        const struct model_shape *shape);

/* What a step, or an event, adds to a series or takes from it. */
struct series_part {
    uint64_t samples;
    uint64_t seen_blocks, seen_words; /* estimate_seen_words; 0 of blocks that pass by a peak */
    double density, squares;          /* of the samples, as a model_shape has them */
};

/* So much begins (1) or ends (-1) at a time of the run. */
void series_builder_change(struct series_builder *builder, int64_t time_us,
                           const struct series_part *part, int sign);

/* The series of all that was added, with a peak that was found on the way and the estimate of all samples; frees the builder. */
struct live_peak;
struct series series_builder_take(struct series_builder *builder, const struct estimate *estimate,
                                  const struct live_peak *peak);

/* The same with the estimate of the model and a peak as series_init_steps has it. */
struct series series_builder_take_steps(struct series_builder *builder);

/* Makes the series once the model is read: `matcher` is of a folded model that was asked for what is alive at the peak, and lets
 * everything pass.  What is alive at the end is counted here.  False when there is no memory; frees the builder. */
bool series_builder_finish(struct series_builder *builder, struct series *series,
                           const struct matcher *matcher);
void series_builder_free(struct series_builder *builder);

static inline int64_t series_step_us(const struct series *series, size_t step)
{
    return series->from_us + (int64_t)((double)(series->to_us - series->from_us) *
                                       ((double)step / (double)series->count));
}

#endif
