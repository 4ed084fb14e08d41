#include "pprof/read/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/read/profile_builder.h"

struct selecting {
    struct profile_builder builder;
    const struct pprof *source;
    const struct model *model;
    const struct selection *selection;
    uint32_t *location_of; /* by frame of the model, or PPROF_NONE */
};

static const char *text(struct selecting *selecting, const char *text)
{
    return names_intern(&selecting->builder.pprof->names, text, strlen(text));
}

/* ---- What is not about samples ------------------------------------------------------------- */

static bool copy_types(struct selecting *selecting)
{
    bool done = true;
    const struct pprof *source = selecting->source;
    for (size_t i = 0; done && i < source->type_count; i++) {
        const char *name = text(selecting, source->types[i].name);
        const char *unit = text(selecting, source->types[i].unit);
        done = name && unit && profile_builder_type(&selecting->builder, name, unit);
    }
    selecting->builder.pprof->default_type = source->default_type;
    return done;
}

static bool copy_mappings(struct selecting *selecting)
{
    struct pprof *to = selecting->builder.pprof;
    const struct pprof *source = selecting->source;
    if (!ARRAY_RESERVE(&to->mappings, &to->mapping_capacity, source->mapping_count + 1))
        return false;
    for (size_t i = 0; i < source->mapping_count; i++) {
        struct pprof_mapping *mapping = &to->mappings[to->mapping_count++];
        *mapping = source->mappings[i];
        mapping->file = text(selecting, mapping->file);
        mapping->build_id = text(selecting, mapping->build_id);
        if (!mapping->file || !mapping->build_id)
            return false;
    }
    return true;
}

static bool copy_comments(struct selecting *selecting)
{
    struct pprof *to = selecting->builder.pprof;
    const struct pprof *source = selecting->source;
    if (!ARRAY_RESERVE(&to->comments, &to->comment_capacity, source->comment_count + 1))
        return false;
    for (size_t i = 0; i < source->comment_count; i++)
        if (!(to->comments[to->comment_count++] = text(selecting, source->comments[i])))
            return false;
    return true;
}

static bool copy_rest(struct selecting *selecting)
{
    struct pprof *to = selecting->builder.pprof;
    const struct pprof *source = selecting->source;
    to->time_ns = source->time_ns;
    to->duration_ns = source->duration_ns;
    to->period = source->period;
    to->bytes = source->bytes;
    to->period_type.name = text(selecting, source->period_type.name);
    to->period_type.unit = text(selecting, source->period_type.unit);
    to->doc_url = text(selecting, source->doc_url);
    return to->period_type.name && to->period_type.unit && to->doc_url && copy_types(selecting) &&
           copy_mappings(selecting) && copy_comments(selecting);
}

/* The system names and first lines of those functions that the selection still has. */
static bool copy_functions(struct selecting *selecting)
{
    struct pprof *to = selecting->builder.pprof;
    struct symbols used;
    bool done = true;
    symbols_init(&used, GRAIN_FUNCTION);
    for (size_t i = 0; done && i < to->line_count; i++)
        done = symbols_number_of(&used, to->lines[i].function, to->lines[i].file) != SYMBOL_NONE;
    size_t count = used.count;
    for (size_t i = 0; done && i < selecting->source->function_count; i++) {
        struct pprof_function function = selecting->source->functions[i];
        function.name = text(selecting, function.name);
        function.system_name = text(selecting, function.system_name);
        function.file = text(selecting, function.file);
        done = function.name && function.system_name && function.file &&
               ARRAY_RESERVE(&to->functions, &to->function_capacity, to->function_count + 1);
        const char *name = !done || *function.name ? function.name : function.system_name;
        uint32_t number = done ? symbols_number_of(&used, name, function.file) : SYMBOL_NONE;
        if (number < count)
            to->functions[to->function_count++] = function;
        done = done && number != SYMBOL_NONE;
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
        if (!profile_builder_line(builder, location, lines[i].function, lines[i].file,
                                  lines[i].line))
            return PPROF_NONE;
    return selecting->location_of[frame] = location;
}

static bool add_labels(struct selecting *selecting, uint32_t set)
{
    const struct model_samples *samples = &selecting->model->samples;
    for (uint32_t i = 0; i < samples->sets[set].count; i++) {
        const struct model_label *from = &samples->label[samples->sets[set].first + i];
        struct pprof_label label = {text(selecting, from->key),
                                    from->text ? text(selecting, from->text) : NULL, from->number,
                                    text(selecting, from->unit)};
        if (!label.key || !label.unit || (from->text && !label.text) ||
            !profile_builder_label(&selecting->builder, label))
            return false;
    }
    return true;
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

bool pprof_select(struct pprof **pprof, const struct pprof *source, const struct matcher *matcher,
                  const struct selection *selection)
{
    struct selecting selecting = {
        .source = source, .model = matcher->model, .selection = selection};
    size_t frames = matcher->model->frame_count;
    bool done = profile_builder_init(&selecting.builder, source->format);
    selecting.location_of = malloc((frames + 1) * sizeof *selecting.location_of);
    done = done && selecting.location_of && copy_rest(&selecting);
    if (done)
        memset(selecting.location_of, 0xff, frames * sizeof *selecting.location_of);
    for (size_t row = 0; done && row < matcher->model->samples.count; row++)
        if (matcher_sample(matcher, row))
            done = add_sample(&selecting, row);
    done = done && copy_functions(&selecting);
    *pprof = done ? profile_builder_finish_placed(&selecting.builder, source->bytes) : NULL;
    profile_builder_release(&selecting.builder);
    free(selecting.location_of);
    return *pprof;
}
