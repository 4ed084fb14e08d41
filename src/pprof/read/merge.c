/* Locations and samples are put behind those that are there, equal ones too: the model
 * (pprof_model.h) adds up what says the same. */
#include "pprof/read/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct merging {
    struct pprof *to;
    const struct pprof *from;
    struct heaptap_error *error;
    size_t *type_of;      /* by type of `to`: that of `from` */
    uint32_t *mapping_of; /* by mapping of `from`: that of `to` */
    uint32_t first_location;
};

static const char *text(struct merging *merging, const char *text)
{
    return text ? names_intern(&merging->to->names, text, strlen(text)) : NULL;
}

/* ---- Types ------------------------------------------------------------------------------ */

static long find_type(const struct pprof *pprof, const struct pprof_type *type)
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
    if (!ARRAY_RESERVE(&to->mappings, &to->mapping_capacity, i + 1))
        return false;
    to->mappings[to->mapping_count++] = *from;
    to->mappings[i].id = i + 1;
    to->mappings[i].file = text(merging, from->file);
    to->mappings[i].build_id = text(merging, from->build_id);
    return to->mappings[i].file && to->mappings[i].build_id;
}

static bool take_line(struct merging *merging, const struct heaptap_location *from)
{
    struct pprof *to = merging->to;
    if (to->line_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&to->lines, &to->line_capacity, to->line_count + 1))
        return false;
    struct heaptap_location *line = &to->lines[to->line_count++];
    *line = *from;
    line->function = text(merging, from->function);
    line->file = text(merging, from->file);
    return line->function && line->file;
}

static bool take_location(struct merging *merging, const struct pprof_location *from)
{
    struct pprof *to = merging->to;
    if (to->location_count >= PPROF_NONE ||
        !ARRAY_RESERVE(&to->locations, &to->location_capacity, to->location_count + 1))
        return false;
    struct pprof_location *location = &to->locations[to->location_count++];
    *location = *from;
    location->id = to->location_count;
    location->first_line = (uint32_t)to->line_count;
    if (from->mapping != PPROF_NONE) {
        location->mapping = merging->mapping_of[from->mapping];
        if (from->address)
            location->address += to->mappings[location->mapping].start -
                                 merging->from->mappings[from->mapping].start;
    }
    for (uint32_t i = 0; i < from->line_count; i++)
        if (!take_line(merging, &merging->from->lines[from->first_line + i]))
            return false;
    return true;
}

static bool take_function(struct merging *merging, const struct pprof_function *from)
{
    struct pprof *to = merging->to;
    if (!ARRAY_RESERVE(&to->functions, &to->function_capacity, to->function_count + 1))
        return false;
    struct pprof_function *function = &to->functions[to->function_count++];
    *function = (struct pprof_function){.id = to->function_count,
                                        .name = text(merging, from->name),
                                        .system_name = text(merging, from->system_name),
                                        .file = text(merging, from->file),
                                        .start_line = from->start_line};
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

/* Makes an array longer that has no capacity of its own; NULL leaves it as it was. */
static bool lengthen(void *items, size_t count, size_t bytes)
{
    void **at = items;
    void *longer = realloc(*at, (count + 1) * bytes);
    if (longer)
        *at = longer;
    return longer;
}

static bool make_room(struct pprof *to, const struct pprof *from)
{
    size_t samples = to->sample_count + from->sample_count;
    return lengthen(&to->first_frame, samples, sizeof *to->first_frame) &&
           lengthen(&to->first_label, samples, sizeof *to->first_label) &&
           lengthen(&to->values, samples * to->type_count, sizeof *to->values) &&
           ARRAY_RESERVE(&to->frames, &to->frame_capacity,
                         to->first_frame[to->sample_count] + from->first_frame[from->sample_count] +
                             1) &&
           ARRAY_RESERVE(&to->labels, &to->label_capacity,
                         to->first_label[to->sample_count] + from->first_label[from->sample_count] +
                             1);
}

static bool take_sample(struct merging *merging, size_t number)
{
    struct pprof *to = merging->to;
    const struct pprof *from = merging->from;
    size_t sample = to->sample_count++;
    size_t frames = to->first_frame[sample], labels = to->first_label[sample];
    for (size_t i = 0; i < to->type_count; i++)
        to->values[sample * to->type_count + i] =
            from->values[number * from->type_count + merging->type_of[i]];
    for (size_t i = from->first_frame[number]; i < from->first_frame[number + 1]; i++)
        to->frames[frames++] = merging->first_location + from->frames[i];
    for (size_t i = from->first_label[number]; i < from->first_label[number + 1]; i++) {
        const struct pprof_label *label = &from->labels[i];
        to->labels[labels] =
            (struct pprof_label){text(merging, label->key), text(merging, label->text),
                                 label->number, text(merging, label->unit)};
        if (!to->labels[labels].key || !to->labels[labels].unit ||
            (label->text && !to->labels[labels].text))
            return false;
        labels++;
    }
    to->first_frame[sample + 1] = frames;
    to->first_label[sample + 1] = labels;
    return true;
}

static bool take_samples(struct merging *merging)
{
    bool done = make_room(merging->to, merging->from);
    for (size_t i = 0; done && i < merging->from->sample_count; i++)
        done = take_sample(merging, i);
    return done;
}

static bool take_comments(struct merging *merging)
{
    struct pprof *to = merging->to;
    const struct pprof *from = merging->from;
    for (size_t i = 0; i < from->comment_count; i++) {
        const char *comment = text(merging, from->comments[i]);
        size_t k = 0;
        while (k < to->comment_count && strcmp(to->comments[k], from->comments[i]) != 0)
            k++;
        if (!comment || !ARRAY_RESERVE(&to->comments, &to->comment_capacity, to->comment_count + 1))
            return false;
        if (k == to->comment_count)
            to->comments[to->comment_count++] = comment;
    }
    return true;
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
                              .mapping_of =
                                  malloc((from->mapping_count + 1) * sizeof *merging.mapping_of)};
    bool enough = merging.type_of && merging.mapping_of;
    enum heaptap_status status = enough ? match_types(&merging) : error_no_memory(error);
    if (status == HEAPTAP_OK &&
        (!take_places(&merging) || !take_samples(&merging) || !take_comments(&merging)))
        status = error_no_memory(error);
    free_chunks(to);
    take_times(to, from);
    free(merging.type_of);
    free(merging.mapping_of);
    return status;
}
