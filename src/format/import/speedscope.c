/* speedscope's files (https://www.speedscope.app/file-format-schema.json), which py-spy, rbspy, heaptap
 * and many others write.
 *
 *     {"shared": {"frames": [{"name": "main", "file": "a.c", "line": 3}, ...]},
 *      "profiles": [{"type": "sampled", "name": "alloc_space", "unit": "bytes",
 *                    "samples": [[0, 1], ...], "weights": [16, ...]},
 *                   {"type": "evented", "name": "main thread", "unit": "seconds",
 *                    "events": [{"type": "O", "frame": 0, "at": 0.5}, {"type": "C", ...}]}]}
 *
 * Profiles of one kind of unit add up: bytes become the sample type space, times become time in
 * nanoseconds, others samples.  A single profile's type has its name, where that is a word.  Of
 * several, each sample has a label `profile` with the name.
 *
 * Members come in any order: the frames' table and a profile's unit perhaps after its samples.  So
 * frames are numbers of the table from the start, weights wait until their profile has ended, and
 * columns that nothing is in are taken out at the end. */
#include "format/import/file_format.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "format/import/json_profile.h"
#include "format/import/json_start.h"
#include "spec/own_member.h"

enum { DEEPEST = 4096 };

enum column { SPACE, TIME, SAMPLES, COLUMNS };

static const struct model_value_type column_types[COLUMNS] = {
    {"space", "bytes"}, {"time", "nanoseconds"}, {"samples", "count"}};

static const struct {
    const char *name;
    enum column column;
    double factor;
} units[] = {{"none", SAMPLES, 1},        {"bytes", SPACE, 1},         {"nanoseconds", TIME, 1},
             {"microseconds", TIME, 1e3}, {"milliseconds", TIME, 1e6}, {"seconds", TIME, 1e9}};

/* A profile of the file: its samples are those from here to the next one's. */
struct part {
    const char *name, *unit; /* interned */
    size_t first_sample;
};

struct reading {
    struct profile_builder builder;
    struct json_reader json;
    struct part *parts;
    size_t part_count, part_capacity;
    double *weights; /* of the present profile's samples */
    size_t weight_count, weight_capacity;
    uint32_t *stack; /* of an evented profile: frames, the outermost first */
    size_t depth, stack_capacity;
    size_t frame_limit; /* one more than the greatest number of a frame */
    bool is_used[COLUMNS];
};

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    static const char *const words[] = {"speedscope.app/file-format-schema", "\"speedscope@",
                                        "\"sampled\"", "\"evented\""};
    if (json_start_has_key(bytes, size, "shared") && json_start_has_key(bytes, size, "frames"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(bytes, size, words[i], strlen(words[i])))
            return json_start_has_key(bytes, size, i < 2 ? "profiles" : "type") ||
                   json_start_has_key(bytes, size, "exporter") ||
                   json_start_has_key(bytes, size, "$schema");
    return false;
}

/* ---- Samples ----------------------------------------------------------------------------- */

static uint32_t read_frame_number(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    int64_t number = json_reader_integer(json);
    if (number < 0 || number >= INT32_MAX) {
        json_reader_fail(json, "no frame has the number %lld", (long long)number);
        return 0;
    }
    if ((size_t)number >= reading->frame_limit)
        reading->frame_limit = (size_t)number + 1;
    return (uint32_t)number;
}

static void end_sample(struct reading *reading)
{
    static const int64_t none[COLUMNS];
    if (!profile_builder_sample(&reading->builder, none))
        json_reader_fail_memory(&reading->json);
}

static void read_samples(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    for (json_reader_array(json); json_reader_item(json);) {
        for (json_reader_array(json); json_reader_item(json);)
            if (!profile_builder_frame(&reading->builder, read_frame_number(reading)))
                json_reader_fail_memory(json);
        profile_builder_reverse(&reading->builder);
        end_sample(reading);
    }
}

static void add_weight(struct reading *reading, double weight)
{
    if (ARRAY_RESERVE(&reading->weights, &reading->weight_capacity, reading->weight_count + 1))
        reading->weights[reading->weight_count++] = weight;
    else
        json_reader_fail_memory(&reading->json);
}

static void read_weights(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    for (json_reader_array(json); json_reader_item(json);)
        add_weight(reading, json_reader_number(json));
}

/* ---- Events ------------------------------------------------------------------------------ */

static void end_span(struct reading *reading, double length)
{
    bool done = true;
    if (reading->depth == 0 || length == 0)
        return;
    for (size_t i = reading->depth; done && i-- > 0;)
        done = profile_builder_frame(&reading->builder, reading->stack[i]);
    if (!done)
        json_reader_fail_memory(&reading->json);
    add_weight(reading, length);
    end_sample(reading);
}

static void open_frame(struct reading *reading, uint32_t frame)
{
    if (reading->depth == DEEPEST)
        json_reader_fail(&reading->json, "calls are nested more than %d deep", DEEPEST);
    else if (!ARRAY_RESERVE(&reading->stack, &reading->stack_capacity, reading->depth + 1))
        json_reader_fail_memory(&reading->json);
    else
        reading->stack[reading->depth++] = frame;
}

static void close_frame(struct reading *reading, uint32_t frame)
{
    if (reading->depth == 0 || reading->stack[reading->depth - 1] != frame)
        json_reader_fail(&reading->json, "frame %u is closed, but is not the innermost open one",
                         frame);
    else
        reading->depth--;
}

static void read_event(struct reading *reading, double *last)
{
    struct json_reader *json = &reading->json;
    const char *key;
    char type = 0;
    bool has_frame = false, has_time = false;
    uint32_t frame = 0;
    double at = *last;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        if (strcmp(key, "type") == 0) {
            type = *json_reader_string(json);
        } else if (strcmp(key, "frame") == 0) {
            frame = read_frame_number(reading);
            has_frame = true;
        } else if (strcmp(key, "at") == 0) {
            at = json_reader_number(json);
            has_time = true;
        } else {
            json_reader_skip(json);
        }
    }
    if (!has_frame || !has_time)
        json_reader_fail(json, "an event has no %s", has_frame ? "time (at)" : "frame");
    if (at < *last)
        json_reader_fail(json, "an event is earlier than the one before");
    end_span(reading, at - *last);
    *last = at;
    if (type == 'O')
        open_frame(reading, frame);
    else if (type == 'C')
        close_frame(reading, frame);
    else
        json_reader_fail(json, "an event is neither of type O nor C");
}

static void read_events(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    double last = -INFINITY;
    reading->depth = 0;
    for (json_reader_array(json); json_reader_item(json);)
        read_event(reading, &last);
}

/* ---- Profiles ---------------------------------------------------------------------------- */

/* Gives the present profile's samples their values. */
static void end_part(struct reading *reading)
{
    const struct part *part = &reading->parts[reading->part_count - 1];
    struct profile_file *file = reading->builder.model->file;
    size_t count = file->sample_count - part->first_sample, i = 0;
    while (i < sizeof units / sizeof *units && strcmp(units[i].name, part->unit) != 0)
        i++;
    if (i == sizeof units / sizeof *units)
        json_reader_fail(&reading->json, "a profile has the unit '%.40s', which is not known",
                         part->unit);
    else if (reading->weight_count > 0 && reading->weight_count != count)
        json_reader_fail(&reading->json, "a profile has %zu samples, but %zu weights", count,
                         reading->weight_count);
    if (reading->json.status != HEAPTAP_OK)
        return;
    reading->is_used[units[i].column] = true;
    for (size_t k = 0; k < count; k++)
        file->values[(part->first_sample + k) * COLUMNS + units[i].column] = profile_file_round(
            file, reading->weight_count > 0 ? reading->weights[k] * units[i].factor : 1);
}

static const char *read_name(struct reading *reading)
{
    const char *text = json_reader_string(&reading->json);
    text = names_copy(&reading->builder.model->names, text);
    if (!text)
        json_reader_fail_memory(&reading->json);
    return text ? text : "";
}

static void read_part(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key;
    if (!ARRAY_RESERVE(&reading->parts, &reading->part_capacity, reading->part_count + 1)) {
        json_reader_fail_memory(json);
        return;
    }
    struct part *part = &reading->parts[reading->part_count++];
    *part = (struct part){"", "none", reading->builder.model->file->sample_count};
    reading->weight_count = 0;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        if (strcmp(key, "name") == 0)
            part->name = read_name(reading);
        else if (strcmp(key, "unit") == 0)
            part->unit = read_name(reading);
        else if (strcmp(key, "samples") == 0)
            read_samples(reading);
        else if (strcmp(key, "weights") == 0)
            read_weights(reading);
        else if (strcmp(key, "events") == 0)
            read_events(reading);
        else
            json_reader_skip(json);
    }
    end_part(reading);
}

/* ---- Frames ------------------------------------------------------------------------------ */

static void read_frame(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key, *name = "", *file = "";
    int64_t line = 0;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        bool is_text = json_reader_peek(json) == '"'; /* file and line may be null */
        if (strcmp(key, "name") == 0)
            name = read_name(reading);
        else if (strcmp(key, "file") == 0 && is_text)
            file = read_name(reading);
        else if (strcmp(key, "line") == 0 && json_reader_peek(json) != 'n')
            line = json_reader_integer(json);
        else
            json_reader_skip(json);
    }
    if (json->status == HEAPTAP_OK &&
        model_add_frame(
            reading->builder.model, 0, MODEL_NONE,
            &(struct heaptap_location){.function = name,
                                       .file = file,
                                       .line = line > 0 && line < INT32_MAX ? (uint32_t)line : 0},
            1) == MODEL_NONE)
        json_reader_fail_memory(json);
}

static void read_shared(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key;
    for (json_reader_object(json); (key = json_reader_key(json));)
        if (strcmp(key, "frames") == 0)
            for (json_reader_array(json); json_reader_item(json);)
                read_frame(reading);
        else
            json_reader_skip(json);
}

/* ---- The whole --------------------------------------------------------------------------- */

static bool is_word(const char *name)
{
    for (const char *at = name; *at; at++)
        if (!islower((unsigned char)*at) && *at != '_')
            return false;
    return *name;
}

static void drop_columns(const struct reading *reading, struct model *model)
{
    struct profile_file *file = model->file;
    size_t kept[COLUMNS], count = 0, to = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (reading->is_used[i])
            kept[count++] = i;
    for (size_t i = 0; i < count; i++)
        model->samples.types[i] = column_types[kept[i]];
    for (size_t i = 0; i < file->sample_count; i++)
        for (size_t k = 0; k < count; k++)
            file->values[to++] = file->values[i * COLUMNS + kept[k]];
    model->samples.type_count = count;
    model->samples.default_type = 0;
    if (reading->part_count == 1 && is_word(reading->parts[0].name))
        model->samples.types[0].name = reading->parts[0].name;
}

/* False when there is no memory. */
static bool label_parts(const struct reading *reading, struct model *model)
{
    struct profile_file *file = model->file;
    size_t part = 0;
    if (reading->part_count < 2)
        return true;
    if (!ARRAY_RESERVE(&file->labels, &file->label_capacity, file->sample_count + 1))
        return false;
    for (size_t i = 0; i < file->sample_count; i++) {
        while (part + 1 < reading->part_count && reading->parts[part + 1].first_sample <= i)
            part++;
        file->labels[i] = (struct model_label){"profile", reading->parts[part].name, 0, ""};
        file->first_label[i + 1] = i + 1;
    }
    return true;
}

static void read_all(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        if (strcmp(key, "profiles") == 0)
            for (json_reader_array(json); json_reader_item(json);)
                read_part(reading);
        else if (strcmp(key, "shared") == 0)
            read_shared(reading);
        else if (strcmp(key, OWN_MEMBER) == 0)
            json_profile_own_member(json, &reading->builder);
        else
            json_reader_skip(json);
    }
    if (reading->part_count == 0)
        json_reader_fail(json, "this speedscope file has no profiles");
    else if (reading->frame_limit > reading->builder.model->frame_count)
        json_reader_fail(json, "a stack has frame %zu, but there are %zu frames",
                         reading->frame_limit - 1, reading->builder.model->frame_count);
}

static bool begin(struct reading *reading)
{
    bool done = profile_builder_init(&reading->builder, "speedscope");
    for (int i = 0; done && i < COLUMNS; i++)
        done = model_add_value_type(reading->builder.model, column_types[i].name,
                                    column_types[i].unit);
    return done;
}

/* Columns that no part has are dropped, and samples named by their parts. */
static enum heaptap_status finish(const struct reading *reading, struct model **result,
                                  struct heaptap_error *error)
{
    drop_columns(reading, *result);
    if (label_parts(reading, *result))
        return HEAPTAP_OK;
    model_free(*result);
    *result = NULL;
    return error_no_memory(error);
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    struct reading reading = {0};
    json_reader_init(&reading.json, input, error);
    if (begin(&reading))
        read_all(&reading);
    else
        json_reader_fail_memory(&reading.json);
    enum heaptap_status status = json_profile_end(&reading.json, &reading.builder, result, error);
    if (status == HEAPTAP_OK)
        status = finish(&reading, result, error);
    free(reading.parts);
    free(reading.weights);
    free(reading.stack);
    return status;
}

const struct file_format speedscope_format = {"speedscope", .looks_like_one = looks_like_one,
                                              .read = read_profile, .lacks_names = true};
