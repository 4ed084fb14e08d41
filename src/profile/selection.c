#include "profile/selection.h"

#include <stdlib.h>

#include "base/saturate.h"

/* ---- Rows to tallies ----------------------------------------------------------------- */

static void sum_objects(struct stack_tally *tallies, const struct matcher *matcher,
                        enum selection_quantity quantity)
{
    const struct model *model = matcher->model;
    const struct model_objects *objects = &model->objects;
    struct matcher_life life;
    for (size_t i = 0; model->sums && i < model->trie.stack_count; i++)
        if (!matcher->stack_passes || matcher->stack_passes[i])
            tallies[i] = model->sums[i];
    for (size_t row = 0; row < objects->count; row++)
        if (matcher_object(matcher, row, &life) && selection_counts(quantity, matcher, row, &life))
            selection_add_row(&tallies[objects->stack[row]], model, row, &life);
}

static void sum_samples(struct stack_tally *tallies, const struct matcher *matcher, size_t type)
{
    const struct model_samples *samples = &matcher->model->samples;
    for (size_t row = 0; row < samples->count; row++)
        if (matcher_sample(matcher, row))
            selection_add_value(&tallies[samples->stack[row]],
                                samples->values[row * samples->type_count + type]);
}

struct stack_tally selection_whole(const struct model *model,
                                   const struct selection_options *options)
{
    struct stack_tally whole = {0};
    for (size_t i = 0; i < model->shape_count; i++) {
        const struct model_shape *shape = &model->shapes[i];
        uint64_t count = options->quantity == SELECT_LIVE        ? shape->live
                         : options->quantity == SELECT_PROMOTED  ? shape->promoted
                         : options->quantity == SELECT_COLLECTED ? shape->count - shape->live
                                                                 : shape->count;
        whole.events += count;
        whole.samples += count * shape->samples;
        whole.seen_words += count * model_shape_seen_words(model, shape);
        whole.density += (double)count * shape->density;
        whole.squares += (double)count * model_shape_squares(shape, MODEL_BOTH_HALVES);
    }
    for (size_t i = 0; model->sums && i < model->trie.stack_count; i++)
        stack_tally_sum(&whole, &model->sums[i]);
    const struct model_samples *samples = &model->samples;
    for (size_t row = 0; row < samples->count; row++)
        selection_add_value(
            &whole,
            saturate_magnitude(samples->values[row * samples->type_count + options->value_type]));
    return whole;
}

/* ---- The selection ------------------------------------------------------------------- */

/* Moves the tallies to the stacks of the edited trie, and makes stacks there of their ends. */
static bool move_tallies(struct stack_profile *profile, uint32_t *ends, size_t count,
                         const struct stack_tally *tallies)
{
    struct stack_trie *trie = &profile->trie;
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (ends[i] != STACK_NONE) {
            ends[i] = stack_trie_stack(trie, ends[i]);
            done = ends[i] != STACK_NONE;
        }
    profile->tallies = done ? calloc(trie->stack_count + 1, sizeof *profile->tallies) : NULL;
    for (size_t i = 0; profile->tallies && i < count; i++)
        if (ends[i] != STACK_NONE)
            stack_tally_sum(&profile->tallies[ends[i]], &tallies[i]);
    return profile->tallies;
}

static bool count_hidden(struct selection *selection, const struct stack_trie *trie,
                         const struct stack_tally *tallies)
{
    struct frame_source all = frame_edit_all_frames(&selection->edit);
    struct library_ends *library = &selection->edit.library;
    if (!library->ends)
        return true;
    for (size_t i = 0; i < trie->stack_count; i++)
        if (tallies[i].events > 0)
            library_ends_count(library, trie, trie->ends[i], &tallies[i]);
    return library_ends_sum(library, &all, &selection->hidden);
}

static bool edit_stacks(struct selection *selection, const struct model *model,
                        const struct filter *filter)
{
    struct stack_tally *tallies = selection->profile.tallies;
    size_t count = model->trie.stack_count;
    uint32_t *ends = malloc((count + 1) * sizeof *ends);
    selection->profile.tallies = NULL;
    selection->borrows_trie = false;
    selection->profile.trie = (struct stack_trie){0};
    bool done = ends && stack_trie_init(&selection->profile.trie) &&
                frame_edit_init(&selection->edit, model, filter, &selection->profile.trie, ends) &&
                count_hidden(selection, &model->trie, tallies) &&
                move_tallies(&selection->profile, ends, count, tallies);
    selection->frames = frame_edit_frames(&selection->edit);
    selection->moved = ends;
    free(tallies);
    return done;
}

bool selection_init(struct selection *selection, const struct matcher *matcher,
                    const struct filter *filter, const struct selection_options *options)
{
    const struct model *model = matcher->model;
    struct stack_tally *tallies = calloc(model->trie.stack_count + 1, sizeof *tallies);
    *selection = (struct selection){
        .profile = {.estimate = model->estimate, .trie = model->trie, .tallies = tallies},
        .whole = selection_whole(model, options),
        .frames = model_frames(model),
        .stack_count = model->trie.stack_count,
        .borrows_trie = true,
    };
    if (!tallies)
        return false;
    if (model->kind == MODEL_OBJECTS) {
        sum_objects(tallies, matcher, options->quantity);
    } else {
        const struct model_value_type *type = &model->samples.types[options->value_type];
        selection->profile.measure = (struct stack_measure){type->name, type->unit};
        sum_samples(tallies, matcher, options->value_type);
    }
    if (frame_edit_is_needed(filter) && !edit_stacks(selection, model, filter)) {
        selection_release(selection);
        return false;
    }
    stack_profile_finish(&selection->profile);
    return true;
}

void selection_release(struct selection *selection)
{
    if (selection->borrows_trie)
        selection->profile.trie = (struct stack_trie){0};
    stack_profile_release(&selection->profile);
    frame_edit_release(&selection->edit);
    free(selection->moved);
    *selection = (struct selection){0};
}

/* ---- Compaction ---------------------------------------------------------------------- */

/* Marks the nodes of stacks that have events. */
static void mark_needed(const struct stack_profile *profile, bool *needed)
{
    const struct stack_trie *trie = &profile->trie;
    for (size_t i = 0; i < trie->stack_count; i++) {
        if (profile->tallies[i].events == 0)
            continue;
        for (uint32_t node = trie->ends[i]; node != STACK_ROOT && !needed[node];
             node = trie->nodes[node].parent)
            needed[node] = true;
    }
}

/* Copies what is needed into `to`; `of_node` becomes the new number of each node. */
static bool copy_needed(const struct stack_trie *from, const bool *needed, struct stack_trie *to,
                        uint32_t *of_node)
{
    of_node[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; node < from->count; node++) {
        if (!needed[node])
            continue;
        of_node[node] =
            stack_trie_add(to, of_node[from->nodes[node].parent], from->nodes[node].frame);
        if (of_node[node] == STACK_NONE)
            return false;
    }
    return true;
}

/* By stack, its number in the new trie, or STACK_NONE; malloc'ed. */
static uint32_t *number_stacks(const struct stack_profile *profile, struct stack_trie *to)
{
    const struct stack_trie *from = &profile->trie;
    bool *needed = calloc(from->count, sizeof *needed);
    uint32_t *of_node = malloc(from->count * sizeof *of_node);
    uint32_t *numbers = malloc((from->stack_count + 1) * sizeof *numbers);
    bool done = needed && of_node && numbers;
    if (done) {
        mark_needed(profile, needed);
        done = copy_needed(from, needed, to, of_node);
    }
    for (size_t i = 0; done && i < from->stack_count; i++) {
        numbers[i] = STACK_NONE;
        if (profile->tallies[i].events == 0)
            continue;
        numbers[i] = stack_trie_stack(to, of_node[from->ends[i]]);
        done = numbers[i] != STACK_NONE;
    }
    free(needed);
    free(of_node);
    if (done)
        return numbers;
    free(numbers);
    return NULL;
}

/* The model's stacks by their new numbers, where they had been moved before. */
static uint32_t *compose(uint32_t *moved, size_t count, uint32_t *numbers)
{
    for (size_t i = 0; i < count; i++)
        if (moved[i] != STACK_NONE)
            moved[i] = numbers[moved[i]];
    free(numbers);
    return moved;
}

static void replace_trie(struct selection *selection, const struct stack_trie *trie,
                         struct stack_tally *tallies)
{
    if (!selection->borrows_trie)
        stack_trie_release(&selection->profile.trie);
    free(selection->profile.tallies);
    selection->profile.trie = *trie;
    selection->profile.tallies = tallies;
    selection->borrows_trie = false;
}

static bool has_idle_stacks(const struct stack_profile *profile)
{
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        if (profile->tallies[i].events == 0)
            return true;
    return false;
}

bool selection_compact(struct selection *selection)
{
    struct stack_trie trie;
    struct stack_profile *profile = &selection->profile;
    size_t count = profile->trie.stack_count;
    if (!has_idle_stacks(profile))
        return true;
    if (!stack_trie_init(&trie))
        return false;
    uint32_t *numbers = number_stacks(profile, &trie);
    struct stack_tally *tallies = numbers ? calloc(trie.stack_count + 1, sizeof *tallies) : NULL;
    if (!tallies) {
        stack_trie_release(&trie);
        free(numbers);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != STACK_NONE)
            tallies[numbers[i]] = profile->tallies[i];
    replace_trie(selection, &trie, tallies);
    selection->moved =
        selection->moved ? compose(selection->moved, selection->stack_count, numbers) : numbers;
    return true;
}
