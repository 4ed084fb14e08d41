#include "pprof/read/select.h"

#include <stdlib.h>
#include <string.h>

#include "pprof/read/profile_builder.h"

struct selecting {
    struct profile_builder builder;
    const struct model *model;
    const struct selection *selection;
    uint32_t *location_of; /* by frame of the model, or PPROF_NONE */
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

/* The location that a frame of the model has become. */
static uint32_t location_of(struct selecting *selecting, uint32_t frame)
{
    struct profile_builder *builder = &selecting->builder;
    const struct model_frame *from = &selecting->model->frames[frame];
    size_t count;
    if (selecting->location_of[frame] != PPROF_NONE)
        return selecting->location_of[frame];
    const struct frame_source *frames = &selecting->selection->frames;
    const struct heaptap_location *lines = frame_source_locations(frames, frame, &count);
    uint32_t location = profile_builder_location(builder);
    if (location == PPROF_NONE)
        return PPROF_NONE;
    builder->pprof->locations[location].address = from->code;
    builder->pprof->locations[location].mapping =
        from->module == MODEL_NONE ? PPROF_NONE : from->module;
    for (size_t i = 0; i < count; i++)
        if (!pprof_add_line(builder->pprof, location, &lines[i]))
            return PPROF_NONE;
    return selecting->location_of[frame] = location;
}

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
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent)
        if (!profile_builder_frame(&selecting->builder,
                                   location_of(selecting, trie->nodes[node].frame)))
            return false;
    return add_labels(selecting, samples->labels[row]) &&
           profile_builder_sample(&selecting->builder, samples->values + row * samples->type_count);
}

bool pprof_select(struct pprof **pprof, const struct matcher *matcher,
                  const struct selection *selection)
{
    struct selecting selecting = {
        .builder = {.pprof = *pprof}, .model = matcher->model, .selection = selection};
    size_t frames = matcher->model->frame_count;
    uint64_t bytes = (*pprof)->bytes;
    pprof_drop_samples(*pprof);
    (*pprof)->drop_frames = (*pprof)->keep_frames = "";
    selecting.location_of = malloc((frames + 1) * sizeof *selecting.location_of);
    bool done = selecting.location_of;
    if (done)
        memset(selecting.location_of, 0xff, frames * sizeof *selecting.location_of);
    for (size_t row = 0; done && row < matcher->model->samples.count; row++)
        if (matcher_sample(matcher, row))
            done = add_sample(&selecting, row);
    done = done && keep_functions(*pprof);
    *pprof = done ? profile_builder_finish_placed(&selecting.builder, bytes) : NULL;
    profile_builder_release(&selecting.builder);
    free(selecting.location_of);
    return *pprof;
}
