/* Counts are in samples, whole numbers, so that ups and downs cancel out. */
#include "profile/series.h"

#include <stdlib.h>

#include "profile/live_peak.h"

/* Changes of one step. */
struct change {
    struct series_part born, died;
};

struct series_builder {
    struct series *series;
    struct series own; /* of a builder that is made before its series is asked for */
    struct change *changes;
    struct change before;
    int64_t *edges; /* where each step begins, and where the last one ends */
    double steps_per_us;
};

/* The step of a time of the series; the product is right but for rounding, so look beside. */
static size_t step_of(const struct series_builder *walk, int64_t time_us)
{
    const struct series *series = walk->series;
    size_t step = (size_t)((double)(time_us - series->from_us) * walk->steps_per_us);
    step = step < series->count ? step : series->count - 1;
    while (time_us < walk->edges[step])
        step--;
    while (time_us >= walk->edges[step + 1])
        step++;
    return step;
}

static bool init_edges(struct series_builder *walk)
{
    const struct series *series = walk->series;
    walk->edges = malloc((series->count + 1) * sizeof *walk->edges);
    for (size_t i = 0; walk->edges && i < series->count; i++)
        walk->edges[i] = series_step_us(series, i);
    if (walk->edges)
        walk->edges[series->count] = series->to_us;
    walk->steps_per_us = (double)series->count / (double)(series->to_us - series->from_us);
    return walk->edges;
}

/* The step of a time before the series' end, or what is before it. */
static struct change *change_at(struct series_builder *walk, int64_t time_us)
{
    return time_us < walk->series->from_us ? &walk->before : &walk->changes[step_of(walk, time_us)];
}

/* Adds it (1), or takes it away (-1). */
static void add_part(struct series_part *to, const struct series_part *part, int sign)
{
    to->samples += (uint64_t)sign * part->samples;
    to->seen_blocks += (uint64_t)sign * part->seen_blocks;
    to->seen_words += (uint64_t)sign * part->seen_words;
    to->density += sign * part->density;
    to->squares += sign * part->squares;
}

void series_builder_change(struct series_builder *walk, int64_t time_us,
                           const struct series_part *part, int sign)
{
    struct change *change = change_at(walk, time_us);
    add_part(sign > 0 ? &change->born : &change->died, part, 1);
}

static void count_row(struct series_builder *walk, const struct matcher_life *life,
                      const struct model_shape *shape)
{
    struct series_part part = {
        .samples = model_shape_samples(shape, life->halves),
        .seen_blocks = !life->by_peak,
        .seen_words = life->by_peak ? 0
                                    : estimate_seen_words(&walk->series->estimate, shape->words,
                                                          (enum heaptap_source)shape->source),
        .density = model_shape_density(shape, life->halves),
        .squares = model_shape_squares(shape, life->halves)};
    if (life->born_us >= walk->series->to_us)
        return;
    series_builder_change(walk, life->born_us, &part, 1);
    if (life->died_us < walk->series->to_us)
        series_builder_change(walk, life->died_us, &part, -1);
}

static void each_row(struct series_builder *walk, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++)
        if (matcher_object(matcher, row, &life))
            count_row(walk, &life, &model->shapes[model->objects.shape[row]]);
}

static struct series_sum sum_of(const struct estimate *estimate, const struct series_part *part)
{
    double rate = estimate->sample_rate, samples = (double)(int64_t)part->samples;
    return (struct series_sum){estimate_bytes(estimate, samples),
                               part->density / rate,
                               samples,
                               part->squares / (rate * rate),
                               (double)part->seen_blocks,
                               (double)part->seen_words * estimate->word_bytes};
}

static struct estimate_sum objects_sum(const struct estimate *estimate,
                                       const struct series_sum *sum)
{
    return (struct estimate_sum){sum->samples, sum->objects, sum->squares,
                                 estimate_heaviest_object(estimate), sum->seen_blocks};
}

struct estimate_range series_bytes_range(const struct series *series, const struct series_sum *sum)
{
    struct estimate_sum bytes = estimate_bytes_sum(&series->estimate, sum->samples);
    bytes.least = sum->seen_bytes;
    return estimate_range(&bytes, series->estimate.sample_rate);
}

struct estimate_range series_objects_range(const struct series *series,
                                           const struct series_sum *sum)
{
    struct estimate_sum objects = objects_sum(&series->estimate, sum);
    return estimate_range(&objects, series->estimate.sample_rate);
}

static void set_peak(struct series *series, const struct live_peak *found)
{
    const struct estimate *estimate = &series->estimate;
    struct series_part chosen_part = {.samples = (uint64_t)found->peak.samples,
                                      .density = found->density,
                                      .squares = found->squares};
    struct series_part top_part = {.samples = (uint64_t)found->peak.highest,
                                   .density = found->highest_density,
                                   .squares = found->highest_squares};
    series->peak = sum_of(estimate, &chosen_part);
    series->highest = sum_of(estimate, &top_part);
    series->peak_us = found->peak.time_us;
    series->peak_range = peak_range(&found->peak, estimate);
    struct estimate_sum chosen = objects_sum(estimate, &series->peak);
    struct estimate_sum top = objects_sum(estimate, &series->highest);
    series->peak_objects_range = estimate_peak_sum_range(&chosen, &top, estimate->sample_rate);
}

static bool find_peak(struct series *series, const struct matcher *matcher)
{
    struct live_peak found;
    bool done = live_peak_find(&found, matcher, series->from_us, series->to_us);
    if (done)
        set_peak(series, &found);
    return done;
}

static void advance(struct series_part *level, const struct change *change)
{
    add_part(level, &change->born, 1);
    add_part(level, &change->died, -1);
}

/* ---- The series ---------------------------------------------------------------------- */

static void fill_steps(struct series_builder *walk)
{
    struct series *series = walk->series;
    const struct estimate *estimate = &walk->series->estimate;
    struct series_part level = {0};
    advance(&level, &walk->before);
    series->before = sum_of(estimate, &level);
    for (size_t i = 0; i < series->count; i++) {
        const struct change *change = &walk->changes[i];
        advance(&level, change);
        if (level.samples == 0)
            level.density = level.squares = 0;
        series->steps[i] = (struct series_step){
            sum_of(estimate, &level),
            sum_of(estimate, &change->born),
            sum_of(estimate, &change->died),
        };
    }
}

/* The highest end of a step. */
static void find_step_peak(struct series *series)
{
    series->peak = series->before;
    series->peak_us = series->from_us;
    for (size_t i = 0; i < series->count; i++) {
        if (series->steps[i].live.bytes <= series->peak.bytes)
            continue;
        series->peak = series->steps[i].live;
        series->peak_us = series_step_us(series, i + 1) - 1;
    }
    series->highest = series->peak;
}

/* Room for the steps of a series that has its times and their number. */
static bool begin(struct series_builder *walk, struct series *series)
{
    walk->series = series;
    walk->changes = calloc(series->count, sizeof *walk->changes);
    series->steps = calloc(series->count, sizeof *series->steps);
    return walk->changes && series->steps && init_edges(walk);
}

static void release(struct series_builder *walk)
{
    free(walk->changes);
    free(walk->edges);
}

static bool init(struct series *series, const struct matcher *matcher, int64_t from_us,
                 int64_t to_us, size_t count, bool is_exact)
{
    struct series_builder walk = {0};
    *series = (struct series){
        .from_us = from_us, .to_us = to_us, .count = count, .estimate = matcher->model->estimate};
    bool done = begin(&walk, series);
    if (done) {
        each_row(&walk, matcher);
        fill_steps(&walk);
        if (is_exact)
            done = find_peak(series, matcher);
        else
            find_step_peak(series);
    }
    release(&walk);
    if (!done)
        series_release(series);
    return done;
}

bool series_init(struct series *series, const struct matcher *matcher, int64_t from_us,
                 int64_t to_us, size_t count)
{
    return init(series, matcher, from_us, to_us, count, true);
}

bool series_init_steps(struct series *series, const struct matcher *matcher, int64_t from_us,
                       int64_t to_us, size_t count)
{
    return init(series, matcher, from_us, to_us, count, false);
}

void series_release(struct series *series)
{
    free(series->steps);
    *series = (struct series){0};
}

/* ---- Made while blocks end ----------------------------------------------------------- */

struct series_builder *series_builder_new(const struct model *model, size_t count)
{
    return series_builder_new_part(model, 0, model->end_us + 1, count);
}

struct series_builder *series_builder_new_part(const struct model *model, int64_t from_us,
                                               int64_t to_us, size_t count)
{
    struct series_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->own = (struct series){
        .from_us = from_us, .to_us = to_us, .count = count, .estimate = model->estimate};
    if (begin(builder, &builder->own))
        return builder;
    series_builder_free(builder);
    return NULL;
}

void series_builder_add(struct series_builder *builder, const struct matcher_life *life,
                        const struct model_shape *shape)
{
    count_row(builder, life, shape);
}

static void add_living(struct series_builder *builder, const struct model *model)
{
    const struct model_objects *objects = &model->objects;
    for (size_t row = 0; row < objects->count; row++) {
        struct matcher_life life = matcher_whole_life(model, row);
        if (life.is_left)
            count_row(builder, &life, &model->shapes[objects->shape[row]]);
    }
}

/* Frees the builder. */
static struct series take(struct series_builder *builder, const struct estimate *estimate)
{
    fill_steps(builder);
    struct series series = builder->own;
    series.estimate = *estimate;
    builder->own.steps = NULL;
    series_builder_free(builder);
    return series;
}

struct series series_builder_take(struct series_builder *builder, const struct estimate *estimate,
                                  const struct live_peak *peak)
{
    struct series series = take(builder, estimate);
    set_peak(&series, peak);
    return series;
}

struct series series_builder_take_steps(struct series_builder *builder)
{
    const struct estimate estimate = builder->own.estimate;
    struct series series = take(builder, &estimate);
    find_step_peak(&series);
    return series;
}

bool series_builder_finish(struct series_builder *builder, struct series *series,
                           const struct matcher *matcher)
{
    add_living(builder, matcher->model);
    *series = take(builder, &matcher->model->estimate);
    if (find_peak(series, matcher))
        return true;
    series_release(series);
    return false;
}

void series_builder_free(struct series_builder *builder)
{
    if (!builder)
        return;
    release(builder);
    free(builder->own.steps);
    free(builder);
}
