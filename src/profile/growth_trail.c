#include "profile/growth_trail.h"

#include <string.h>

/* A text that is kept until the next step outlives the birth of that one by as long, and perhaps a little more. */
static bool is_replaced(const struct trail_step *step, int64_t born_us)
{
    int64_t alone_us = born_us - step->block.born_us;
    return growth_replaces(step->died_us, born_us, false) ||
           (step->died_us != GROWTH_NEVER && step->died_us >= born_us &&
            step->died_us - born_us <= 2 * alone_us);
}

static struct trail_step *step_of(struct growth_trail *trail, const struct growth_block *block)
{
    for (size_t i = 0; i < trail->count; i++)
        if (trail->steps[i].block.birth == block->birth)
            return &trail->steps[i];
    return NULL;
}

/* Counts that a block replaces another, or takes that back. */
static void count(struct growth_trail *trail, const struct estimate *estimate,
                  const struct growth_block *block, const struct trail_replaced *replaced, int sign)
{
    growth_note(&trail->sum, estimate, block->words, block->bytes, replaced->block.words,
                replaced->overlaps, sign);
}

/* Of two that the same block replaces, the one that is left out may be replaced by the other: in `s = s + a + b` the first sum replaces the old
 * text, and both are gone when the new one is there. */
static void pass_on(struct growth_trail *trail, const struct estimate *estimate,
                    struct trail_replaced *winner, const struct trail_replaced *loser)
{
    if (loser->block.birth > winner->block.birth || loser->block.words <= winner->own_words)
        return;
    struct trail_replaced own = {.block.words = winner->own_words};
    count(trail, estimate, &winner->block, &own, -1);
    count(trail, estimate, &winner->block, loser, 1);
    winner->own_words = loser->block.words;
}

/* A block replaces another, unless it is known to replace a larger one. */
static void note(struct growth_trail *trail, const struct estimate *estimate,
                 const struct growth_block *block, struct trail_replaced replaced)
{
    struct trail_step *step = step_of(trail, block);
    if (replaced.block.words >= block->words)
        return;
    if (step && step->replaced.block.words >= replaced.block.words) {
        pass_on(trail, estimate, &step->replaced, &replaced);
        return;
    }
    count(trail, estimate, block, &replaced, 1);
    if (step) {
        count(trail, estimate, block, &step->replaced, -1);
        pass_on(trail, estimate, &replaced, &step->replaced);
        step->replaced = replaced;
    }
}

/* By the block that came after it, if one does. */
static void settle(struct growth_trail *trail, const struct estimate *estimate,
                   const struct trail_step *step)
{
    struct trail_replaced replaced = {.block = step->block,
                                      .own_words = step->replaced.block.words,
                                      .overlaps = growth_overlaps(step->end, step->next.birth)};
    if (step->next.words > 0 && is_replaced(step, step->next.born_us))
        note(trail, estimate, &step->next, replaced);
}

static void drop(struct growth_trail *trail, size_t i)
{
    memmove(&trail->steps[i], &trail->steps[i + 1], (--trail->count - i) * sizeof *trail->steps);
}

/* Drops those that are dead when a block is born.  Returns the largest that ended right before, as in a realloc; of no words for none. */
static struct trail_replaced drop_dead(struct growth_trail *trail, const struct estimate *estimate,
                                       const struct growth_block *block)
{
    struct trail_replaced freed = {0};
    for (size_t i = 0; i < trail->count;) {
        const struct trail_step step = trail->steps[i];
        if (step.end > block->birth) {
            i++;
            continue;
        }
        settle(trail, estimate, &step);
        if (step.block.words <= block->words && step.block.words > freed.block.words &&
            is_replaced(&step, block->born_us))
            freed = (struct trail_replaced){step.block, step.replaced.block.words, false};
        drop(trail, i);
    }
    return freed;
}

/* The oldest of those that have been followed by a larger one, or else of all. */
static void make_room(struct growth_trail *trail)
{
    size_t oldest = 0;
    while (oldest < trail->count && trail->steps[oldest].next.words == 0)
        oldest++;
    if (trail->count == TRAIL_BLOCKS)
        drop(trail, oldest < trail->count ? oldest : 0);
}

void growth_trail_begin(struct growth_trail *trail, const struct estimate *estimate,
                        const struct trail_step *step)
{
    const struct growth_block *block = &step->block;
    struct trail_replaced freed = drop_dead(trail, estimate, block);
    for (size_t i = 0; i < trail->count; i++)
        if (trail->steps[i].block.words <= block->words)
            trail->steps[i].next = *block;
    make_room(trail);
    trail->steps[trail->count++] = *step;
    if (freed.block.words > 0)
        note(trail, estimate, block, freed);
}

void growth_trail_end(struct growth_trail *trail, uint32_t row, int64_t died_us, uint64_t end)
{
    for (size_t i = 0; i < trail->count; i++)
        if (trail->steps[i].row == row && trail->steps[i].died_us == GROWTH_NEVER) {
            trail->steps[i].died_us = died_us;
            trail->steps[i].end = end;
        }
}

struct growth_sum growth_trail_sum(const struct growth_trail *trail,
                                   const struct estimate *estimate)
{
    struct growth_trail rest = *trail;
    for (size_t i = 0; i < rest.count; i++) {
        const struct trail_step step = rest.steps[i];
        settle(&rest, estimate, &step);
    }
    return rest.sum;
}
