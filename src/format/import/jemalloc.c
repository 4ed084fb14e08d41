/* The modules come last, so stacks are kept as they are first, and cut where they enter jemalloc
 * when all is known. */
#include "format/import/jemalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/import/lines.h"
#include "format/import/maps_line.h"
#include "pprof/read/profile_builder.h"

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
    struct profile_builder builder;
    struct lines lines;
    struct heaptap_error *error;
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
    to[0] = (int64_t)fmin(round((double)objects * scale), 9e18);
    to[1] = (int64_t)fmin(round((double)bytes * scale), 9e18);
}

static bool take_text(char **at, const char *text)
{
    size_t size = strlen(text);
    bool found = strncmp(*at, text, size) == 0;
    *at += found ? size : 0;
    return found;
}

/* "28106: 56637512 [0: 0]", and perhaps a thread's name. */
static enum heaptap_status take_counts(struct reading *reading, char *at, uint64_t counts[VALUES])
{
    if (lines_decimal(&at, &counts[INUSE_OBJECTS]) && take_text(&at, ":") &&
        lines_decimal(&at, &counts[INUSE_SPACE]) && take_text(&at, " [") &&
        lines_decimal(&at, &counts[ALLOC_OBJECTS]) && take_text(&at, ":") &&
        lines_decimal(&at, &counts[ALLOC_SPACE]) && take_text(&at, "]"))
        return HEAPTAP_OK;
    return lines_error(&reading->lines, reading->error,
                       "expected OBJECTS: BYTES [OBJECTS: BYTES], not '%.60s'", at);
}

static enum heaptap_status take_thread_line(struct reading *reading, char *at)
{
    uint64_t counts[VALUES];
    char *colon = strchr(at, ':');
    if (!colon)
        return lines_error(&reading->lines, reading->error,
                           "expected the counts of a thread, t0: ..., not '%.60s'", at);
    bool is_sum = strncmp(at, "t*:", 3) == 0;
    enum heaptap_status status = take_counts(reading, colon + 1, counts);
    if (status != HEAPTAP_OK || !is_sum || !reading->in_stack)
        return status;
    struct pprof *pprof = reading->builder.pprof;
    int64_t *values = pprof->values + (pprof->sample_count - 1) * VALUES;
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
    struct profile_builder *builder = &reading->builder;
    while (take_text(&at, " 0x")) {
        uint64_t address;
        if (!lines_hex(&at, &address))
            return lines_error(&reading->lines, reading->error,
                               "an address is not a hexadecimal number of at most 64 bits");
        if (!profile_builder_frame(builder,
                                   profile_builder_address(builder, address - (address > 0))))
            return error_no_memory(reading->error);
    }
    if (at[strspn(at, " \r")])
        return lines_error(&reading->lines, reading->error,
                           "expected an address, 0x..., not '%.60s'", at);
    reading->in_stack = true;
    return profile_builder_sample(builder, none) ? HEAPTAP_OK : error_no_memory(reading->error);
}

/* ---- The end ---------------------------------------------------------------------------- */

static bool is_jemalloc(const struct pprof *pprof, uint32_t location)
{
    uint32_t mapping = pprof->locations[location].mapping;
    if (mapping == PPROF_NONE)
        return false;
    const char *file = pprof->mappings[mapping].file, *slash = strrchr(file, '/');
    return strncmp(slash ? slash + 1 : file, "libjemalloc", strlen("libjemalloc")) == 0;
}

/* Leaves out the innermost frames within jemalloc, and stacks without any value. */
static void compact(struct pprof *pprof)
{
    size_t frames = 0, samples = 0, first = 0;
    for (size_t i = 0; i < pprof->sample_count; i++) {
        size_t end = pprof->first_frame[i + 1], at = first;
        const int64_t *values = pprof->values + i * VALUES;
        first = end;
        if (!values[ALLOC_OBJECTS] && !values[INUSE_OBJECTS])
            continue;
        size_t kept = at;
        while (kept < end && is_jemalloc(pprof, pprof->frames[kept]))
            kept++;
        at = kept < end ? kept : at;
        if (at < end)
            memmove(pprof->frames + frames, pprof->frames + at, (end - at) * sizeof *pprof->frames);
        frames += end - at;
        memmove(pprof->values + samples * VALUES, values, VALUES * sizeof *values);
        pprof->first_frame[++samples] = frames;
    }
    pprof->sample_count = samples;
}

/* Keeps the last two of four values. */
static void drop_allocated(struct pprof *pprof)
{
    memmove(pprof->types, pprof->types + INUSE_OBJECTS, 2 * sizeof *pprof->types);
    pprof->type_count = 2;
    pprof->default_type = 1;
    for (size_t i = 0; i < pprof->sample_count; i++)
        memmove(pprof->values + 2 * i, pprof->values + VALUES * i + INUSE_OBJECTS,
                2 * sizeof *pprof->values);
}

static enum heaptap_status finish(struct reading *reading, struct pprof **result)
{
    struct pprof *pprof = profile_builder_finish(&reading->builder, reading->lines.next_offset);
    if (!pprof)
        return error_no_memory(reading->error);
    compact(pprof);
    if (!reading->has_allocated)
        drop_allocated(pprof);
    pprof->period_type = (struct model_value_type){"space", "bytes"};
    pprof->period = (int64_t)(reading->mean < INT64_MAX ? reading->mean : INT64_MAX);
    *result = pprof;
    return HEAPTAP_OK;
}

/* ---- The whole --------------------------------------------------------------------------- */

static enum heaptap_status take_header(struct reading *reading)
{
    char *at;
    size_t size;
    enum heaptap_status status = lines_next(&reading->lines, &at, &size, reading->error);
    if (status == HEAPTAP_END)
        return error_at(reading->error, 0, "this is empty");
    if (status == HEAPTAP_OK &&
        (!take_text(&at, magic) || !lines_decimal(&at, &reading->mean) || reading->mean == 0))
        return lines_error(&reading->lines, reading->error,
                           "expected heap_v2/ and the mean number of bytes between samples");
    return status;
}

static enum heaptap_status take_line(struct reading *reading, char *at, bool *in_modules)
{
    if (*in_modules)
        return maps_line_add(&reading->builder, at) ? HEAPTAP_OK : error_no_memory(reading->error);
    at += strspn(at, " ");
    *in_modules = strcmp(at, "MAPPED_LIBRARIES:") == 0;
    if (*in_modules || *at == 0)
        return HEAPTAP_OK;
    if (*at == '@')
        return take_stack(reading, at + 1);
    if (*at == 't')
        return take_thread_line(reading, at);
    return lines_error(&reading->lines, reading->error,
                       "expected a stack (@ 0x...) or its counts (t*: ...), not '%.60s'", at);
}

static enum heaptap_status read_all(struct reading *reading)
{
    char *at;
    size_t size;
    bool in_modules = false;
    enum heaptap_status status = take_header(reading);
    while (status == HEAPTAP_OK) {
        status = lines_next(&reading->lines, &at, &size, reading->error);
        if (status == HEAPTAP_OK)
            status = take_line(reading, at, &in_modules);
    }
    return status;
}

static bool begin(struct reading *reading)
{
    bool done = profile_builder_init(&reading->builder, "jemalloc");
    for (int i = 0; done && i < VALUES; i++)
        done = profile_builder_type(&reading->builder, value_types[i].name, value_types[i].unit);
    return done;
}

enum heaptap_status jemalloc_read(struct pprof **result, struct input *input,
                                  struct heaptap_error *error)
{
    struct reading reading = {.error = error};
    *result = NULL;
    lines_init(&reading.lines, input);
    reading.lines.are_kept = true;
    enum heaptap_status status = begin(&reading) ? read_all(&reading) : error_no_memory(error);
    if (status == HEAPTAP_END)
        status = finish(&reading, result);
    lines_release(&reading.lines);
    profile_builder_release(&reading.builder);
    return status;
}

bool jemalloc_looks_like_one(const uint8_t *bytes, size_t size)
{
    size_t length = strlen(magic);
    return size >= length && memcmp(bytes, magic, length) == 0;
}
