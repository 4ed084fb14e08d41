#include "profile/list/label_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/measure.h"
#include "base/text.h"

/* What is being made: the frames of all samples, anew. */
struct building {
    struct model *model;
    const struct profile_label_frames *which;
    uint32_t *frames;
    size_t count, capacity;
    struct map locations; /* hash of key and value -> the location */
    bool is_met;
};

/* ---- Names --------------------------------------------------------------------------- */

static void put_value(struct text *value, const struct model_label *label, const char *unit)
{
    char text[MEASURE_TEXT_BYTES];
    if (label->text) {
        text_put_string(value, label->text);
        return;
    }
    if (*label->unit)
        measure_text(text, (double)label->number, label->unit, unit ? unit : "minimum");
    else
        snprintf(text, sizeof text, "%" PRId64, label->number);
    text_put_string(value, text);
}

/* The values of a sample's labels of that key: texts first, then numbers. */
static void put_values(struct building *building, struct text *value, size_t sample,
                       const char *key, size_t size)
{
    const struct profile_file *file = building->model->file;
    for (int numbers = 0; numbers < 2; numbers++)
        for (size_t i = file->first_label[sample]; i < file->first_label[sample + 1]; i++) {
            const struct model_label *label = &file->labels[i];
            if ((label->text == NULL) != (numbers > 0) || strlen(label->key) != size ||
                memcmp(label->key, key, size) != 0)
                continue;
            if (value->size > 0)
                text_put_char(value, ',');
            put_value(value, label, building->which->unit);
            building->is_met = true;
        }
}

/* ---- Frames -------------------------------------------------------------------------- */

/* Names are kept once, so that equal ones are equal pointers. */
static uint32_t location_of(struct building *building, const struct text *value, const char *key,
                            size_t size)
{
    bool fresh;
    struct model *model = building->model;
    const char *function =
        names_intern(&model->names, value->bytes ? value->bytes : "", value->size);
    const char *file = names_intern(&model->names, key, size);
    uint64_t pair =
        (uint64_t)(uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)file;
    uint32_t *known = function && file ? map_put(&building->locations, pair, 0, &fresh) : NULL;
    if (!known)
        return MODEL_NONE;
    if (fresh)
        *known = model_add_frame(model, 0, MODEL_NONE,
                                 &(struct heaptap_location){.function = function, .file = file}, 1);
    return *known;
}

static bool add_frame(struct building *building, uint32_t location)
{
    if (location == MODEL_NONE ||
        !ARRAY_RESERVE(&building->frames, &building->capacity, building->count + 1))
        return false;
    building->frames[building->count++] = location;
    return true;
}

/* A frame for each key, the last one first. */
static bool add_keys(struct building *building, size_t sample, const char *keys)
{
    bool done = true;
    for (const char *end = keys ? keys + strlen(keys) : NULL; done && end;
         end = end > keys ? end - 1 : NULL) {
        const char *key = end;
        while (key > keys && key[-1] != ',')
            key--;
        if (key < end) {
            struct text value = {0};
            put_values(building, &value, sample, key, (size_t)(end - key));
            done = !value.failed &&
                   add_frame(building, location_of(building, &value, key, (size_t)(end - key)));
            text_release(&value);
        }
        end = key;
    }
    return done;
}

static bool add_sample(struct building *building, size_t sample)
{
    const struct profile_file *file = building->model->file;
    bool done = add_keys(building, sample, building->which->leaves);
    for (size_t i = file->first_frame[sample]; done && i < file->first_frame[sample + 1]; i++)
        done = add_frame(building, file->frames[i]);
    return done && add_keys(building, sample, building->which->roots);
}

bool profile_add_label_frames(struct model *model, const struct profile_label_frames *which,
                              bool *is_met)
{
    struct profile_file *file = model->file;
    struct building building = {.model = model, .which = which};
    size_t *first = malloc((file->sample_count + 1) * sizeof *first);
    bool done = first;
    for (size_t i = 0; done && i < file->sample_count; i++) {
        first[i] = building.count;
        done = add_sample(&building, i);
    }
    map_release(&building.locations);
    if (!done) {
        free(building.frames);
        free(first);
        return false;
    }
    first[file->sample_count] = building.count;
    free(file->frames);
    free(file->first_frame);
    file->frames = building.frames;
    file->frame_capacity = building.capacity;
    file->first_frame = first;
    *is_met = building.is_met;
    return true;
}
