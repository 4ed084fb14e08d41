/* The time is cut into a fine grid, and births and deaths are summed up by its cells.  A cell
 * cannot hold the peak unless what was alive before it and what is born in it come to the most that
 * is alive at the end of any cell, and to more than the highest level found so far.  The changes of
 * such cells alone are looked at in order of time, in batches of bounded size: each takes one look
 * at all objects, and as the grid is fine there is seldom more than one.  Only where a program
 * keeps the level for long, to the sample, may nearly every cell hold the peak.
 *
 * Counts are whole numbers, so that ups and downs cancel out. */
#include "profile/live_peak.h"

#include <stdlib.h>

enum { BOTH = -1 };
enum { CELLS = 1 << 20, BATCH = 1 << 22, FEW = 64 };

struct cell {
    int64_t born, died; /* samples, or what they weigh */
    uint32_t
        changes;     /* births and deaths; in the second look 0 unless the cell may hold the peak */
    uint32_t behind; /* in the second look: index of the moment behind those seen so far */
};

struct moment {
    int64_t time_us;
    int64_t samples; /* negative where something died */
};

struct search {
    const struct matcher *matcher;
    int64_t from_us, to_us;
    unsigned shift; /* a cell lasts 1 << shift microseconds */
    struct cell *cells;
    size_t count;
    int64_t before;         /* alive when the time begins */
    size_t first, behind;   /* cells of the batch */
    struct moment *moments; /* of the batch, cell by cell; NULL during the first look */
    size_t capacity;
    int half;           /* whose time is sought; BOTH for the highest point of all samples */
    int64_t own_weight; /* peak_own_weight */
    int64_t highest, highest_us;
};

static size_t cell_of(const struct search *search, int64_t time_us)
{
    return (size_t)((uint64_t)(time_us - search->from_us) >> search->shift);
}

/* ---- The first look: sums by cell ---------------------------------------------------- */

/* What a row weighs in the curve. */
static int64_t weight_of(const struct search *search, size_t row, const struct matcher_life *life)
{
    const struct model *model = search->matcher->model;
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    if (search->half == BOTH)
        return (int64_t)model_shape_samples(shape, life->halves);
    unsigned own = 1U << search->half;
    return peak_weight((int64_t)model_shape_samples(shape, life->halves & own),
                       (int64_t)model_shape_samples(shape, life->halves & ~own),
                       search->own_weight);
}

static void count_row(struct search *search, const struct matcher_life *life, int64_t samples)
{
    if (life->born_us < search->from_us) {
        search->before += life->died_us < search->from_us ? 0 : samples;
    } else if (life->born_us < search->to_us) {
        struct cell *cell = &search->cells[cell_of(search, life->born_us)];
        cell->born += samples;
        cell->changes++;
    }
    if (life->died_us >= search->from_us && life->died_us < search->to_us) {
        struct cell *cell = &search->cells[cell_of(search, life->died_us)];
        cell->died += samples;
        cell->changes++;
    }
}

/* Forgets the changes of cells that cannot hold the peak. */
static void choose_cells(struct search *search)
{
    int64_t level = search->before, most = level;
    for (size_t i = 0; i < search->count; i++) {
        level += search->cells[i].born - search->cells[i].died;
        most = level > most ? level : most;
    }
    level = search->before;
    for (size_t i = 0; i < search->count; i++) {
        struct cell *cell = &search->cells[i];
        if (level + cell->born < most)
            cell->changes = 0;
        level += cell->born - cell->died;
    }
}

/* ---- The second: cells that may hold it ---------------------------------------------- */

static void note_moment(struct search *search, int64_t time_us, int64_t samples)
{
    if (time_us < search->from_us || time_us >= search->to_us)
        return;
    size_t number = cell_of(search, time_us);
    struct cell *cell = &search->cells[number];
    if (number >= search->first && number < search->behind && cell->changes > 0)
        search->moments[cell->behind++] = (struct moment){time_us, samples};
}

static void each_row(struct search *search)
{
    const struct model *model = search->matcher->model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!matcher_object(search->matcher, row, &life))
            continue;
        int64_t samples = weight_of(search, row, &life);
        if (samples == 0)
            continue;
        if (!search->moments) {
            count_row(search, &life, samples);
            continue;
        }
        note_moment(search, life.born_us, samples);
        note_moment(search, life.died_us, -samples);
    }
}

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return a->time_us < b->time_us ? -1 : a->time_us > b->time_us;
}

static void sort(struct moment *moments, size_t count)
{
    if (count > FEW) {
        qsort(moments, count, sizeof *moments, compare_moments);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct moment moment = moments[i];
        size_t at = i;
        for (; at > 0 && moments[at - 1].time_us > moment.time_us; at--)
            moments[at] = moments[at - 1];
        moments[at] = moment;
    }
}

/* From the level before the cell. */
static void sweep(struct search *search, const struct cell *cell, int64_t level)
{
    struct moment *moments = search->moments + cell->behind - cell->changes;
    sort(moments, cell->changes);
    for (size_t i = 0; i < cell->changes;) {
        int64_t time = moments[i].time_us;
        for (; i < cell->changes && moments[i].time_us == time; i++)
            level += moments[i].samples;
        if (level > search->highest) {
            search->highest = level;
            search->highest_us = time;
        }
    }
}

static bool reserve(struct search *search, size_t count)
{
    if (count <= search->capacity)
        return true;
    free(search->moments);
    search->moments = malloc(count * sizeof *search->moments);
    search->capacity = search->moments ? count : 0;
    return search->moments;
}

/* Chooses cells from search->first on, as many as make a batch; how many changes they have. */
static size_t choose_batch(struct search *search, int64_t level)
{
    size_t changes = 0;
    for (search->behind = search->first; search->behind < search->count; search->behind++) {
        struct cell *cell = &search->cells[search->behind];
        if (level + cell->born <= search->highest)
            cell->changes = 0;
        if (changes > 0 && changes + cell->changes > BATCH)
            break;
        cell->behind = (uint32_t)changes;
        changes += cell->changes;
        level += cell->born - cell->died;
    }
    return changes;
}

/* `*level` goes on from the batch's beginning to its end. */
static bool take_batch(struct search *search, int64_t *level)
{
    size_t changes = choose_batch(search, *level);
    if (!reserve(search, changes))
        return false;
    if (changes > 0)
        each_row(search);
    for (; search->first < search->behind; search->first++) {
        const struct cell *cell = &search->cells[search->first];
        if (cell->changes > 0)
            sweep(search, cell, *level);
        *level += cell->born - cell->died;
    }
    return true;
}

static bool search_cells(struct search *search)
{
    bool done = true;
    each_row(search);
    int64_t level = search->highest = search->before;
    choose_cells(search);
    while (done && search->first < search->count)
        done = take_batch(search, &level);
    free(search->moments);
    return done;
}

/* ---- Times --------------------------------------------------------------------------- */

/* The earliest end of a microsecond at which most is alive, in units of `weight_of`; 0 where nothing ever is. */
static bool find_highest(struct search *search)
{
    while ((uint64_t)(search->to_us - 1 - search->from_us) >> search->shift >= CELLS)
        search->shift++;
    search->count = cell_of(search, search->to_us - 1) + 1;
    search->cells = calloc(search->count, sizeof *search->cells);
    search->highest_us = search->from_us;
    bool done = search->cells && search_cells(search);
    free(search->cells);
    return done;
}

/* The last microsecond before the curve changes again. */
static int64_t end_of_highest(const struct search *search)
{
    const struct model *model = search->matcher->model;
    int64_t next = search->to_us;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!matcher_object(search->matcher, row, &life) || weight_of(search, row, &life) == 0)
            continue;
        if (life.born_us > search->highest_us && life.born_us < next)
            next = life.born_us;
        if (life.died_us > search->highest_us && life.died_us < next)
            next = life.died_us;
    }
    return next - 1;
}

static bool find_times(struct peak *peak, const struct matcher *matcher, int64_t from_us,
                       int64_t to_us)
{
    for (int half = BOTH; half < PEAK_HALVES; half++) {
        struct search search = {
            .matcher = matcher, .from_us = from_us, .to_us = to_us, .half = half};
        search.own_weight = peak_own_weight(matcher->model->info.sample_rate);
        if (!find_highest(&search))
            return false;
        if (half == BOTH) {
            peak->time_us = peak->half_us[0] = peak->half_us[1] = search.highest_us;
            peak->highest = search.highest;
            if (search.own_weight == PEAK_WHOLE_SAMPLE)
                break;
        } else if (search.highest > 0) {
            peak->half_us[half] = end_of_highest(&search);
        }
    }
    return true;
}

/* ---- The whole ----------------------------------------------------------------------- */

static bool lives_at(const struct matcher_life *life, int64_t time_us)
{
    return life->born_us <= time_us && life->died_us > time_us;
}

/* What is alive at the times. */
static void count_alive(struct live_peak *found, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct matcher_life life;
    found->peak.samples = 0;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!matcher_object(matcher, row, &life))
            continue;
        const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
        uint32_t blocks = model_row_blocks(model, row);
        unsigned halves = 0;
        for (int half = 0; half < PEAK_HALVES; half++)
            halves |= (unsigned)lives_at(&life, found->peak.half_us[half]) << half;
        halves &= life.halves;
        if (lives_at(&life, found->peak.time_us)) {
            found->highest_density += blocks * model_shape_density(shape, life.halves);
            found->highest_squares += blocks * model_shape_squares(shape, life.halves);
        }
        if (halves == 0)
            continue;
        found->peak.samples += (int64_t)(blocks * model_shape_samples(shape, halves));
        found->density += blocks * model_shape_density(shape, halves);
        found->squares += blocks * model_shape_squares(shape, halves);
    }
}

bool live_peak_find(struct live_peak *found, const struct matcher *matcher, int64_t from_us,
                    int64_t to_us)
{
    const struct model *model = matcher->model;
    *found = (struct live_peak){.peak = model->peak};
    if ((!matcher_passes_all(matcher) || from_us > 0 || to_us <= model->end_us) &&
        !find_times(&found->peak, matcher, from_us, to_us))
        return false;
    count_alive(found, matcher);
    return true;
}
