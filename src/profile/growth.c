#include "profile/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/growth_trail.h"

_Static_assert(GROWTH_NEVER == MODEL_NEVER, "what is alive has one end");

struct growth *growth_new(const struct model *model)
{
    struct growth *growth = calloc(1, sizeof *growth);
    if (growth)
        growth->is_collected = model->info.word_bits > 8;
    return growth;
}

void growth_free(struct growth *growth)
{
    if (!growth)
        return;
    free(growth->lasts);
    free(growth->sums);
    free(growth->nexts);
    for (size_t i = 0; i < growth->trail_capacity; i++)
        free(growth->trails[i]);
    free(growth->trails);
    free(growth);
}

/* Room for a stack; what is new has no block. */
static bool reserve_stack(struct growth *growth, uint32_t stack)
{
    size_t known = growth->last_capacity;
    if (!ARRAY_RESERVE(&growth->lasts, &growth->last_capacity, (size_t)stack + 1))
        return false;
    memset(growth->lasts + known, 0, (growth->last_capacity - known) * sizeof *growth->lasts);
    known = growth->sum_capacity;
    if (!ARRAY_RESERVE(&growth->sums, &growth->sum_capacity, (size_t)stack + 1))
        return false;
    memset(growth->sums + known, 0, (growth->sum_capacity - known) * sizeof *growth->sums);
    return true;
}

static const struct model_shape *shape_of(const struct model *model, uint32_t row)
{
    return &model->shapes[model->objects.shape[row]];
}

/* A block is born after the last one of its stack: of the same thread, and is that alive? */
static void note_follower(struct growth_sum *sum, const struct growth_last *last, uint32_t domain)
{
    if (last->words == 0 || last->domain != domain)
        return;
    sum->followers++;
    sum->crowded += last->row != MODEL_NONE;
}

/* The first block of a stack that has another is left out. */
static bool begin_guest(struct growth *growth, const struct model *model, uint32_t stack,
                        uint32_t row, const struct growth_next *next)
{
    size_t known = growth->trail_capacity;
    if (!ARRAY_RESERVE(&growth->trails, &growth->trail_capacity, (size_t)stack + 1))
        return false;
    memset(growth->trails + known, 0, (growth->trail_capacity - known) * sizeof *growth->trails);
    struct growth_trail **trail = &growth->trails[stack];
    struct trail_step step = {.block = {next->words, next->bytes, next->born_us, next->birth},
                              .row = row,
                              .died_us = MODEL_NEVER,
                              .end = UINT64_MAX};
    if (!*trail)
        *trail = calloc(1, sizeof **trail);
    if (*trail)
        growth_trail_begin(*trail, &model->estimate, &step);
    return *trail;
}

bool growth_begin(struct growth *growth, const struct model *model, uint32_t row)
{
    uint32_t stack = model->objects.stack[row];
    const struct model_shape *shape = shape_of(model, row);
    if (!reserve_stack(growth, stack) ||
        !ARRAY_RESERVE(&growth->nexts, &growth->next_capacity, (size_t)row + 1))
        return false;
    struct growth_last *last = &growth->lasts[stack];
    struct growth_next next = {.words = shape->words,
                               .bytes = estimate_bytes(&model->estimate, (double)shape->samples),
                               .born_us = model_row_born_us(model, row),
                               .birth = growth->births++};
    note_follower(&growth->sums[stack], last, shape->domain);
    if (model->is_guest && last->words > 0 && !begin_guest(growth, model, stack, row, &next))
        return false;
    if (last->words > 0 && last->row != MODEL_NONE)
        growth->nexts[last->row] = next;
    else if (growth_replaces(last->died_us, next.born_us, growth->is_collected))
        growth_note(&growth->sums[stack], &model->estimate, next.words, next.bytes, last->words,
                    false, 1);
    *last = (struct growth_last){.words = shape->words, .row = row, .domain = shape->domain};
    growth->nexts[row] = (struct growth_next){0};
    return true;
}

void growth_end(struct growth *growth, const struct model *model, uint32_t row)
{
    uint32_t stack = model->objects.stack[row];
    int64_t died_us = model_row_died_us(model, row);
    struct growth_last *last = &growth->lasts[stack];
    const struct growth_next *next = &growth->nexts[row];
    if (next->words > 0 && growth_replaces(died_us, next->born_us, growth->is_collected))
        growth_note(&growth->sums[stack], &model->estimate, next->words, next->bytes,
                    shape_of(model, row)->words, growth_overlaps(growth->births, next->birth), 1);
    if (stack < growth->trail_capacity && growth->trails[stack])
        growth_trail_end(growth->trails[stack], row, died_us, growth->births);
    if (last->row == row) {
        last->row = MODEL_NONE;
        last->died_us = died_us;
    }
}

struct growth_sum growth_of(const struct growth *growth, const struct model *model, uint32_t stack)
{
    struct growth_sum sum =
        stack < growth->sum_capacity ? growth->sums[stack] : (struct growth_sum){0};
    if (stack >= growth->trail_capacity || !growth->trails[stack] || model->is_collected)
        return sum;
    struct growth_sum pairs = growth_trail_sum(growth->trails[stack], &model->estimate);
    pairs.followers = sum.followers;
    pairs.crowded = sum.crowded;
    return pairs;
}
