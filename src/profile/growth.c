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
    for (size_t i = 0; i < growth->stack_capacity; i++)
        free(growth->stacks[i].trail);
    free(growth->stacks);
    free(growth->nexts);
    free(growth);
}

/* Of a number; one that is new has no block.  NULL when there is no memory. */
static struct growth_stack *stack_of(struct growth *growth, uint32_t number)
{
    size_t known = growth->stack_capacity;
    if (!ARRAY_RESERVE(&growth->stacks, &growth->stack_capacity, (size_t)number + 1))
        return NULL;
    memset(growth->stacks + known, 0, (growth->stack_capacity - known) * sizeof *growth->stacks);
    return &growth->stacks[number];
}

static const struct model_shape *shape_of(const struct model *model, uint32_t row)
{
    return &model->shapes[model->objects.shape[row]];
}

/* A block is born after the last one of its stack: of the same thread, and is that alive? */
static void note_follower(struct growth_stack *stack, uint32_t domain)
{
    if (stack->last.words == 0 || stack->last.domain != domain)
        return;
    stack->sum.followers++;
    stack->sum.crowded += stack->last.row != MODEL_NONE;
}

/* ---- Pairs by the last block ------------------------------------------------------------ */

static bool begin_pair(struct growth *growth, const struct model *model, struct growth_stack *stack,
                       uint32_t row, const struct growth_block *block)
{
    const struct growth_last *last = &stack->last;
    if (!ARRAY_RESERVE(&growth->nexts, &growth->next_capacity, (size_t)row + 1))
        return false;
    if (last->words > 0 && last->row != MODEL_NONE)
        growth->nexts[last->row] = *block;
    else if (growth_replaces(last->died_us, block->born_us, growth->is_collected))
        growth_note(&stack->sum, &model->estimate, block->words, block->bytes, last->words, false,
                    1);
    growth->nexts[row] = (struct growth_block){0};
    return true;
}

static void end_pair(struct growth *growth, const struct model *model, struct growth_stack *stack,
                     uint32_t row, int64_t died_us)
{
    const struct growth_block *next = &growth->nexts[row];
    if (next->words > 0 && growth_replaces(died_us, next->born_us, growth->is_collected))
        growth_note(&stack->sum, &model->estimate, next->words, next->bytes,
                    shape_of(model, row)->words, growth_overlaps(growth->births, next->birth), 1);
}

/* ---- Pairs by a trail ------------------------------------------------------------------- */

/* The first block of a stack that has another is left out. */
static bool begin_step(const struct model *model, struct growth_stack *stack, uint32_t row,
                       const struct growth_block *block)
{
    struct trail_step step = {
        .block = *block, .row = row, .died_us = MODEL_NEVER, .end = UINT64_MAX};
    if (stack->last.words == 0)
        return true;
    if (!stack->trail)
        stack->trail = calloc(1, sizeof *stack->trail);
    if (stack->trail)
        growth_trail_begin(stack->trail, &model->estimate, &step);
    return stack->trail;
}

static void end_step(const struct growth *growth, struct growth_stack *stack, uint32_t row,
                     int64_t died_us)
{
    if (stack->trail)
        growth_trail_end(stack->trail, row, died_us, growth->births);
}

/* ---- Either ----------------------------------------------------------------------------- */

bool growth_begin(struct growth *growth, const struct model *model, uint32_t row)
{
    struct growth_stack *stack = stack_of(growth, model->objects.stack[row]);
    const struct model_shape *shape = shape_of(model, row);
    struct growth_block block = {.words = shape->words,
                                 .bytes = estimate_bytes(&model->estimate, (double)shape->samples),
                                 .born_us = model_row_born_us(model, row),
                                 .birth = growth->births++};
    if (!stack)
        return false;
    note_follower(stack, shape->domain);
    bool done = growth_has_trails(model) ? begin_step(model, stack, row, &block)
                                         : begin_pair(growth, model, stack, row, &block);
    stack->last = (struct growth_last){.words = shape->words, .row = row, .domain = shape->domain};
    return done;
}

void growth_end(struct growth *growth, const struct model *model, uint32_t row)
{
    struct growth_stack *stack = &growth->stacks[model->objects.stack[row]];
    int64_t died_us = model_row_died_us(model, row);
    if (growth_has_trails(model))
        end_step(growth, stack, row, died_us);
    else
        end_pair(growth, model, stack, row, died_us);
    if (stack->last.row == row) {
        stack->last.row = MODEL_NONE;
        stack->last.died_us = died_us;
    }
}

struct growth_sum growth_of(const struct growth *growth, const struct model *model, uint32_t stack)
{
    if (stack >= growth->stack_capacity)
        return (struct growth_sum){0};
    const struct growth_stack *of = &growth->stacks[stack];
    struct growth_sum sum = of->trail ? growth_trail_sum(of->trail, &model->estimate) : of->sum;
    sum.followers = of->sum.followers;
    sum.crowded = of->sum.crowded;
    return sum;
}
