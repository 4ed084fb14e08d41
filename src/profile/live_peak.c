/* The time is cut into a fine grid, and births and deaths are summed up by its cells.  A cell
 * cannot hold the peak unless what was alive before it and what is born in it come to the most that
 * is alive at the end of any cell, and to more than the highest level found so far.  The changes of
 * such cells alone are looked at in order of time, in batches of bounded size: each takes one look
 * at all objects, and as the grid is fine there is seldom more than one.  Only where a program
 * keeps the level for long, to the sample, may nearly every cell hold the peak.
 *
 * Counts are in samples, whole numbers, so that ups and downs cancel out. */
#include "profile/live_peak.h"

#include <stdlib.h>

enum { CELLS = 1 << 20, BATCH = 1 << 22, FEW = 64 };

struct cell {
    int64_t born, died; /* samples */
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
    struct live_peak_found *peak;
};

static size_t cell_of(const struct search *search, int64_t time_us)
{
    return (size_t)((uint64_t)(time_us - search->from_us) >> search->shift);
}

/* ---- The first look: sums by cell ---------------------------------------------------- */

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
        int64_t samples = (int64_t)model->shapes[model->objects.shape[row]].samples;
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
        if (level > search->peak->samples)
            *search->peak = (struct live_peak_found){.time_us = time, .samples = level};
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
        if (level + cell->born <= search->peak->samples)
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
    int64_t level = search->peak->samples = search->before;
    choose_cells(search);
    while (done && search->first < search->count)
        done = take_batch(search, &level);
    free(search->moments);
    return done;
}

/* ---- The whole ----------------------------------------------------------------------- */

static double density_at(const struct matcher *matcher, int64_t time_us)
{
    const struct model *model = matcher->model;
    struct matcher_life life;
    double density = 0;
    for (size_t row = 0; row < model->objects.count; row++)
        if (matcher_object(matcher, row, &life) && life.born_us <= time_us &&
            life.died_us > time_us)
            density += model->shapes[model->objects.shape[row]].density;
    return density;
}

static bool find(struct live_peak_found *peak, const struct matcher *matcher, int64_t from_us,
                 int64_t to_us)
{
    struct search search = {.matcher = matcher, .from_us = from_us, .to_us = to_us, .peak = peak};
    while ((uint64_t)(to_us - 1 - from_us) >> search.shift >= CELLS)
        search.shift++;
    search.count = cell_of(&search, to_us - 1) + 1;
    search.cells = calloc(search.count, sizeof *search.cells);
    bool done = search.cells && search_cells(&search);
    free(search.cells);
    return done;
}

bool live_peak_find(struct live_peak_found *peak, const struct matcher *matcher, int64_t from_us,
                    int64_t to_us)
{
    const struct model *model = matcher->model;
    *peak = (struct live_peak_found){.time_us = from_us};
    if (matcher_passes_all(matcher) && from_us <= 0 && to_us > model->end_us) {
        peak->time_us = model->peak_us;
        peak->samples = (int64_t)model->peak_samples;
    } else if (!find(peak, matcher, from_us, to_us)) {
        return false;
    }
    peak->density = density_at(matcher, peak->time_us);
    return true;
}
