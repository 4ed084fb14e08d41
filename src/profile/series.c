/* Counts are in samples, whole numbers, so that ups and downs cancel out. */
#include "profile/series.h"

#include <stdlib.h>

#include "profile/live_peak.h"

/* Changes of one step. */
struct change {
    uint64_t born, died; /* samples */
    double born_density, died_density;
    double born_squares, died_squares;
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

void series_builder_change(struct series_builder *walk, int64_t time_us, uint64_t samples,
                           double density, double squares, int sign)
{
    struct change *change = change_at(walk, time_us);
    *(sign > 0 ? &change->born : &change->died) += samples;
    *(sign > 0 ? &change->born_density : &change->died_density) += density;
    *(sign > 0 ? &change->born_squares : &change->died_squares) += squares;
}

static void count_row(struct series_builder *walk, const struct matcher_life *life,
                      const struct model_shape *shape)
{
    uint64_t samples = model_shape_samples(shape, life->halves);
    double density = model_shape_density(shape, life->halves),
           squares = model_shape_squares(shape, life->halves);
    if (life->born_us >= walk->series->to_us)
        return;
    series_builder_change(walk, life->born_us, samples, density, squares, 1);
    if (life->died_us < walk->series->to_us)
        series_builder_change(walk, life->died_us, samples, density, squares, -1);
}

static void each_row(struct series_builder *walk, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++)
        if (matcher_object(matcher, row, &life))
            count_row(walk, &life, &model->shapes[model->objects.shape[row]]);
}

static struct series_sum sum_of(const struct estimate *estimate, double samples, double density,
                                double squares)
{
    double rate = estimate->sample_rate;
    return (struct series_sum){estimate_bytes(estimate, samples), density / rate, samples,
                               squares / (rate * rate)};
}

static struct estimate_sum objects_sum(const struct estimate *estimate,
                                       const struct series_sum *sum)
{
    return (struct estimate_sum){sum->samples, sum->objects, sum->squares,
                                 estimate_heaviest_object(estimate)};
}

struct estimate_range series_bytes_range(const struct series *series, const struct series_sum *sum)
{
    struct estimate_sum bytes = estimate_bytes_sum(&series->estimate, sum->samples);
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
    series->peak = sum_of(estimate, (double)found->peak.samples, found->density, found->squares);
    series->highest = sum_of(estimate, (double)found->peak.highest, found->highest_density,
                             found->highest_squares);
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

struct level {
    int64_t samples;
    double density, squares;
};

static void advance(struct level *level, const struct change *change)
{
    level->samples += (int64_t)(change->born - change->died);
    level->density += change->born_density - change->died_density;
    level->squares += change->born_squares - change->died_squares;
}

/* ---- The series ---------------------------------------------------------------------- */

static void fill_steps(struct series_builder *walk)
{
    struct series *series = walk->series;
    const struct estimate *estimate = &walk->series->estimate;
    struct level level = {0};
    advance(&level, &walk->before);
    series->before = sum_of(estimate, (double)level.samples, level.density, level.squares);
    for (size_t i = 0; i < series->count; i++) {
        const struct change *change = &walk->changes[i];
        advance(&level, change);
        if (level.samples == 0)
            level.density = level.squares = 0;
        series->steps[i] = (struct series_step){
            sum_of(estimate, (double)level.samples, level.density, level.squares),
            sum_of(estimate, (double)change->born, change->born_density, change->born_squares),
            sum_of(estimate, (double)change->died, change->died_density, change->died_squares),
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
    struct series_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->own =
        (struct series){.to_us = model->end_us + 1, .count = count, .estimate = model->estimate};
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
        if (life.died_us == MODEL_NEVER)
            count_row(builder, &life, &model->shapes[objects->shape[row]]);
    }
}

/* Frees the builder. */
static struct series take(struct series_builder *builder)
{
    fill_steps(builder);
    struct series series = builder->own;
    builder->own.steps = NULL;
    series_builder_free(builder);
    return series;
}

struct series series_builder_take(struct series_builder *builder, const struct live_peak *peak)
{
    struct series series = take(builder);
    set_peak(&series, peak);
    return series;
}

bool series_builder_finish(struct series_builder *builder, struct series *series,
                           const struct matcher *matcher)
{
    add_living(builder, matcher->model);
    *series = take(builder);
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
