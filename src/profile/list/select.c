#include "profile/list/select.h"

#include <stdlib.h>
#include <string.h>

#include "profile/list/profile_builder.h"

struct selecting {
    struct profile_builder builder;
    const struct model *model;
    const struct selection *selection;
};

/* Leaves those functions that the selection still has. */
static bool keep_functions(struct model *model)
{
    struct symbols used;
    bool done = true;
    symbols_init(&used, GRAIN_FUNCTION);
    for (size_t i = 0; done && i < model->line_count; i++)
        done =
            symbols_number_of(&used, model->lines[i].function, model->lines[i].file) != SYMBOL_NONE;
    struct profile_file *file = model->file;
    size_t count = used.count, functions = file->function_count;
    file->function_count = 0;
    for (size_t i = 0; done && i < functions; i++) {
        struct profile_function function = file->functions[i];
        const char *name = *function.name ? function.name : function.system_name;
        uint32_t number = symbols_number_of(&used, name, function.file);
        if (number < count)
            file->functions[file->function_count++] = function;
        done = number != SYMBOL_NONE;
    }
    symbols_release(&used);
    return done;
}

/* ---- Samples -------------------------------------------------------------------------------- */

static bool add_labels(struct selecting *selecting, uint32_t number)
{
    const struct model_samples *samples = &selecting->model->samples;
    const struct model_label_set *set = &samples->sets[number];
    bool done = true;
    for (uint32_t i = 0; done && i < set->count; i++)
        done = profile_builder_label(&selecting->builder, &samples->label[set->first + i]);
    return done;
}

static bool add_sample(struct selecting *selecting, size_t row)
{
    const struct model_samples *samples = &selecting->model->samples;
    const struct stack_trie *trie = &selecting->selection->profile.trie;
    uint32_t stack = selection_stack(selecting->selection, samples->stack[row]);
    if (stack == STACK_NONE)
        return true;
    return profile_builder_stack(&selecting->builder, selecting->model,
                                 &selecting->selection->frames, trie, trie->ends[stack]) &&
           add_labels(selecting, samples->labels[row]) &&
           profile_builder_sample(&selecting->builder, samples->values + row * samples->type_count);
}

/* What is said of the profile as a whole; the texts are the same. */
static bool take_whole(struct model *to, struct model *from)
{
    bool done = true;
    to->names = from->names;
    from->names = (struct names){0};
    profile_file_free(to->file);
    to->file = from->file;
    from->file = NULL;
    to->file->sample_count = 0;
    to->file->drop_frames = to->file->keep_frames = "";
    for (size_t i = 0; done && i < from->module_count; i++)
        done = model_add_module(to, &from->modules[i]) != MODEL_NONE;
    for (size_t i = 0; done && i < from->samples.type_count; i++)
        done = model_add_value_type(to, from->samples.types[i].name, from->samples.types[i].unit);
    to->samples.default_type = from->samples.default_type;
    return done;
}

struct model *profile_select(struct model *model, const struct matcher *matcher,
                             const struct selection *selection)
{
    struct selecting selecting = {
        .builder = {.model = profile_new()}, .model = model, .selection = selection};
    struct model *selected = selecting.builder.model;
    bool done = selected && take_whole(selected, model);
    for (size_t row = 0; done && row < model->samples.count; row++)
        if (matcher_sample(matcher, row))
            done = add_sample(&selecting, row);
    done = done && keep_functions(selected);
    selected =
        done ? profile_builder_finish_placed(&selecting.builder, selected->file->bytes) : NULL;
    profile_builder_release(&selecting.builder);
    return selected;
}
