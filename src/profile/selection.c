#include "profile/selection.h"

#include <math.h>
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

/* Sums up the tallies of the model's stacks by what those have become. */
static bool move_tallies(struct stack_profile *profile, const uint32_t *moved, size_t count,
                         const struct stack_tally *tallies)
{
    profile->tallies = calloc(profile->trie.stack_count + 1, sizeof *profile->tallies);
    for (size_t i = 0; profile->tallies && i < count; i++)
        if (moved[i] != STACK_NONE)
            stack_tally_sum(&profile->tallies[moved[i]], &tallies[i]);
    return profile->tallies;
}

/* By stack of the model. */
static bool count_hidden(struct selection *selection, const struct stack_trie *trie,
                         const struct stack_tally *tallies)
{
    const struct frame_edit *edit = &selection->edit->edit;
    struct frame_source all = frame_edit_all_frames(edit);
    struct library_taken taken;
    if (!edit->library.ends)
        return true;
    if (!library_taken_init(&taken, all.frame_count))
        return false;
    for (size_t i = 0; i < trie->stack_count; i++)
        if (tallies[i].events > 0)
            library_taken_add(&taken, &edit->library, trie, (uint32_t)i, &tallies[i]);
    bool done = library_taken_sum(&taken, &edit->library, &all, &selection->hidden);
    library_taken_release(&taken);
    return done;
}

/* Of a profile of values, their sizes. */
static double weight_of(const struct stack_tally *tally)
{
    return tally->value != 0 ? fabs(tally->value) : (double)tally->samples;
}

/* By stack of the model. */
static bool find_calls(struct selection *selection, const struct stack_trie *trie,
                       const struct stack_tally *tallies)
{
    const struct library_ends *ends = &selection->edit->edit.library;
    struct frame_source all = frame_edit_all_frames(&selection->edit->edit);
    if (!ends->ends)
        return true;
    struct library_calls *calls = selection->calls = calloc(1, sizeof *calls);
    bool done = calls;
    for (size_t i = 0; done && i < trie->stack_count; i++)
        done = library_calls_add(calls, ends, &all, trie, (uint32_t)i, weight_of(&tallies[i]));
    selection->frames.calls = calls;
    return done;
}

/* Becomes one of edited stacks, of tallies by stack of the model.  False when there is no memory; release it in either case. */
static bool edit_stacks(struct selection *selection, const struct model *model,
                        const struct filter *filter, struct stack_edits *edits,
                        const struct stack_tally *tallies)
{
    struct stack_edit *edit = selection->edit = stack_edit_of(edits, model, filter);
    if (!edit)
        return false;
    selection->profile.trie = edit->trie;
    selection->frames = frame_edit_frames(&edit->edit);
    selection->moved = edit->moved;
    return count_hidden(selection, &model->trie, tallies) &&
           find_calls(selection, &model->trie, tallies) &&
           move_tallies(&selection->profile, edit->moved, selection->stack_count, tallies);
}

static bool finish(struct selection *selection, bool done)
{
    if (done)
        stack_profile_finish(&selection->profile);
    else
        selection_release(selection);
    return done;
}

/* By stack of the model. */
static void sum_rows(struct stack_profile *profile, const struct matcher *matcher,
                     const struct selection_options *options)
{
    const struct model *model = matcher->model;
    if (model->kind == MODEL_OBJECTS) {
        sum_objects(profile->tallies, matcher, options->quantity);
    } else {
        const struct model_value_type *type = &model->samples.types[options->value_type];
        profile->measure = (struct stack_measure){type->name, type->unit};
        sum_samples(profile->tallies, matcher, options->value_type);
    }
}

bool selection_init(struct selection *selection, const struct matcher *matcher,
                    const struct filter *filter, const struct selection_options *options,
                    struct stack_edits *edits)
{
    const struct model *model = matcher->model;
    bool done = true;
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
    sum_rows(&selection->profile, matcher, options);
    if (frame_edit_is_needed(filter)) {
        selection->profile.tallies = NULL;
        done = edit_stacks(selection, model, filter, edits, tallies);
        free(tallies);
    }
    return finish(selection, done);
}

bool selection_edit(struct selection *selection, const struct selection *of,
                    const struct model *model, const struct filter *filter,
                    struct stack_edits *edits)
{
    *selection = *of;
    selection->borrows_trie = true;
    selection->calls = NULL;
    selection->profile.tallies = NULL;
    selection->profile.total = (struct stack_tally){0};
    return finish(selection, edit_stacks(selection, model, filter, edits, of->profile.tallies));
}

bool selection_narrow(struct selection *selection, const struct selection *of,
                      const struct matcher *matcher, const struct selection_options *options)
{
    struct stack_tally *tallies = calloc(of->stack_count + 1, sizeof *tallies);
    *selection = *of;
    selection->hidden = (struct library_hidden){0};
    selection->frames.calls = selection->calls = NULL;
    selection->edit = of->edit ? stack_edit_share(of->edit) : NULL;
    selection->borrows_trie = true;
    selection->own_moved = NULL;
    selection->profile = (struct stack_profile){
        .estimate = of->profile.estimate, .trie = of->profile.trie, .tallies = tallies};
    bool done = tallies;
    if (done)
        sum_rows(&selection->profile, matcher, options);
    if (done && of->edit)
        done = find_calls(selection, &matcher->model->trie, tallies);
    if (done && of->moved) {
        done = move_tallies(&selection->profile, of->moved, of->stack_count, tallies);
        free(tallies);
    }
    return finish(selection, done);
}

void selection_release(struct selection *selection)
{
    if (selection->borrows_trie)
        selection->profile.trie = (struct stack_trie){0};
    stack_profile_release(&selection->profile);
    stack_edit_release(selection->edit);
    if (selection->calls)
        library_calls_release(selection->calls);
    free(selection->calls);
    free(selection->own_moved);
    *selection = (struct selection){0};
}

void selection_forget_tallies(struct selection *selection)
{
    free(selection->profile.tallies);
    selection->profile.tallies = NULL;
}

size_t selection_bytes(const struct selection *selection)
{
    const struct stack_trie *trie = &selection->profile.trie;
    size_t bytes = trie->stack_count * sizeof *selection->profile.tallies;
    if (!selection->borrows_trie)
        bytes += trie->capacity * (sizeof *trie->nodes + (trie->links ? sizeof *trie->links : 0)) +
                 trie->stack_capacity * sizeof *trie->ends;
    if (selection->own_moved)
        bytes += selection->stack_count * sizeof *selection->own_moved;
    return bytes;
}

struct library_program selection_program(const struct selection *selection)
{
    return selection->edit ? selection->edit->edit.program : (struct library_program){0};
}

const struct wrappers *selection_wrappers(const struct selection *selection)
{
    return selection->edit ? frame_edit_wrappers(&selection->edit->edit) : NULL;
}

/* ---- Compaction ---------------------------------------------------------------------- */

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
    bool *needed = stack_profile_nodes(profile);
    uint32_t *of_node = malloc(from->count * sizeof *of_node);
    uint32_t *numbers = malloc((from->stack_count + 1) * sizeof *numbers);
    bool done = needed && of_node && numbers;
    if (done)
        done = copy_needed(from, needed, to, of_node);
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

/* The model's stacks by their new numbers, which it takes, where they had been moved before.  False when there is no memory. */
static bool compose(struct selection *selection, uint32_t *numbers)
{
    const uint32_t *from = selection->moved;
    uint32_t *moved = from ? malloc((selection->stack_count + 1) * sizeof *moved) : numbers;
    for (size_t i = 0; from && moved && i < selection->stack_count; i++)
        moved[i] = from[i] == STACK_NONE ? STACK_NONE : numbers[from[i]];
    if (from)
        free(numbers);
    free(selection->own_moved);
    selection->moved = selection->own_moved = moved;
    return moved;
}

static void replace_trie(struct selection *selection, const struct stack_trie *trie,
                         struct stack_tally *tallies)
{
    if (!selection->borrows_trie)
        stack_trie_release(&selection->profile.trie);
    free(selection->profile.tallies);
    selection->profile.trie = *trie;
    stack_trie_finish(&selection->profile.trie);
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
    return compose(selection, numbers);
}
