/* Locations and samples are put behind those that are there, equal ones too: the model
 * (rows.h) adds up what says the same. */
#include "profile/list/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/list/profile_builder.h"

struct merging {
    struct profile_builder builder; /* of what it is merged into */
    struct model *to;
    const struct model *from;
    struct heaptap_error *error;
    size_t *type_of;      /* by type of `to`: that of `from` */
    int64_t *values;      /* of a sample, by type of `to` */
    uint32_t *module_of;  /* by module of `from`: that of `to` */
    uint32_t first_frame; /* of those of `from` */
};

/* ---- Types ------------------------------------------------------------------------------ */

static long find_type(const struct model *model, const struct model_value_type *type)
{
    long found = model_find_value_type(model, type->name);
    return found >= 0 && strcmp(model->samples.types[found].unit, type->unit) == 0 ? found : -1;
}

static enum heaptap_status match_types(struct merging *merging)
{
    const struct model *to = merging->to, *from = merging->from;
    for (size_t i = 0; i < to->samples.type_count; i++) {
        long found = find_type(from, &to->samples.types[i]);
        if (found < 0)
            return error_set(merging->error, HEAPTAP_BAD_ARGUMENT,
                             "it has no sample type %s in %s, as the first file has",
                             to->samples.types[i].name, to->samples.types[i].unit);
        merging->type_of[i] = (size_t)found;
    }
    for (size_t i = 0; i < from->samples.type_count; i++)
        if (find_type(to, &from->samples.types[i]) < 0)
            return error_set(merging->error, HEAPTAP_BAD_ARGUMENT,
                             "it has the sample type %s in %s, which the first file has not",
                             from->samples.types[i].name, from->samples.types[i].unit);
    return HEAPTAP_OK;
}

/* ---- Places ------------------------------------------------------------------------------ */

static bool is_same_module(const struct model_module *a, const struct model_module *b)
{
    bool has_ids = *a->build_id && *b->build_id;
    return a->size == b->size && a->file_offset == b->file_offset &&
           strcmp(has_ids ? a->build_id : a->path, has_ids ? b->build_id : b->path) == 0 &&
           (has_ids || *a->path || a->start == b->start);
}

static bool take_module(struct merging *merging, size_t number)
{
    struct model *to = merging->to;
    const struct model_module *from = &merging->from->modules[number];
    size_t i = 0;
    while (i < to->module_count && !is_same_module(&to->modules[i], from))
        i++;
    merging->module_of[number] = (uint32_t)i;
    if (i == to->module_count && model_add_module(to, from) == MODEL_NONE)
        return false;
    to->modules[i].has_functions |= from->has_functions;
    to->modules[i].is_program |= number == 0;
    return true;
}

static bool take_frame(struct merging *merging, const struct model_frame *from)
{
    struct model *to = merging->to;
    uint32_t module = from->module == MODEL_NONE ? MODEL_NONE : merging->module_of[from->module];
    uint64_t moved = from->code && module != MODEL_NONE
                         ? to->modules[module].start - merging->from->modules[from->module].start
                         : 0;
    uint32_t frame = model_add_frame(
        to, from->code + moved, module,
        from->line_count > 0 ? merging->from->lines + from->first_line : NULL, from->line_count);
    if (frame == MODEL_NONE)
        return false;
    to->frames[frame].is_folded = from->is_folded;
    return true;
}

static bool take_function(struct model *to, const struct profile_function *from)
{
    struct profile_file *file = to->file;
    if (!ARRAY_RESERVE(&file->functions, &file->function_capacity, file->function_count + 1))
        return false;
    struct profile_function *function = &file->functions[file->function_count++];
    *function =
        (struct profile_function){model_text(to, from->name), model_text(to, from->system_name),
                                  model_text(to, from->file), from->start_line};
    return function->name && function->system_name && function->file;
}

static bool take_places(struct merging *merging)
{
    const struct model *from = merging->from;
    bool done = true;
    merging->first_frame = (uint32_t)merging->to->frame_count;
    for (size_t i = 0; done && i < from->module_count; i++)
        done = take_module(merging, i);
    for (size_t i = 0; done && i < from->file->function_count; i++)
        done = take_function(merging->to, &from->file->functions[i]);
    for (size_t i = 0; done && i < from->frame_count; i++)
        done = take_frame(merging, &from->frames[i]);
    return done;
}

/* ---- Samples ----------------------------------------------------------------------------- */

static bool take_sample(struct merging *merging, size_t number)
{
    struct profile_builder *builder = &merging->builder;
    const struct profile_file *from = merging->from->file;
    size_t types = merging->from->samples.type_count;
    const int64_t *values = from->values + number * types;
    bool done = true;
    for (size_t i = from->first_frame[number]; done && i < from->first_frame[number + 1]; i++)
        done = profile_builder_frame(builder, merging->first_frame + from->frames[i]);
    for (size_t i = from->first_label[number]; done && i < from->first_label[number + 1]; i++)
        done = profile_builder_label(builder, &from->labels[i]);
    for (size_t i = 0; i < types; i++)
        merging->values[i] = values[merging->type_of[i]];
    return done && profile_builder_sample(builder, merging->values);
}

static bool take_samples(struct merging *merging)
{
    bool done = true;
    for (size_t i = 0; done && i < merging->from->file->sample_count; i++)
        done = take_sample(merging, i);
    return done;
}

static bool take_comments(struct model *to, const struct profile_file *from)
{
    bool done = true;
    for (size_t i = 0; done && i < from->comment_count; i++) {
        size_t k = 0;
        while (k < to->file->comment_count && strcmp(to->file->comments[k], from->comments[i]) != 0)
            k++;
        done = k < to->file->comment_count || profile_add_comment(to, from->comments[i]);
    }
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

static void take_times(struct profile_file *to, const struct profile_file *from)
{
    if (to->time_ns == 0 || (from->time_ns != 0 && from->time_ns < to->time_ns))
        to->time_ns = from->time_ns;
    if (__builtin_add_overflow(to->duration_ns, from->duration_ns, &to->duration_ns))
        to->duration_ns = INT64_MAX;
    to->bytes += from->bytes;
}

enum heaptap_status profile_merge(struct model *to, const struct model *from,
                                  struct heaptap_error *error)
{
    struct merging merging = {
        .to = to,
        .from = from,
        .error = error,
        .type_of = malloc((to->samples.type_count + 1) * sizeof *merging.type_of),
        .values = malloc((from->samples.type_count + 1) * sizeof *merging.values),
        .module_of = malloc((from->module_count + 1) * sizeof *merging.module_of)};
    bool enough = merging.type_of && merging.values && merging.module_of;
    enum heaptap_status status = enough ? match_types(&merging) : error_no_memory(error);
    profile_builder_go_on(&merging.builder, to);
    if (status == HEAPTAP_OK &&
        (!take_places(&merging) || !take_samples(&merging) || !take_comments(to, from->file)))
        status = error_no_memory(error);
    profile_file_drop_events(to->file);
    take_times(to->file, from->file);
    free(merging.type_of);
    free(merging.values);
    free(merging.module_of);
    return status;
}
