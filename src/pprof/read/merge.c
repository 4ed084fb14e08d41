/* Locations and samples are put behind those that are there, equal ones too: the model
 * (pprof_model.h) adds up what says the same. */
#include "pprof/read/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "pprof/read/profile_builder.h"

struct merging {
    struct profile_builder builder; /* of what it is merged into */
    struct pprof *to;
    const struct pprof *from;
    struct heaptap_error *error;
    size_t *type_of;      /* by type of `to`: that of `from` */
    int64_t *values;      /* of a sample, by type of `to` */
    uint32_t *mapping_of; /* by mapping of `from`: that of `to` */
    uint32_t first_location;
};

/* ---- Types ------------------------------------------------------------------------------ */

static long find_type(const struct pprof *pprof, const struct model_value_type *type)
{
    long found = pprof_find_type(pprof, type->name);
    return found >= 0 && strcmp(pprof->types[found].unit, type->unit) == 0 ? found : -1;
}

static enum heaptap_status match_types(struct merging *merging)
{
    const struct pprof *to = merging->to, *from = merging->from;
    for (size_t i = 0; i < to->type_count; i++) {
        long found = find_type(from, &to->types[i]);
        if (found < 0)
            return error_set(merging->error, HEAPTAP_BAD_ARGUMENT,
                             "it has no sample type %s in %s, as the first file has",
                             to->types[i].name, to->types[i].unit);
        merging->type_of[i] = (size_t)found;
    }
    for (size_t i = 0; i < from->type_count; i++)
        if (find_type(to, &from->types[i]) < 0)
            return error_set(merging->error, HEAPTAP_BAD_ARGUMENT,
                             "it has the sample type %s in %s, which the first file has not",
                             from->types[i].name, from->types[i].unit);
    return HEAPTAP_OK;
}

/* ---- Places ------------------------------------------------------------------------------ */

static bool is_same_mapping(const struct pprof_mapping *a, const struct pprof_mapping *b)
{
    bool has_ids = *a->build_id && *b->build_id;
    return a->limit - a->start == b->limit - b->start && a->offset == b->offset &&
           strcmp(has_ids ? a->build_id : a->file, has_ids ? b->build_id : b->file) == 0 &&
           (has_ids || *a->file || a->start == b->start);
}

static bool take_mapping(struct merging *merging, size_t number)
{
    struct pprof *to = merging->to;
    const struct pprof_mapping *from = &merging->from->mappings[number];
    size_t i = 0;
    while (i < to->mapping_count && !is_same_mapping(&to->mappings[i], from))
        i++;
    merging->mapping_of[number] = (uint32_t)i;
    if (i < to->mapping_count) {
        to->mappings[i].has_functions |= from->has_functions;
        return true;
    }
    return profile_builder_module(&merging->builder, *from);
}

static bool take_location(struct merging *merging, const struct pprof_location *from)
{
    struct pprof *to = merging->to;
    uint32_t number = profile_builder_location(&merging->builder);
    if (number == PPROF_NONE)
        return false;
    struct pprof_location *location = &to->locations[number];
    location->address = from->address;
    location->is_folded = from->is_folded;
    if (from->mapping != PPROF_NONE) {
        location->mapping = merging->mapping_of[from->mapping];
        if (from->address)
            location->address += to->mappings[location->mapping].start -
                                 merging->from->mappings[from->mapping].start;
    }
    for (uint32_t i = 0; i < from->line_count; i++)
        if (!pprof_add_line(to, number, &merging->from->lines[from->first_line + i]))
            return false;
    return true;
}

static bool take_function(struct merging *merging, const struct pprof_function *from)
{
    struct pprof *to = merging->to;
    if (!ARRAY_RESERVE(&to->functions, &to->function_capacity, to->function_count + 1))
        return false;
    struct pprof_function *function = &to->functions[to->function_count++];
    *function = (struct pprof_function){names_copy(&to->names, from->name),
                                        names_copy(&to->names, from->system_name),
                                        names_copy(&to->names, from->file), from->start_line};
    return function->name && function->system_name && function->file;
}

static bool take_places(struct merging *merging)
{
    const struct pprof *from = merging->from;
    bool done = true;
    merging->first_location = (uint32_t)merging->to->location_count;
    for (size_t i = 0; done && i < from->mapping_count; i++)
        done = take_mapping(merging, i);
    for (size_t i = 0; done && i < from->function_count; i++)
        done = take_function(merging, &from->functions[i]);
    for (size_t i = 0; done && i < from->location_count; i++)
        done = take_location(merging, &from->locations[i]);
    return done;
}

/* ---- Samples ----------------------------------------------------------------------------- */

static bool take_sample(struct merging *merging, size_t number)
{
    struct profile_builder *builder = &merging->builder;
    const struct pprof *from = merging->from;
    const int64_t *values = from->values + number * from->type_count;
    bool done = true;
    for (size_t i = from->first_frame[number]; done && i < from->first_frame[number + 1]; i++)
        done = profile_builder_frame(builder, merging->first_location + from->frames[i]);
    for (size_t i = from->first_label[number]; done && i < from->first_label[number + 1]; i++)
        done = profile_builder_label(builder, &from->labels[i]);
    for (size_t i = 0; i < from->type_count; i++)
        merging->values[i] = values[merging->type_of[i]];
    return done && profile_builder_sample(builder, merging->values);
}

static bool take_samples(struct merging *merging)
{
    bool done = true;
    for (size_t i = 0; done && i < merging->from->sample_count; i++)
        done = take_sample(merging, i);
    return done;
}

static bool take_comments(struct merging *merging)
{
    struct pprof *to = merging->to;
    const struct pprof *from = merging->from;
    bool done = true;
    for (size_t i = 0; done && i < from->comment_count; i++) {
        size_t k = 0;
        while (k < to->comment_count && strcmp(to->comments[k], from->comments[i]) != 0)
            k++;
        done = k < to->comment_count || pprof_add_comment(to, from->comments[i]);
    }
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

static void take_times(struct pprof *to, const struct pprof *from)
{
    if (to->time_ns == 0 || (from->time_ns != 0 && from->time_ns < to->time_ns))
        to->time_ns = from->time_ns;
    if (__builtin_add_overflow(to->duration_ns, from->duration_ns, &to->duration_ns))
        to->duration_ns = INT64_MAX;
    to->bytes += from->bytes;
    to->chunk_count = 0;
}

static void free_chunks(struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->chunk_count; i++)
        free(pprof->chunks[i].bytes);
}

enum heaptap_status pprof_merge(struct pprof *to, const struct pprof *from,
                                struct heaptap_error *error)
{
    struct merging merging = {.to = to,
                              .from = from,
                              .error = error,
                              .type_of = malloc((to->type_count + 1) * sizeof *merging.type_of),
                              .values = malloc((from->type_count + 1) * sizeof *merging.values),
                              .mapping_of =
                                  malloc((from->mapping_count + 1) * sizeof *merging.mapping_of)};
    bool enough = merging.type_of && merging.values && merging.mapping_of;
    enum heaptap_status status = enough ? match_types(&merging) : error_no_memory(error);
    profile_builder_go_on(&merging.builder, to);
    if (status == HEAPTAP_OK &&
        (!take_places(&merging) || !take_samples(&merging) || !take_comments(&merging)))
        status = error_no_memory(error);
    free_chunks(to);
    take_times(to, from);
    free(merging.type_of);
    free(merging.values);
    free(merging.mapping_of);
    return status;
}
