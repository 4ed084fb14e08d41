#include "pprof/read/select.h"

#include <stdlib.h>
#include <string.h>

#include "pprof/read/profile_builder.h"

struct selecting {
    struct profile_builder builder;
    const struct model *model;
    const struct selection *selection;
};

/* Leaves those functions that the selection still has. */
static bool keep_functions(struct pprof *pprof)
{
    struct symbols used;
    bool done = true;
    symbols_init(&used, GRAIN_FUNCTION);
    for (size_t i = 0; done && i < pprof->line_count; i++)
        done =
            symbols_number_of(&used, pprof->lines[i].function, pprof->lines[i].file) != SYMBOL_NONE;
    size_t count = used.count, functions = pprof->function_count;
    pprof->function_count = 0;
    for (size_t i = 0; done && i < functions; i++) {
        struct pprof_function function = pprof->functions[i];
        const char *name = *function.name ? function.name : function.system_name;
        uint32_t number = symbols_number_of(&used, name, function.file);
        if (number < count)
            pprof->functions[pprof->function_count++] = function;
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

bool pprof_select(struct pprof **pprof, const struct matcher *matcher,
                  const struct selection *selection)
{
    struct selecting selecting = {
        .builder = {.pprof = *pprof}, .model = matcher->model, .selection = selection};
    uint64_t bytes = (*pprof)->bytes;
    pprof_drop_samples(*pprof);
    (*pprof)->drop_frames = (*pprof)->keep_frames = "";
    bool done = true;
    for (size_t row = 0; done && row < matcher->model->samples.count; row++)
        if (matcher_sample(matcher, row))
            done = add_sample(&selecting, row);
    done = done && keep_functions(*pprof);
    *pprof = done ? profile_builder_finish_placed(&selecting.builder, bytes) : NULL;
    profile_builder_release(&selecting.builder);
    return *pprof;
}
