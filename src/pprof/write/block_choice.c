#include "pprof/write/block_choice.h"

static bool add_object(struct block_groups *groups, const struct matcher *matcher, size_t row,
                       const struct matcher_life *life, uint32_t stack)
{
    const struct model *model = matcher->model;
    struct model_object object = model_object(model, row);
    uint32_t number = block_groups_find(groups, stack, object.shape->words);
    if (number == STACK_NONE)
        return false;
    uint64_t each = model_shape_samples(object.shape, life->halves),
             samples = model_row_blocks(model, row) * each;
    double lived_us = life->is_left ? (double)(matcher_end_us(model, life) - life->born_us)
                                    : matcher_lived_us(matcher, row, life);
    struct block_group *group = &groups->items[number];
    group->allocated += samples;
    group->lifetimes_us += (double)each * lived_us;
    if (selection_counts(SELECT_LIVE, matcher, row, life))
        group->live += samples;
    if (selection_counts(SELECT_PROMOTED, matcher, row, life))
        group->promoted += samples;
    return true;
}

bool block_choice(struct block_groups *groups, const struct matcher *matcher,
                  const struct selection *selection)
{
    const struct model *model = matcher->model;
    *groups = (struct block_groups){.estimate = model->estimate,
                                    .trie = selection->profile.trie,
                                    .borrows_trie = true,
                                    .last_us = model->end_us};
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!matcher_object(matcher, row, &life))
            continue;
        uint32_t stack = selection_stack(selection, model->objects.stack[row]);
        if (stack != STACK_NONE && !add_object(groups, matcher, row, &life, stack))
            return false;
    }
    return true;
}
