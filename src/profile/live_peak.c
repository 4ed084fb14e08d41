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

/* Rows are in order of birth, and no filter moves a birth to an earlier time. */
static bool is_born_after(const struct model *model, size_t row, int64_t time_us)
{
    return model_row_born_us(model, row) > time_us;
}

struct moment {
    int64_t time_us;
    int64_t samples; /* negative where something died */
    uint64_t order;  /* among all events: see order_of_birth */
    uint32_t domain;
};

struct search {
    const struct matcher *matcher;
    int64_t from_us, to_us;
    uint64_t from_order, to_order; /* likewise; 0 and UINT64_MAX where the times tell */
    bool is_open;   /* the order of events is not known: ends of microseconds count */
    unsigned shift; /* a cell lasts 1 << shift microseconds */
    struct cell *cells;
    size_t count;
    int64_t before;         /* alive when the time begins */
    size_t first, behind;   /* cells of the batch */
    struct moment *moments; /* of the batch, cell by cell; NULL during the first look */
    size_t capacity;
    int half;           /* whose time is sought; BOTH for the highest point of all samples */
    bool is_own;        /* by its own samples alone */
    int64_t own_weight; /* peak_own_weight */
    int64_t highest, highest_us;
    uint64_t highest_births;      /* blocks born until then; PEAK_BY_TIME where that is open */
    int64_t enough;               /* a cell matters only if it may hold more */
    struct peak_tracker *tracker; /* of exact recordings, which goes from cell to cell; else NULL */
};

/* Births and ends in the order of events: a block's end stands between the births around it. */
static uint64_t order_of_birth(uint64_t birth)
{
    return 2 * birth + 1;
}

static uint64_t order_of_end(uint64_t end)
{
    return 2 * end;
}

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
    if (search->is_own)
        return (int64_t)model_shape_samples(shape, life->halves & own);
    return peak_weight((int64_t)model_shape_samples(shape, life->halves & own),
                       (int64_t)model_shape_samples(shape, life->halves & ~own),
                       search->own_weight);
}

static bool has_begun(const struct search *search, int64_t time_us, uint64_t order)
{
    return time_us >= search->from_us && order >= search->from_order;
}

static bool is_within(const struct search *search, int64_t time_us, uint64_t order)
{
    return has_begun(search, time_us, order) && time_us < search->to_us && order < search->to_order;
}

static void count_row(struct search *search, const struct matcher_life *life, int64_t samples)
{
    uint64_t birth = order_of_birth(life->birth), end = order_of_end(life->end);
    if (!has_begun(search, life->born_us, birth)) {
        search->before += has_begun(search, life->died_us, end) ? samples : 0;
    } else if (is_within(search, life->born_us, birth)) {
        struct cell *cell = &search->cells[cell_of(search, life->born_us)];
        cell->born += samples;
        cell->changes++;
    }
    if (is_within(search, life->died_us, end)) {
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

static void note_moment(struct search *search, const struct moment *moment)
{
    if (!is_within(search, moment->time_us, moment->order))
        return;
    size_t number = cell_of(search, moment->time_us);
    struct cell *cell = &search->cells[number];
    if (number >= search->first && number < search->behind && cell->changes > 0)
        search->moments[cell->behind++] = *moment;
}

static void note_row(struct search *search, size_t row, const struct matcher_life *life,
                     int64_t samples)
{
    const struct model *model = search->matcher->model;
    uint32_t domain = model->shapes[model->objects.shape[row]].domain;
    struct moment birth = {life->born_us, samples, order_of_birth(life->birth), domain};
    struct moment end = {life->died_us, -samples, order_of_end(life->end),
                         model_row_end_domain(model, row)};
    note_moment(search, &birth);
    note_moment(search, &end);
}

/* The end of what a look asks for: of the second one that of the last cell of the batch that has changes. */
static int64_t last_time(const struct search *search)
{
    size_t behind = search->behind;
    if (!search->moments)
        return search->to_us - 1;
    while (behind > search->first && search->cells[behind - 1].changes == 0)
        behind--;
    return search->from_us + (int64_t)((uint64_t)behind << search->shift) - 1;
}

static void each_row(struct search *search)
{
    const struct model *model = search->matcher->model;
    struct matcher_life life;
    int64_t last_us = last_time(search);
    for (size_t row = 0; row < model->objects.count && !is_born_after(model, row, last_us); row++) {
        if (!matcher_object(search->matcher, row, &life))
            continue;
        int64_t samples = weight_of(search, row, &life);
        if (samples == 0)
            continue;
        if (!search->moments) {
            count_row(search, &life, samples);
            continue;
        }
        note_row(search, row, &life, samples);
    }
}

static bool is_before(const struct moment *a, const struct moment *b)
{
    return a->time_us != b->time_us ? a->time_us < b->time_us : a->order < b->order;
}

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return is_before(a, b) ? -1 : is_before(b, a);
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
        for (; at > 0 && is_before(&moment, &moments[at - 1]); at--)
            moments[at] = moments[at - 1];
        moments[at] = moment;
    }
}

/* The same of an exact recording: event by event. */
static void follow(struct search *search, const struct cell *cell, int64_t level)
{
    struct peak_tracker *tracker = search->tracker;
    const struct moment *moments = search->moments + cell->behind - cell->changes;
    tracker->live[0] = tracker->began = level;
    for (size_t i = 0; i < cell->changes; i++) {
        const struct moment *moment = &moments[i];
        peak_tracker_move(tracker, moment->time_us);
        tracker->births = moment->order / 2;
        peak_tracker_add_exact(tracker, moment->domain,
                               moment->samples < 0 ? -moment->samples : moment->samples,
                               moment->samples < 0 ? -1 : 1);
    }
    peak_tracker_note(tracker);
    search->enough = tracker->peak.least;
}

static void note_level(struct search *search, const struct moment *last, int64_t level)
{
    if (level <= search->highest)
        return;
    search->highest = search->enough = level;
    search->highest_us = last->time_us;
    search->highest_births = search->is_open ? PEAK_BY_TIME : (last->order + 1) / 2;
}

/* From the level before the cell. */
static void sweep(struct search *search, const struct cell *cell, int64_t level)
{
    struct moment *moments = search->moments + cell->behind - cell->changes;
    sort(moments, cell->changes);
    if (search->tracker) {
        follow(search, cell, level);
        return;
    }
    for (size_t i = 0; i < cell->changes; i++) {
        bool goes_on = i + 1 < cell->changes && moments[i + 1].time_us == moments[i].time_us;
        level += moments[i].samples;
        if (!search->is_open || !goes_on)
            note_level(search, &moments[i], level);
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
        if (level + cell->born <= search->enough)
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

/* Blocks born before the first event; PEAK_BY_TIME where the order is open. */
static uint64_t births_before(const struct search *search)
{
    const struct model *model = search->matcher->model;
    size_t row = 0;
    if (search->is_open)
        return PEAK_BY_TIME;
    while (row < model->objects.count && model_row_born_us(model, row) < search->from_us)
        row++;
    return model->objects.first_birth + row;
}

/* At what is alive before the first event. */
static void begin_tracker(struct search *search)
{
    struct peak *peak = &search->tracker->peak;
    peak->highest = peak->least = peak->most = search->before;
    peak->highest_us = search->tracker->now_us = search->from_us;
    peak->births = search->highest_births;
}

static bool search_cells(struct search *search)
{
    bool done = true;
    each_row(search);
    int64_t level = search->highest = search->enough = search->before;
    if (search->tracker)
        begin_tracker(search);
    choose_cells(search);
    while (done && search->first < search->count)
        done = take_batch(search, &level);
    free(search->moments);
    return done;
}

/* ---- Times --------------------------------------------------------------------------- */

/* As many as there are births and deaths at most: more would be empty. */
static size_t most_cells(const struct search *search)
{
    size_t changes = 2 * search->matcher->model->objects.count + 1;
    return changes < CELLS ? changes : CELLS;
}

/* The earliest event behind which most is alive, or end of a microsecond, in units of `weight_of`; 0 where nothing ever is. */
static bool find_highest(struct search *search)
{
    while ((uint64_t)(search->to_us - 1 - search->from_us) >> search->shift >= most_cells(search))
        search->shift++;
    search->count = cell_of(search, search->to_us - 1) + 1;
    search->cells = calloc(search->count, sizeof *search->cells);
    search->highest_us = search->from_us;
    search->highest_births = births_before(search);
    bool done = search->cells && search_cells(search);
    free(search->cells);
    return done;
}

/* Ends `after` at an event, where that is within it. */
static void end_at(struct search *after, int64_t time_us, uint64_t order)
{
    if (!is_within(after, time_us, order))
        return;
    after->to_us = after->is_open ? time_us : time_us + 1;
    after->to_order = after->is_open ? UINT64_MAX : order;
}

/* What lies behind the highest point, until the curve changes again. */
static struct search after_highest(const struct search *chosen)
{
    const struct model *model = chosen->matcher->model;
    struct search after = {
        .matcher = chosen->matcher,
        .from_us = chosen->highest_us + chosen->is_open,
        .from_order = chosen->is_open ? 0 : order_of_end(chosen->highest_births),
        .to_us = chosen->to_us,
        .to_order = UINT64_MAX,
        .is_open = chosen->is_open,
        .half = chosen->half,
        .is_own = true,
    };
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!matcher_object(chosen->matcher, row, &life) || weight_of(chosen, row, &life) == 0)
            continue;
        end_at(&after, life.born_us, order_of_birth(life.birth));
        end_at(&after, life.died_us, order_of_end(life.end));
    }
    return after;
}

/* The time of a half: while the curve that chooses for it stays at its highest, the first at which most of its own samples are
 * alive. */
static bool find_own_highest(struct peak *peak, const struct search *chosen)
{
    struct search search = after_highest(chosen);
    bool done = search.from_us == search.to_us || find_highest(&search);
    const struct search *found = search.highest > search.before ? &search : chosen;
    peak->half_us[chosen->half] = found->highest_us;
    peak->half_births[chosen->half] = found->highest_births;
    return done;
}

static struct search search_of(const struct matcher *matcher, int64_t from_us, int64_t to_us,
                               int half)
{
    return (struct search){.matcher = matcher,
                           .from_us = from_us,
                           .to_us = to_us,
                           .to_order = UINT64_MAX,
                           .is_open = matcher->moves_births || matcher->moves_deaths,
                           .half = half};
}

static bool find_exact(struct peak *peak, const struct matcher *matcher, int64_t from_us,
                       int64_t to_us)
{
    struct peak_tracker tracker;
    struct search search = search_of(matcher, from_us, to_us, BOTH);
    search.tracker = &tracker;
    if (search.is_open)
        peak_tracker_init_open(&tracker, 1);
    else
        peak_tracker_init(&tracker, 1);
    if (!find_highest(&search))
        return false;
    peak_tracker_finish(&tracker);
    *peak = tracker.peak;
    return true;
}

static bool find_times(struct peak *peak, const struct matcher *matcher, int64_t from_us,
                       int64_t to_us)
{
    if (matcher->model->estimate.sample_rate >= 1)
        return find_exact(peak, matcher, from_us, to_us);
    for (int half = BOTH; half < PEAK_HALVES; half++) {
        struct search search = search_of(matcher, from_us, to_us, half);
        search.own_weight = peak_own_weight(matcher->model->info.sample_rate);
        if (!find_highest(&search))
            return false;
        if (half == BOTH) {
            peak->time_us = peak->highest_us = peak->half_us[0] = peak->half_us[1] =
                search.highest_us;
            peak->births = peak->half_births[0] = peak->half_births[1] = search.highest_births;
            peak->highest = search.highest;
        } else if (search.highest > 0 && !find_own_highest(peak, &search)) {
            return false;
        }
    }
    return true;
}

/* ---- The whole ----------------------------------------------------------------------- */

/* The latest of its times. */
static int64_t latest_of(const struct peak *peak)
{
    int64_t latest_us = peak->highest_us;
    for (int half = 0; half < PEAK_HALVES; half++)
        latest_us = peak->half_us[half] > latest_us ? peak->half_us[half] : latest_us;
    return latest_us;
}

/* What is alive at the times. */
static void count_alive(struct live_peak *found, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct matcher_life life;
    struct peak top = found->peak; /* as if all samples were judged by their highest point */
    top.half_us[0] = top.highest_us;
    top.half_births[0] = top.births;
    found->peak.samples = 0;
    int64_t last_us = latest_of(&found->peak);
    for (size_t row = 0; row < model->objects.count && !is_born_after(model, row, last_us); row++) {
        if (!matcher_object(matcher, row, &life))
            continue;
        const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
        uint32_t blocks = model_row_blocks(model, row);
        struct peak_life lived = matcher_peak_life(&life);
        unsigned halves = 0;
        for (int half = 0; half < PEAK_HALVES; half++)
            halves |= (unsigned)peak_holds(&found->peak, half, &lived) << half;
        halves &= life.halves;
        if (peak_holds(&top, 0, &lived)) {
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

/* What is alive there is the peak where that is more. */
static void take_end(struct live_peak *found, const struct matcher *matcher, int64_t end_us)
{
    struct live_peak end = {.peak = found->peak};
    peak_move_to_end(&end.peak, end_us);
    count_alive(&end, matcher);
    if (end.peak.samples > found->peak.samples)
        *found = end;
}

bool live_peak_find(struct live_peak *found, const struct matcher *matcher, int64_t from_us,
                    int64_t to_us)
{
    const struct model *model = matcher->model;
    bool is_part = !matcher_passes_all(matcher) || from_us > 0 || to_us <= model->end_us;
    *found = (struct live_peak){.peak = is_part ? (struct peak){0} : model->peak};
    if (is_part && !find_times(&found->peak, matcher, from_us, to_us))
        return false;
    count_alive(found, matcher);
    if (is_part && model->estimate.sample_rate < 1)
        take_end(found, matcher, to_us <= model->end_us ? to_us - 1 : model->end_us);
    return true;
}
