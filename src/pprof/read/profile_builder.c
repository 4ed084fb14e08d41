#include "pprof/read/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool profile_builder_init(struct profile_builder *builder, const char *format)
{
    *builder = (struct profile_builder){.pprof = pprof_new()};
    if (builder->pprof)
        builder->pprof->format = format;
    return builder->pprof;
}

void profile_builder_go_on(struct profile_builder *builder, struct pprof *pprof)
{
    size_t count = pprof->sample_count;
    *builder = (struct profile_builder){.pprof = pprof};
    if (!pprof->first_frame)
        return;
    builder->sample_capacity = builder->label_index_capacity = count + 1;
    builder->value_capacity = count * pprof->type_count;
    builder->frame_count = pprof->first_frame[count];
    builder->label_count = pprof->first_label[count];
}

void profile_builder_release(struct profile_builder *builder)
{
    pprof_free(builder->pprof);
    map_release(&builder->by_address);
    free(builder->by_frame);
    map_release(&builder->by_name);
    builder->pprof = NULL;
    builder->by_frame = NULL;
}

bool profile_builder_type(struct profile_builder *builder, const char *name, const char *unit)
{
    struct pprof *pprof = builder->pprof;
    struct model_value_type type = {names_copy(&pprof->names, name),
                                    names_copy(&pprof->names, unit)};
    if (!type.name || !type.unit ||
        !ARRAY_RESERVE(&pprof->types, &pprof->type_capacity, pprof->type_count + 1))
        return false;
    pprof->types[pprof->type_count++] = type;
    pprof->default_type = pprof->type_count - 1;
    return true;
}

/* ---- Locations ------------------------------------------------------------------------ */

uint32_t profile_builder_location(struct profile_builder *builder)
{
    struct pprof *pprof = builder->pprof;
    size_t count = pprof->location_count;
    if (count >= PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->locations, &pprof->location_capacity, count + 1))
        return PPROF_NONE;
    pprof->locations[count] = (struct pprof_location){.mapping = PPROF_NONE};
    pprof->location_count++;
    return (uint32_t)count;
}

/* The location that a key stands for, a new one perhaps. */
static uint32_t location_of(struct profile_builder *builder, struct map *map, uint64_t key,
                            bool *fresh)
{
    uint32_t *found = map_put(map, key, (uint32_t)builder->pprof->location_count, fresh);
    if (!found)
        return PPROF_NONE;
    return *fresh ? profile_builder_location(builder) : *found;
}

uint32_t profile_builder_address(struct profile_builder *builder, uint64_t address)
{
    bool fresh;
    uint32_t location = location_of(builder, &builder->by_address, address, &fresh);
    if (location != PPROF_NONE)
        builder->pprof->locations[location].address = address;
    return location;
}

uint32_t profile_builder_text(struct profile_builder *builder, const char *text, size_t size,
                              bool *fresh)
{
    const char *interned = names_intern(&builder->pprof->names, text, size);
    return interned ? location_of(builder, &builder->by_name, (uint64_t)(uintptr_t)interned, fresh)
                    : PPROF_NONE;
}

uint32_t profile_builder_name(struct profile_builder *builder, const char *name, size_t size)
{
    bool fresh;
    uint32_t location = profile_builder_text(builder, name, size, &fresh);
    if (location == PPROF_NONE || !fresh)
        return location;
    const char *interned = names_intern(&builder->pprof->names, name, size);
    return profile_builder_line(builder, location, interned, "", 0) ? location : PPROF_NONE;
}

bool profile_builder_line(struct profile_builder *builder, uint32_t location, const char *function,
                          const char *file, uint32_t line)
{
    struct heaptap_location added = {.function = function, .file = file, .line = line};
    return pprof_add_line(builder->pprof, location, &added);
}

/* ---- Modules --------------------------------------------------------------------------- */

bool profile_builder_module(struct profile_builder *builder, struct pprof_mapping mapping)
{
    struct pprof *pprof = builder->pprof;
    mapping.build_id = names_copy(&pprof->names, mapping.build_id ? mapping.build_id : "");
    mapping.file = names_copy(&pprof->names, mapping.file);
    if (!mapping.file || !mapping.build_id ||
        !ARRAY_RESERVE(&pprof->mappings, &pprof->mapping_capacity, pprof->mapping_count + 1))
        return false;
    pprof->mappings[pprof->mapping_count++] = mapping;
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct pprof_mapping *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static uint32_t mapping_of(const struct pprof *pprof, uint64_t address)
{
    size_t low =
        ARRAY_SEARCH(middle, pprof->mapping_count, pprof->mappings[middle].start <= address);
    return low > 0 && address < pprof->mappings[low - 1].limit ? (uint32_t)(low - 1) : PPROF_NONE;
}

static void place_locations(struct pprof *pprof)
{
    if (pprof->mapping_count > 0)
        qsort(pprof->mappings, pprof->mapping_count, sizeof *pprof->mappings, by_start);
    for (size_t i = 0; i < pprof->location_count; i++)
        if (pprof->locations[i].address)
            pprof->locations[i].mapping = mapping_of(pprof, pprof->locations[i].address);
}

/* ---- Samples --------------------------------------------------------------------------- */

bool profile_builder_frame(struct profile_builder *builder, uint32_t location)
{
    struct pprof *pprof = builder->pprof;
    if (location == PPROF_NONE ||
        !ARRAY_RESERVE(&pprof->frames, &pprof->frame_capacity, builder->frame_count + 1))
        return false;
    pprof->frames[builder->frame_count++] = location;
    return true;
}

static uint32_t add_frame_of(struct profile_builder *builder, const struct model_frame *from,
                             const struct heaptap_location *lines, size_t count)
{
    uint32_t number = profile_builder_location(builder);
    bool done = number != PPROF_NONE;
    if (done) {
        struct pprof_location *location = &builder->pprof->locations[number];
        location->address = from->code;
        location->mapping = from->module == MODEL_NONE ? PPROF_NONE : from->module;
    }
    for (size_t i = 0; done && i < count; i++)
        done = pprof_add_line(builder->pprof, number, &lines[i]);
    return done ? number : PPROF_NONE;
}

/* The location that a frame of a model has become. */
static uint32_t location_of_frame(struct profile_builder *builder, const struct model *model,
                                  const struct frame_source *frames, uint32_t frame)
{
    size_t count;
    if (builder->by_frame[frame] > 0)
        return builder->by_frame[frame] - 1;
    const struct heaptap_location *lines = frame_source_locations(frames, frame, &count);
    uint32_t location = add_frame_of(builder, &model->frames[frame], lines, count);
    builder->by_frame[frame] = location + 1; /* 0 without memory */
    return location;
}

bool profile_builder_stack(struct profile_builder *builder, const struct model *model,
                           const struct frame_source *frames, const struct stack_trie *trie,
                           uint32_t node)
{
    if (!builder->by_frame)
        builder->by_frame = calloc(model->frame_count + 1, sizeof *builder->by_frame);
    bool done = builder->by_frame;
    for (; done && node != STACK_ROOT; node = trie->nodes[node].parent)
        done = profile_builder_frame(
            builder, location_of_frame(builder, model, frames, trie->nodes[node].frame));
    return done;
}

/* Makes the indices of samples, whose first is 0. */
static bool reserve_samples(struct profile_builder *builder, size_t count)
{
    struct pprof *pprof = builder->pprof;
    if (!ARRAY_RESERVE(&pprof->first_frame, &builder->sample_capacity, count + 1) ||
        !ARRAY_RESERVE(&pprof->first_label, &builder->label_index_capacity, count + 1) ||
        !ARRAY_RESERVE(&pprof->values, &builder->value_capacity, count * pprof->type_count))
        return false;
    pprof->first_frame[0] = pprof->first_label[0] = 0;
    return true;
}

void profile_builder_reverse(struct profile_builder *builder)
{
    struct pprof *pprof = builder->pprof;
    size_t first = pprof->sample_count ? pprof->first_frame[pprof->sample_count] : 0;
    for (size_t i = first, k = builder->frame_count; i + 1 < k; i++) {
        uint32_t last = pprof->frames[--k];
        pprof->frames[k] = pprof->frames[i];
        pprof->frames[i] = last;
    }
}

bool profile_builder_label(struct profile_builder *builder, const struct model_label *label)
{
    struct pprof *pprof = builder->pprof;
    struct names *names = &pprof->names;
    struct model_label added = {names_copy(names, label->key), names_copy(names, label->text),
                                label->number, names_copy(names, label->unit)};
    if (!added.key || !added.unit || (label->text && !added.text) ||
        !ARRAY_RESERVE(&pprof->labels, &pprof->label_capacity, builder->label_count + 1))
        return false;
    pprof->labels[builder->label_count++] = added;
    return true;
}

bool profile_builder_sample(struct profile_builder *builder, const int64_t *values)
{
    struct pprof *pprof = builder->pprof;
    size_t count = pprof->sample_count + 1;
    if (!reserve_samples(builder, count))
        return false;
    memcpy(pprof->values + (count - 1) * pprof->type_count, values,
           pprof->type_count * sizeof *values);
    pprof->first_frame[count] = builder->frame_count;
    pprof->first_label[count] = builder->label_count;
    pprof->sample_count = count;
    return true;
}

/* Is the stack in the making that of the last sample? */
static bool is_again(const struct profile_builder *builder)
{
    const struct pprof *pprof = builder->pprof;
    size_t count = pprof->sample_count;
    if (count == 0)
        return false;
    size_t before = pprof->first_frame[count - 1], from = pprof->first_frame[count];
    return builder->frame_count - from == from - before &&
           memcmp(pprof->frames + before, pprof->frames + from,
                  (from - before) * sizeof *pprof->frames) == 0;
}

bool profile_builder_sum(struct profile_builder *builder, const int64_t *values)
{
    struct pprof *pprof = builder->pprof;
    if (!is_again(builder))
        return profile_builder_sample(builder, values);
    int64_t *last = pprof->values + (pprof->sample_count - 1) * pprof->type_count, sum;
    for (size_t i = 0; i < pprof->type_count; i++)
        if (__builtin_add_overflow(last[i], values[i], &sum))
            return profile_builder_sample(builder, values);
    for (size_t i = 0; i < pprof->type_count; i++)
        last[i] += values[i];
    builder->frame_count = pprof->first_frame[pprof->sample_count];
    return true;
}

struct pprof *profile_builder_finish_placed(struct profile_builder *builder, uint64_t bytes)
{
    struct pprof *pprof = builder->pprof;
    if (pprof->sample_count == 0 && !reserve_samples(builder, 0))
        return NULL;
    pprof->bytes = bytes;
    builder->pprof = NULL;
    return pprof;
}

struct pprof *profile_builder_finish(struct profile_builder *builder, uint64_t bytes)
{
    place_locations(builder->pprof);
    return profile_builder_finish_placed(builder, bytes);
}
