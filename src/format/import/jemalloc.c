/* jemalloc's heap profiles (`prof_dump`, prof:true), in its text format heap_v2.
 *
 *     heap_v2/524288                     mean of the bytes between samples
 *       t*: 28106: 56637512 [0: 0]       all threads: objects: bytes in use [objects: bytes ever]
 *       t0: 28106: 56637512 [0: 0]       a thread
 *     @ 0x5f86da8 0x5f5a1dc ...          a stack, the innermost return address first
 *       t*: 13: 6688 [0: 0]              what was sampled there
 *       t3: 13: 6688 [0: 0]
 *
 *     MAPPED_LIBRARIES:
 *     ...                                as in /proc/PID/maps
 *
 * It becomes a profile with the sample types inuse_objects and inuse_space, and before them
 * alloc_objects and alloc_space where the program ran with prof_accum:true.  jemalloc samples a
 * block of n bytes with probability 1 - exp(-n / mean), so values are divided by that, at the mean
 * size of the stack's blocks: what jeprof shows.
 *
 * Addresses are those of the calls, one before the return addresses; names are for whoever has the
 * binaries.  The innermost frames, within a library of jemalloc's, are left out.
 *
 * The modules come last, so stacks are kept as they are first, and cut where they enter jemalloc
 * when all is known. */
#include "format/import/file_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/saturate.h"
#include "format/import/line_profile.h"

static const char magic[] = "heap_v2/";

/* Of the profile in the making: always these four, of which the first two may be dropped. */
enum { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, VALUES };

static const struct model_value_type value_types[VALUES] = {
    {"alloc_objects", "count"},
    {"alloc_space", "bytes"},
    {"inuse_objects", "count"},
    {"inuse_space", "bytes"},
};

struct reading {
    struct line_profile in;
    uint64_t mean;      /* bytes between samples */
    bool in_stack;      /* the sample last added has no "t*" line yet */
    bool has_allocated; /* some of the first two values isn't 0 */
};

/* ---- A line of counts ---------------------------------------------------------------- */

/* What jeprof makes of sampled counts. */
static void unsample(uint64_t mean, uint64_t objects, uint64_t bytes, int64_t *to)
{
    if (objects == 0)
        return;
    double ratio = (double)bytes / (double)objects / (double)mean;
    double scale = mean > 1 && ratio > 0 ? 1 / -expm1(-ratio) : 1;
    to[0] = saturate_round(round((double)objects * scale));
    to[1] = saturate_round(round((double)bytes * scale));
}

/* "28106: 56637512 [0: 0]", and perhaps a thread's name. */
static enum heaptap_status take_counts(struct reading *reading, char *at, uint64_t counts[VALUES])
{
    if (lines_decimal(&at, &counts[INUSE_OBJECTS]) && lines_take(&at, ":") &&
        lines_decimal(&at, &counts[INUSE_SPACE]) && lines_take(&at, " [") &&
        lines_decimal(&at, &counts[ALLOC_OBJECTS]) && lines_take(&at, ":") &&
        lines_decimal(&at, &counts[ALLOC_SPACE]) && lines_take(&at, "]"))
        return HEAPTAP_OK;
    return lines_error(&reading->in.lines, reading->in.error,
                       "expected OBJECTS: BYTES [OBJECTS: BYTES], not '%.60s'", at);
}

static enum heaptap_status take_thread_line(struct reading *reading, char *at)
{
    uint64_t counts[VALUES];
    char *colon = strchr(at, ':');
    if (!colon)
        return lines_error(&reading->in.lines, reading->in.error,
                           "expected the counts of a thread, t0: ..., not '%.60s'", at);
    bool is_sum = strncmp(at, "t*:", 3) == 0;
    enum heaptap_status status = take_counts(reading, colon + 1, counts);
    if (status != HEAPTAP_OK || !is_sum)
        return status;
    reading->in.lacks_end = false;
    struct profile_file *file = reading->in.builder.model->file;
    if (file->sample_count == 0)
        reading->in.announced = counts[INUSE_OBJECTS];
    if (!reading->in_stack)
        return HEAPTAP_OK;
    reading->in.met += counts[INUSE_OBJECTS];
    int64_t *values = file->values + (file->sample_count - 1) * VALUES;
    unsample(reading->mean, counts[ALLOC_OBJECTS], counts[ALLOC_SPACE], values + ALLOC_OBJECTS);
    unsample(reading->mean, counts[INUSE_OBJECTS], counts[INUSE_SPACE], values + INUSE_OBJECTS);
    reading->has_allocated |= counts[ALLOC_OBJECTS] > 0;
    reading->in_stack = false;
    return HEAPTAP_OK;
}

/* ---- A line of addresses -------------------------------------------------------------- */

static enum heaptap_status take_stack(struct reading *reading, char *at)
{
    static const int64_t none[VALUES];
    struct profile_builder *builder = &reading->in.builder;
    while (lines_take(&at, " 0x")) {
        uint64_t address;
        if (!lines_hex(&at, &address))
            return lines_error(&reading->in.lines, reading->in.error,
                               "an address is not a hexadecimal number of at most 64 bits");
        if (!profile_builder_frame(builder,
                                   profile_builder_address(builder, address - (address > 0))))
            return error_no_memory(reading->in.error);
    }
    if (at[strspn(at, " \r")])
        return lines_error(&reading->in.lines, reading->in.error,
                           "expected an address, 0x..., not '%.60s'", at);
    reading->in_stack = reading->in.lacks_end = true; /* its counts have to follow */
    return profile_builder_sample(builder, none) ? HEAPTAP_OK : error_no_memory(reading->in.error);
}

/* ---- The end ---------------------------------------------------------------------------- */

static bool is_jemalloc(const struct model *model, uint32_t location)
{
    uint32_t mapping = model->frames[location].module;
    if (mapping == MODEL_NONE)
        return false;
    const char *file = model->modules[mapping].path;
    return strncmp(path_file(file), "libjemalloc", strlen("libjemalloc")) == 0;
}

/* Leaves out the innermost frames within jemalloc, and stacks without any value. */
static void compact(struct model *model)
{
    struct profile_file *file = model->file;
    size_t frames = 0, samples = 0, first = 0;
    for (size_t i = 0; i < file->sample_count; i++) {
        size_t end = file->first_frame[i + 1], at = first;
        const int64_t *values = file->values + i * VALUES;
        first = end;
        if (!values[ALLOC_OBJECTS] && !values[INUSE_OBJECTS])
            continue;
        size_t kept = at;
        while (kept < end && is_jemalloc(model, file->frames[kept]))
            kept++;
        at = kept < end ? kept : at;
        if (at < end)
            memmove(file->frames + frames, file->frames + at, (end - at) * sizeof *file->frames);
        frames += end - at;
        memmove(file->values + samples * VALUES, values, VALUES * sizeof *values);
        file->first_frame[++samples] = frames;
    }
    file->sample_count = samples;
}

/* Keeps the last two of four values. */
static void drop_allocated(struct model *model)
{
    struct profile_file *file = model->file;
    memmove(model->samples.types, model->samples.types + INUSE_OBJECTS,
            2 * sizeof *model->samples.types);
    model->samples.type_count = 2;
    model->samples.default_type = 1;
    for (size_t i = 0; i < file->sample_count; i++)
        memmove(file->values + 2 * i, file->values + VALUES * i + INUSE_OBJECTS,
                2 * sizeof *file->values);
}

static void finish(void *context, struct model *model)
{
    const struct reading *reading = context;
    compact(model);
    if (!reading->has_allocated)
        drop_allocated(model);
    model->file->period_type = (struct model_value_type){"space", "bytes"};
    model->file->period = (int64_t)(reading->mean < INT64_MAX ? reading->mean : INT64_MAX);
}

/* ---- The whole --------------------------------------------------------------------------- */

static enum heaptap_status take_head(void *context, char *at, size_t size)
{
    struct reading *reading = context;
    (void)size;
    reading->in.lacks_end = true; /* the counts of all have to follow */
    return lines_take(&at, magic) && lines_decimal(&at, &reading->mean) && reading->mean > 0
               ? HEAPTAP_OK
               : lines_error(&reading->in.lines, reading->in.error,
                             "expected heap_v2/ and the mean number of bytes between samples");
}

static enum heaptap_status take_line(void *context, char *at, size_t size)
{
    struct reading *reading = context;
    (void)size;
    at += strspn(at, " ");
    reading->in.in_modules = strcmp(at, "MAPPED_LIBRARIES:") == 0;
    if (reading->in.in_modules || *at == 0)
        return HEAPTAP_OK;
    if (*at == '@')
        return take_stack(reading, at + 1);
    if (*at == 't')
        return take_thread_line(reading, at);
    return lines_error(&reading->in.lines, reading->in.error,
                       "expected a stack (@ 0x...) or its counts (t*: ...), not '%.60s'", at);
}

static bool begin(void *context)
{
    struct reading *reading = context;
    bool done = true;
    for (int i = 0; done && i < VALUES; i++)
        done = model_add_value_type(reading->in.builder.model, value_types[i].name,
                                    value_types[i].unit);
    return done;
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    static const struct line_profile_format format = {"jemalloc", .begin = begin,
                                                      .take_head = take_head,
                                                      .take_line = take_line, .finish = finish};
    struct reading reading = {0};
    return line_profile_read(&reading.in, &format, input, result, error);
}

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    size_t length = strlen(magic);
    return size >= length && memcmp(bytes, magic, length) == 0;
}

const struct file_format jemalloc_format = {"jemalloc", .looks_like_one = looks_like_one,
                                            .read = read_profile, .lacks_names = true};
