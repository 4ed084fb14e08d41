/* A row's key holds its stack, and 26 bits of its shape beside 6 of its outcome.  What doesn't fit is left unfolded.
 *
 * Blocks that end wait in a queue: where a block is to be looked up is fetched from memory when it enters, and where it is to be
 * added when it is half way through.  Without that, most of the time would go into waiting for the cache. */
#include "profile/folded_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/growth.h"
#include "profile/lives.h"
#include "profile/process_clock.h"

enum { SHAPE_BITS = 26, HALVES_BITS = 2 };

/* ---- The question -------------------------------------------------------------------- */

bool folded_question_needs_bounds(const struct folded_question *question)
{
    bool needs = question->at_peak || question->asks_lives || question->watcher;
    for (size_t i = 0; i < question->count; i++)
        needs |= filter_needs_run(question->filters[i]);
    return needs;
}

bool folded_rows_init(struct folded_rows *folded, struct model *model,
                      const struct folded_question *question, const struct run_bounds *bounds)
{
    *folded = (struct folded_rows){.at_peak = question->at_peak,
                                   .asks_lives = question->asks_lives,
                                   .watcher = question->watcher,
                                   .unused = MODEL_NONE};
    for (int i = 0; i < FOLDED_ENDS; i++)
        folded->ends[i].row = MODEL_NONE;
    if (bounds) {
        model->end_us = bounds->end_us;
        model->peak = bounds->peak;
    }
    for (; folded->count < question->count; folded->count++)
        if (!matcher_init_lives(&folded->lives[folded->count], model,
                                question->filters[folded->count])) {
            folded_rows_release(folded);
            return false;
        }
    if (folded->asks_lives) {
        model->growth = growth_new(model);
        model->lives = lives_new(model->end_us);
    }
    if (((model->growth && model->lives) || !folded->asks_lives) &&
        (!folded->watcher || folded->watcher->begin(folded->watcher->context, model)))
        return true;
    folded_rows_release(folded);
    return false;
}

void folded_rows_release(struct folded_rows *folded)
{
    for (size_t i = 0; i < folded->count; i++)
        matcher_release(&folded->lives[i]);
    map_release(&folded->rows);
    free(folded->sums);
    *folded = (struct folded_rows){.unused = MODEL_NONE};
}

/* ---- Outcomes ------------------------------------------------------------------------ */

static void add_bits(uint64_t *outcome, unsigned bits, unsigned count)
{
    *outcome = *outcome << count | bits;
}

static void add_peak(uint64_t *outcome, const struct model *model, const struct matcher_life *life)
{
    int64_t highest_us = model->peak.highest_us;
    add_bits(outcome, matcher_halves_at_peak(model, life), HALVES_BITS);
    add_bits(outcome, life->born_us <= highest_us && life->died_us > highest_us, 1);
}

static void add_shortness(uint64_t *outcome, const struct model *model, uint32_t row,
                          const struct matcher_life *life)
{
    int64_t promoted_us = model_row_promoted_us(model, row);
    int64_t short_us = model_short_life_us(model);
    add_bits(outcome, life->died_us - life->born_us <= short_us, 1);
    add_bits(outcome, promoted_us != MODEL_NEVER && life->died_us - promoted_us <= short_us, 1);
}

/* `*life` becomes that of the first filter. */
static uint64_t outcome_of(const struct folded_rows *folded, const struct model *model,
                           uint32_t row, struct matcher_life *life)
{
    const struct matcher_life whole = matcher_whole_life(model, row);
    uint64_t outcome = model_row_promoted_us(model, row) != MODEL_NEVER;
    *life = whole;
    for (size_t i = 0; i < folded->count; i++) {
        struct matcher_life lived = whole;
        if (!matcher_is_of_lives(&folded->lives[i]))
            continue;
        bool passes = matcher_check_life(&folded->lives[i], row, &lived);
        add_bits(&outcome, passes ? lived.halves : 0, HALVES_BITS);
        if (i == 0)
            *life = lived;
    }
    if (folded->at_peak) {
        add_peak(&outcome, model, &whole);
        add_peak(&outcome, model, life);
    }
    if (folded->asks_lives)
        add_shortness(&outcome, model, row, &whole);
    return outcome;
}

/* The number of an outcome, perhaps a new one; FOLDED_OUTCOMES where there are too many. */
static unsigned number_of(struct folded_rows *folded, uint64_t outcome)
{
    unsigned number = 0;
    while (number < folded->outcome_count && folded->outcomes[number] != outcome)
        number++;
    if (number == folded->outcome_count && number < FOLDED_OUTCOMES)
        folded->outcomes[folded->outcome_count++] = outcome;
    return number;
}

/* ---- Rows ---------------------------------------------------------------------------- */

uint32_t folded_rows_take(struct folded_rows *folded, const struct model *model)
{
    uint32_t row = folded->unused;
    if (row != MODEL_NONE)
        folded->unused = model->objects.stack[row];
    return row;
}

bool folded_rows_begin(struct folded_rows *folded, struct model *model, uint32_t row)
{
    if (!ARRAY_RESERVE(&folded->sums, &folded->sum_capacity, (size_t)row + 1) ||
        (folded->asks_lives && !growth_begin(model->growth, model, row)) ||
        !wide_column_set(&model->objects.birth, row, folded->births))
        return false;
    folded->sums[row] = (struct folded_sum){.birth = folded->births++, .blocks = 1};
    return true;
}

static void give_back(struct folded_rows *folded, struct model_objects *objects, uint32_t row)
{
    objects->shape[row] = MODEL_NONE;
    objects->stack[row] = folded->unused;
    folded->unused = row;
}

/* Finds the row for a block that waits. */
static bool find_alike(struct folded_rows *folded, struct folded_end *end)
{
    bool fresh;
    uint32_t *alike = map_put(&folded->rows, end->key, end->row, &fresh);
    if (!alike)
        return false;
    end->alike = *alike;
    __builtin_prefetch(&folded->sums[end->alike], 1);
    return true;
}

/* Adds a block that has waited to its row, unless that is its own, or full. */
static void fold(struct folded_rows *folded, struct model *model, const struct folded_end *end)
{
    struct folded_sum *to = &folded->sums[end->alike];
    const struct folded_sum *sum = &folded->sums[end->row];
    if (end->alike == end->row || to->blocks == UINT32_MAX)
        return;
    to->blocks++;
    to->lived_us += sum->lived_us;
    to->birth = sum->birth < to->birth ? sum->birth : to->birth;
    give_back(folded, &model->objects, end->row);
}

/* One step of the queue: its last place is free then. */
static bool step(struct folded_rows *folded, struct model *model)
{
    struct folded_end *last = &folded->ends[folded->end_count % FOLDED_ENDS],
                      *middle = &folded->ends[(folded->end_count + FOLDED_ENDS / 2) % FOLDED_ENDS];
    if (last->row != MODEL_NONE)
        fold(folded, model, last);
    last->row = MODEL_NONE;
    return middle->row == MODEL_NONE || find_alike(folded, middle);
}

bool folded_rows_end(struct folded_rows *folded, struct model *model, uint32_t row)
{
    const struct model_objects *objects = &model->objects;
    struct matcher_life life;
    unsigned outcome = number_of(folded, outcome_of(folded, model, row, &life));
    uint32_t shape = objects->shape[row];
    folded->sums[row].lived_us = (double)(life.died_us - life.born_us);
    life = matcher_whole_life(model, row);
    if (folded->asks_lives) {
        growth_end(model->growth, model, row);
        struct process_clock clock = process_clock_of(model, model->shapes[shape].domain);
        if (!lives_add(model->lives, objects->stack[row], process_clock_time(&clock, life.born_us),
                       process_clock_time(&clock, life.died_us), 1,
                       (double)model->shapes[shape].samples, clock.run_us,
                       model->shapes[shape].words))
            return false;
    }
    if (folded->watcher) {
        folded->watcher->end(folded->watcher->context, &life, &model->shapes[shape]);
    }
    if (shape >> SHAPE_BITS || outcome == FOLDED_OUTCOMES)
        return true;
    if (!step(folded, model))
        return false;
    uint64_t key = (uint64_t)objects->stack[row] << 32 | outcome << SHAPE_BITS | shape;
    if (folded->rows.slots)
        __builtin_prefetch(&folded->rows.slots[map_hash(key) & folded->rows.mask]);
    folded->ends[folded->end_count++ % FOLDED_ENDS] = (struct folded_end){key, row, row};
    return true;
}

/* ---- Order --------------------------------------------------------------------------- */

struct place {
    uint64_t birth;
    uint32_t row;
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->birth > b->birth) - (a->birth < b->birth);
}

static struct place *sorted_places(const struct folded_rows *folded,
                                   const struct model_objects *objects, size_t *count)
{
    struct place *places = malloc((objects->count + 1) * sizeof *places);
    *count = 0;
    for (size_t row = 0; places && row < objects->count; row++)
        if (objects->shape[row] != MODEL_NONE)
            places[(*count)++] = (struct place){folded->sums[row].birth, (uint32_t)row};
    if (*count > 1)
        qsort(places, *count, sizeof *places, compare);
    return places;
}

/* Puts the items of a column, NULL for none, in the order of the rows of `places`. */
static bool sort_column(void *column, const struct place *places, size_t count, size_t item_bytes)
{
    char **items = column, *from = *items;
    if (!from)
        return true;
    char *sorted = malloc((count + 1) * item_bytes);
    for (size_t i = 0; sorted && i < count; i++)
        memcpy(sorted + i * item_bytes, from + places[i].row * item_bytes, item_bytes);
    if (!sorted)
        return false;
    free(from);
    *items = sorted;
    return true;
}

static bool sort_wide(struct wide_column *column, const struct place *places, size_t count)
{
    column->capacity = count + 1;
    return sort_column(&column->low, places, count, sizeof *column->low) &&
           sort_column(&column->high, places, count, sizeof *column->high);
}

static bool take_sums(const struct folded_rows *folded, struct model_objects *objects,
                      const struct place *places, size_t count)
{
    objects->blocks = malloc((count + 1) * sizeof *objects->blocks);
    objects->lived_us = malloc((count + 1) * sizeof *objects->lived_us);
    for (size_t i = 0; objects->blocks && objects->lived_us && i < count; i++) {
        objects->blocks[i] = folded->sums[places[i].row].blocks;
        objects->lived_us[i] = folded->sums[places[i].row].lived_us;
    }
    return objects->blocks && objects->lived_us;
}

bool folded_rows_finish(struct folded_rows *folded, struct model *model)
{
    struct model_objects *objects = &model->objects;
    size_t count;
    for (int i = 0; i < FOLDED_ENDS; i++, folded->end_count++)
        if (!step(folded, model))
            return false;
    map_release(&folded->rows);
    struct place *places = sorted_places(folded, objects, &count);
    bool done = places && sort_column(&objects->stack, places, count, sizeof *objects->stack) &&
                sort_column(&objects->shape, places, count, sizeof *objects->shape) &&
                sort_column(&objects->end_domain, places, count, sizeof *objects->end_domain) &&
                sort_wide(&objects->born_us, places, count) &&
                sort_wide(&objects->died_us, places, count) &&
                sort_wide(&objects->birth, places, count) &&
                sort_wide(&objects->end, places, count) &&
                sort_wide(&objects->promoted_us, places, count) &&
                take_sums(folded, objects, places, count);
    objects->count = objects->capacity = done ? count : 0;
    folded->unused = MODEL_NONE;
    free(places);
    return done;
}
