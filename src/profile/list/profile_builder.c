#include "profile/list/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool profile_builder_init(struct profile_builder *builder, const char *format)
{
    *builder = (struct profile_builder){.model = profile_new()};
    if (builder->model)
        builder->model->file->format = format;
    return builder->model;
}

void profile_builder_go_on(struct profile_builder *builder, struct model *model)
{
    const struct profile_file *file = model->file;
    size_t count = file->sample_count;
    *builder = (struct profile_builder){.model = model};
    if (!file->first_frame)
        return;
    builder->sample_capacity = builder->label_index_capacity = count + 1;
    builder->value_capacity = count * model->samples.type_count;
    builder->frame_count = file->first_frame[count];
    builder->label_count = file->first_label[count];
}

void profile_builder_release(struct profile_builder *builder)
{
    model_free(builder->model);
    map_release(&builder->by_address);
    free(builder->by_frame);
    map_release(&builder->by_name);
    builder->model = NULL;
    builder->by_frame = NULL;
}

/* ---- Locations ------------------------------------------------------------------------ */

uint32_t profile_builder_location(struct profile_builder *builder)
{
    return model_add_frame(builder->model, 0, MODEL_NONE, NULL, 0);
}

/* The location that a key stands for, a new one perhaps. */
static uint32_t location_of(struct profile_builder *builder, struct map *map, uint64_t key,
                            bool *fresh)
{
    uint32_t *found = map_put(map, key, (uint32_t)builder->model->frame_count, fresh);
    if (!found)
        return MODEL_NONE;
    return *fresh ? profile_builder_location(builder) : *found;
}

uint32_t profile_builder_address(struct profile_builder *builder, uint64_t address)
{
    bool fresh;
    uint32_t location = location_of(builder, &builder->by_address, address, &fresh);
    if (location != MODEL_NONE)
        builder->model->frames[location].code = address;
    return location;
}

uint32_t profile_builder_text(struct profile_builder *builder, const char *text, size_t size,
                              bool *fresh)
{
    const char *interned = names_intern(&builder->model->names, text, size);
    return interned ? location_of(builder, &builder->by_name, (uint64_t)(uintptr_t)interned, fresh)
                    : MODEL_NONE;
}

uint32_t profile_builder_name(struct profile_builder *builder, const char *name, size_t size)
{
    bool fresh;
    uint32_t location = profile_builder_text(builder, name, size, &fresh);
    if (location == MODEL_NONE || !fresh)
        return location;
    const char *interned = names_intern(&builder->model->names, name, size);
    return profile_builder_line(builder, location, interned, "", 0) ? location : MODEL_NONE;
}

bool profile_builder_line(struct profile_builder *builder, uint32_t location, const char *function,
                          const char *file, uint32_t line)
{
    struct heaptap_location added = {.function = function, .file = file, .line = line};
    return model_add_line(builder->model, location, &added);
}

/* ---- Modules --------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct model_module *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static uint32_t module_of(const struct model *model, uint64_t address)
{
    size_t low = ARRAY_SEARCH(middle, model->module_count, model->modules[middle].start <= address);
    return low > 0 && address < model_module_limit(&model->modules[low - 1]) ? (uint32_t)(low - 1)
                                                                             : MODEL_NONE;
}

static void place_frames(struct model *model)
{
    if (model->module_count > 0)
        qsort(model->modules, model->module_count, sizeof *model->modules, by_start);
    for (size_t i = 0; i < model->frame_count; i++)
        if (model->frames[i].code)
            model->frames[i].module = module_of(model, model->frames[i].code);
}

/* ---- Samples --------------------------------------------------------------------------- */

bool profile_builder_frame(struct profile_builder *builder, uint32_t location)
{
    struct profile_file *file = builder->model->file;
    if (location == MODEL_NONE ||
        !ARRAY_RESERVE(&file->frames, &file->frame_capacity, builder->frame_count + 1))
        return false;
    file->frames[builder->frame_count++] = location;
    return true;
}

/* The location that a frame of a model has become. */
static uint32_t location_of_frame(struct profile_builder *builder, const struct model *model,
                                  const struct frame_source *frames, uint32_t frame)
{
    size_t count;
    if (builder->by_frame[frame] > 0)
        return builder->by_frame[frame] - 1;
    const struct heaptap_location *lines = frame_source_locations(frames, frame, &count);
    uint32_t location = model_add_frame(builder->model, model->frames[frame].code,
                                        model->frames[frame].module, lines, count);
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
    struct profile_file *file = builder->model->file;
    if (!ARRAY_RESERVE(&file->first_frame, &builder->sample_capacity, count + 1) ||
        !ARRAY_RESERVE(&file->first_label, &builder->label_index_capacity, count + 1) ||
        !ARRAY_RESERVE(&file->values, &builder->value_capacity,
                       count * builder->model->samples.type_count))
        return false;
    file->first_frame[0] = file->first_label[0] = 0;
    return true;
}

void profile_builder_reverse(struct profile_builder *builder)
{
    struct profile_file *file = builder->model->file;
    size_t first = file->sample_count ? file->first_frame[file->sample_count] : 0;
    for (size_t i = first, k = builder->frame_count; i + 1 < k; i++) {
        uint32_t last = file->frames[--k];
        file->frames[k] = file->frames[i];
        file->frames[i] = last;
    }
}

bool profile_builder_label(struct profile_builder *builder, const struct model_label *label)
{
    struct profile_file *file = builder->model->file;
    struct names *names = &builder->model->names;
    struct model_label added = {names_copy(names, label->key), names_copy(names, label->text),
                                label->number, names_copy(names, label->unit)};
    if (!added.key || !added.unit || (label->text && !added.text) ||
        !ARRAY_RESERVE(&file->labels, &file->label_capacity, builder->label_count + 1))
        return false;
    file->labels[builder->label_count++] = added;
    return true;
}

bool profile_builder_sample(struct profile_builder *builder, const int64_t *values)
{
    struct profile_file *file = builder->model->file;
    size_t count = file->sample_count + 1, types = builder->model->samples.type_count;
    if (!reserve_samples(builder, count))
        return false;
    memcpy(file->values + (count - 1) * types, values, types * sizeof *values);
    file->first_frame[count] = builder->frame_count;
    file->first_label[count] = builder->label_count;
    file->sample_count = count;
    return true;
}

/* Is the stack in the making that of the last sample? */
static bool is_again(const struct profile_builder *builder)
{
    const struct profile_file *file = builder->model->file;
    size_t count = file->sample_count;
    if (count == 0)
        return false;
    size_t before = file->first_frame[count - 1], from = file->first_frame[count];
    return builder->frame_count - from == from - before &&
           memcmp(file->frames + before, file->frames + from,
                  (from - before) * sizeof *file->frames) == 0;
}

bool profile_builder_sum(struct profile_builder *builder, const int64_t *values)
{
    struct profile_file *file = builder->model->file;
    size_t types = builder->model->samples.type_count;
    if (!is_again(builder))
        return profile_builder_sample(builder, values);
    int64_t *last = file->values + (file->sample_count - 1) * types, sum;
    for (size_t i = 0; i < types; i++)
        if (__builtin_add_overflow(last[i], values[i], &sum))
            return profile_builder_sample(builder, values);
    for (size_t i = 0; i < types; i++)
        last[i] += values[i];
    builder->frame_count = file->first_frame[file->sample_count];
    return true;
}

struct model *profile_builder_finish_placed(struct profile_builder *builder, uint64_t bytes)
{
    struct model *model = builder->model;
    if (model->file->sample_count == 0 && !reserve_samples(builder, 0))
        return NULL;
    model->file->bytes = bytes;
    builder->model = NULL;
    return model;
}

struct model *profile_builder_finish(struct profile_builder *builder, uint64_t bytes)
{
    place_frames(builder->model);
    return profile_builder_finish_placed(builder, bytes);
}
