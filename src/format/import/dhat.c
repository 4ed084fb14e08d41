/* Profiles of valgrind's DHAT (`valgrind --tool=dhat`, dhat.out.PID), of programs that write the same
 * (Rust's crate dhat), and heaptap's own export of it.
 *
 *     {"dhatFileVersion": 2, "mode": "heap", "bklt": true, ...,
 *      "pps": [{"tb": 24, "tbk": 1, "gb": 24, "gbk": 1, "eb": 0, "ebk": 0, "fs": [1, 2]}],
 *      "ftbl": ["[root]", "0x109150: main (t.c:5)"]}
 *
 * Sample types: alloc_objects and alloc_space, and where the file has lifetimes (bklt)
 * peak_objects and peak_space, in use when the whole program had most in use, and inuse_objects and
 * inuse_space, in use at the end; where it has accesses (bkacc) read_space and written_space.
 * What is not of a heap (modes copy, ad-hoc) is events and units.
 *
 * The table of frames comes after the stacks, and says less of them than it has frames, perhaps: a
 * location is made for each number that is met, and they are counted when the table has been read. */
#include "format/import/file_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/import/json_profile.h"
#include "format/import/json_start.h"
#include "format/import/valgrind_frame.h"
#include "spec/own_member.h"

enum value { OBJECTS, SPACE, PEAK_OBJECTS, PEAK_SPACE, USED_OBJECTS, USED_SPACE, READ, WRITTEN };

enum { VALUES = WRITTEN + 1 };

static const struct {
    const char *key, *name, *unit;
} values[VALUES] = {
    [OBJECTS] = {"tbk", "alloc_objects", "count"},
    [SPACE] = {"tb", "alloc_space", "bytes"},
    [PEAK_OBJECTS] = {"gbk", "peak_objects", "count"},
    [PEAK_SPACE] = {"gb", "peak_space", "bytes"},
    [USED_OBJECTS] = {"ebk", "inuse_objects", "count"},
    [USED_SPACE] = {"eb", "inuse_space", "bytes"},
    [READ] = {"rb", "read_space", "bytes"},
    [WRITTEN] = {"wb", "written_space", "bytes"},
};

struct reading {
    struct profile_builder builder;
    struct json_reader json;
    bool is_heap, has_lifetimes, has_accesses;
    enum value kept[VALUES]; /* by sample type */
    size_t frame_limit;      /* one more than the greatest number of a frame */
};

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    return json_start_has_key(bytes, size, "dhatFileVersion");
}

/* ---- Stacks ----------------------------------------------------------------------------- */

static bool keep(struct reading *reading, enum value value)
{
    size_t type = reading->builder.model->samples.type_count;
    bool is_units = !reading->is_heap && value <= SPACE;
    reading->kept[type] = value;
    return model_add_value_type(reading->builder.model,
                                !is_units          ? values[value].name
                                : value == OBJECTS ? "events"
                                                   : "units",
                                is_units ? "count" : values[value].unit);
}

/* The types, when the members before the stacks have told of them. */
static void set_types(struct reading *reading)
{
    bool done = true;
    for (int i = 0; done && i < VALUES; i++)
        if (i <= SPACE || (i >= READ ? reading->has_accesses : reading->has_lifetimes))
            done = keep(reading, (enum value)i);
    reading->builder.model->samples.default_type = SPACE;
    if (!done)
        json_reader_fail_memory(&reading->json);
}

static void read_frames(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    for (json_reader_array(json); json_reader_item(json);) {
        int64_t number = json_reader_integer(json);
        if (number < 0 || number >= INT32_MAX)
            json_reader_fail(json, "no frame has the number %lld", (long long)number);
        else if (!profile_builder_frame(&reading->builder, (uint32_t)number))
            json_reader_fail_memory(json);
        else if ((size_t)number >= reading->frame_limit)
            reading->frame_limit = (size_t)number + 1;
    }
}

static void read_point(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    int64_t all[VALUES] = {0}, kept[VALUES];
    const char *key;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        int i = 0;
        while (i < VALUES && strcmp(key, values[i].key) != 0)
            i++;
        if (i < VALUES)
            all[i] = json_reader_integer(json);
        else if (strcmp(key, "fs") == 0)
            read_frames(reading);
        else
            json_reader_skip(json);
    }
    for (size_t i = 0; i < reading->builder.model->samples.type_count; i++)
        kept[i] = all[reading->kept[i]];
    if (json->status == HEAPTAP_OK && !profile_builder_sample(&reading->builder, kept))
        json_reader_fail_memory(json);
}

/* ---- Frames ----------------------------------------------------------------------------- */

static void add_frame(struct reading *reading, uint32_t location, char *text)
{
    if (!valgrind_frame_add(&reading->builder, location, text))
        json_reader_fail_memory(&reading->json);
}

static void read_table(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    for (json_reader_array(json); json_reader_item(json);) {
        const char *text = json_reader_string(json);
        char *copy = strdup(text);
        uint32_t location = profile_builder_location(&reading->builder);
        if (!copy || location == MODEL_NONE)
            json_reader_fail_memory(json);
        else
            add_frame(reading, location, copy);
        free(copy);
    }
}

/* DHAT's own function that takes malloc's place is nobody's caller. */
static bool is_dhat(const struct model *model, uint32_t location)
{
    const struct model_frame *at = &model->frames[location];
    return at->line_count > 0 && strstr(model->lines[at->first_line].file, "/vgpreload_");
}

/* ---- The whole --------------------------------------------------------------------------- */

/* Leaves out what stacks end in within DHAT. */
static void compact(struct model *model)
{
    struct profile_file *file = model->file;
    size_t kept = 0, first = 0;
    for (size_t i = 0; file->frames && i < file->sample_count; i++) {
        size_t end = file->first_frame[i + 1], at = first;
        first = end;
        while (at + 1 < end && is_dhat(model, file->frames[at]))
            at++;
        memmove(file->frames + kept, file->frames + at, (end - at) * sizeof *file->frames);
        kept += end - at;
        file->first_frame[i + 1] = kept;
    }
}

static void read_member(struct reading *reading, const char *key)
{
    struct json_reader *json = &reading->json;
    struct model *model = reading->builder.model;
    if (strcmp(key, "dhatFileVersion") == 0) {
        if (json_reader_integer(json) != 2)
            json_reader_fail(json, "this is a DHAT file of another version than 2");
    } else if (strcmp(key, "mode") == 0) {
        reading->is_heap = strstr(json_reader_string(json), "heap");
    } else if (strcmp(key, "bklt") == 0) {
        reading->has_lifetimes = json_reader_truth(json);
    } else if (strcmp(key, "bkacc") == 0) {
        reading->has_accesses = json_reader_truth(json);
    } else if (strcmp(key, "pps") == 0 && model->samples.type_count == 0) {
        set_types(reading);
        for (json_reader_array(json); json_reader_item(json);)
            read_point(reading);
    } else if (strcmp(key, "ftbl") == 0 && model->frame_count == 0) {
        read_table(reading);
    } else if (strcmp(key, OWN_MEMBER) == 0) {
        json_profile_own_member(json, &reading->builder);
    } else {
        json_reader_skip(json);
    }
}

static void read_all(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        char copy[32] = "";
        strncpy(copy, key, sizeof copy - 1);
        read_member(reading, copy);
    }
    if (reading->builder.model->samples.type_count == 0)
        json_reader_fail(json, "this DHAT file has no program points (pps)");
    else if (reading->frame_limit > reading->builder.model->frame_count)
        json_reader_fail(json, "a stack has frame %zu, but the table (ftbl) has %zu",
                         reading->frame_limit - 1, reading->builder.model->frame_count);
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    struct reading reading = {.is_heap = true};
    json_reader_init(&reading.json, input, error);
    if (profile_builder_init(&reading.builder, "DHAT"))
        read_all(&reading);
    else
        json_reader_fail_memory(&reading.json);
    enum heaptap_status status = json_profile_end(&reading.json, &reading.builder, result, error);
    if (status == HEAPTAP_OK)
        compact(*result);
    return status;
}

const struct file_format dhat_format = {"DHAT", .looks_like_one = looks_like_one,
                                        .read = read_profile, .lacks_names = true};
