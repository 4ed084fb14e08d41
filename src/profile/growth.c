#include "profile/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void growth_note(struct growth_sum *sum, const struct estimate *estimate, uint64_t words,
                 double bytes, uint64_t before, bool overlaps)
{
    bool is_doubled = (double)words >= (double)before * GROWTH_FACTOR;
    if (before == 0 || words <= before)
        return;
    *(is_doubled ? &sum->doublings : &sum->small_steps) += 1;
    *(is_doubled ? &sum->doubled_bytes : &sum->stepped_bytes) += bytes;
    sum->overlapped_bytes += overlaps ? bytes : 0;
    double replaced = bytes * (double)before / (double)words;
    sum->replaced_bytes += replaced;
    sum->weighed_bytes += replaced / estimate_seen_chance(estimate, before);
}

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
    if (last->words > 0 && last->row != MODEL_NONE)
        growth->nexts[last->row] = next;
    else if (growth_replaces(last->died_us, next.born_us, growth->is_collected))
        growth_note(&growth->sums[stack], &model->estimate, next.words, next.bytes, last->words,
                    false);
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
                    shape_of(model, row)->words, growth_overlaps(growth->births, next->birth));
    if (last->row == row) {
        last->row = MODEL_NONE;
        last->died_us = died_us;
    }
}

struct growth_sum growth_of(const struct growth *growth, uint32_t stack)
{
    return stack < growth->sum_capacity ? growth->sums[stack] : (struct growth_sum){0};
}
