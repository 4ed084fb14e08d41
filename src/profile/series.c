/* The peak is exact.  A step cannot hold it unless what was alive before and what is born in it
 * come to more than the most that is alive at the end of any step; only the changes of such steps
 * are looked at one by one.  Counts are in samples, whole numbers, so that ups and downs cancel
 * out. */
#include "profile/series.h"

#include <stdlib.h>

#include "base/array.h"

/* Changes of one step. */
struct change {
    uint64_t born, died; /* samples */
    double born_density, died_density;
};

struct moment {
    int64_t time_us;
    int64_t samples; /* negative where something died */
    double density;
};

struct walk {
    const struct matcher *matcher;
    struct series *series;
    struct change *changes;
    struct change before;
    bool *is_candidate; /* by step; second pass only */
    struct moment *moments;
    size_t moment_count, moment_capacity;
    bool failed;
};

/* The step of a time; the integer division is right but where step_us rounds, so look beside. */
static size_t step_of(const struct series *series, int64_t time_us)
{
    double share = (double)(time_us - series->from_us) / (double)(series->to_us - series->from_us);
    size_t step = (size_t)(share * (double)series->count);
    step = step < series->count ? step : series->count - 1;
    while (step > 0 && time_us < series_step_us(series, step))
        step--;
    while (step + 1 < series->count && time_us >= series_step_us(series, step + 1))
        step++;
    return step;
}

static void count_row(struct walk *walk, const struct matcher_life *life,
                      const struct model_shape *shape)
{
    const struct series *series = walk->series;
    if (life->born_us >= series->to_us)
        return;
    struct change *born = life->born_us < series->from_us
                              ? &walk->before
                              : &walk->changes[step_of(series, life->born_us)];
    born->born += shape->samples;
    born->born_density += shape->density;
    if (life->died_us >= series->to_us)
        return;
    struct change *died = life->died_us < series->from_us
                              ? &walk->before
                              : &walk->changes[step_of(series, life->died_us)];
    died->died += shape->samples;
    died->died_density += shape->density;
}

static void note_moment(struct walk *walk, int64_t time_us, int64_t samples, double density)
{
    const struct series *series = walk->series;
    if (time_us < series->from_us || time_us >= series->to_us ||
        !walk->is_candidate[step_of(series, time_us)])
        return;
    if (!ARRAY_RESERVE(&walk->moments, &walk->moment_capacity, walk->moment_count + 1)) {
        walk->failed = true;
        return;
    }
    walk->moments[walk->moment_count++] = (struct moment){time_us, samples, density};
}

static void each_row(struct walk *walk)
{
    const struct model *model = walk->matcher->model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count && !walk->failed; row++) {
        if (!matcher_object(walk->matcher, row, &life))
            continue;
        const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
        if (!walk->is_candidate) {
            count_row(walk, &life, shape);
            continue;
        }
        note_moment(walk, life.born_us, (int64_t)shape->samples, shape->density);
        note_moment(walk, life.died_us, -(int64_t)shape->samples, -shape->density);
    }
}

/* ---- The peak ------------------------------------------------------------------------ */

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return a->time_us < b->time_us ? -1 : a->time_us > b->time_us;
}

struct level {
    int64_t samples;
    double density;
    int64_t time_us;
};

static void raise(struct level *peak, const struct level *level, int64_t time_us)
{
    if (level->samples <= peak->samples)
        return;
    *peak = *level;
    peak->time_us = time_us;
}

/* Goes through the moments of one candidate step, which begin at moments[*next]. */
static void sweep(const struct walk *walk, size_t step, struct level level, struct level *peak,
                  size_t *next)
{
    int64_t end = series_step_us(walk->series, step + 1);
    while (*next < walk->moment_count && walk->moments[*next].time_us < end) {
        int64_t time = walk->moments[*next].time_us;
        for (; *next < walk->moment_count && walk->moments[*next].time_us == time; ++*next) {
            level.samples += walk->moments[*next].samples;
            level.density += walk->moments[*next].density;
        }
        raise(peak, &level, time);
    }
}

static void advance(struct level *level, const struct change *change)
{
    level->samples += (int64_t)(change->born - change->died);
    level->density += change->born_density - change->died_density;
}

/* Marks the steps that may hold the peak. */
static void mark_candidates(struct walk *walk, bool *is_candidate)
{
    struct level level = {0};
    int64_t most = 0;
    advance(&level, &walk->before);
    most = level.samples;
    for (size_t i = 0; i < walk->series->count; i++) {
        advance(&level, &walk->changes[i]);
        most = level.samples > most ? level.samples : most;
    }
    level = (struct level){0};
    advance(&level, &walk->before);
    for (size_t i = 0; i < walk->series->count; i++) {
        is_candidate[i] = level.samples + (int64_t)walk->changes[i].born >= most;
        advance(&level, &walk->changes[i]);
    }
}

static struct series_sum sum_of(const struct estimate *estimate, double samples, double density)
{
    return (struct series_sum){estimate_bytes(estimate, samples), density / estimate->sample_rate};
}

static bool find_peak(struct walk *walk)
{
    struct series *series = walk->series;
    const struct estimate *estimate = &walk->matcher->model->estimate;
    bool *is_candidate = malloc(series->count);
    if (!is_candidate)
        return false;
    mark_candidates(walk, is_candidate);
    walk->is_candidate = is_candidate;
    each_row(walk);
    if (walk->moment_count > 0)
        qsort(walk->moments, walk->moment_count, sizeof *walk->moments, compare_moments);
    struct level level = {0}, peak = {.samples = -1};
    size_t next = 0;
    advance(&level, &walk->before);
    raise(&peak, &level, series->from_us);
    for (size_t i = 0; i < series->count; i++) {
        if (is_candidate[i])
            sweep(walk, i, level, &peak, &next);
        advance(&level, &walk->changes[i]);
    }
    series->peak = sum_of(estimate, (double)peak.samples, peak.density);
    series->peak_us = peak.time_us;
    free(is_candidate);
    free(walk->moments);
    return !walk->failed;
}

/* ---- The series ---------------------------------------------------------------------- */

static void fill_steps(struct walk *walk)
{
    struct series *series = walk->series;
    const struct estimate *estimate = &walk->matcher->model->estimate;
    struct level level = {0};
    advance(&level, &walk->before);
    series->before = sum_of(estimate, (double)level.samples, level.density);
    for (size_t i = 0; i < series->count; i++) {
        const struct change *change = &walk->changes[i];
        advance(&level, change);
        if (level.samples == 0)
            level.density = 0;
        series->steps[i] = (struct series_step){
            sum_of(estimate, (double)level.samples, level.density),
            sum_of(estimate, (double)change->born, change->born_density),
            sum_of(estimate, (double)change->died, change->died_density),
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
}

static bool init(struct series *series, const struct matcher *matcher, int64_t from_us,
                 int64_t to_us, size_t count, bool is_exact)
{
    *series = (struct series){.from_us = from_us, .to_us = to_us, .count = count};
    struct walk walk = {
        .matcher = matcher, .series = series, .changes = calloc(count, sizeof *walk.changes)};
    series->steps = calloc(count, sizeof *series->steps);
    bool done = walk.changes && series->steps;
    if (done) {
        each_row(&walk);
        fill_steps(&walk);
        if (is_exact)
            done = find_peak(&walk);
        else
            find_step_peak(series);
    }
    free(walk.changes);
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
