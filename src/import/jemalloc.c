/* The modules come last, so stacks are kept as they are first, and cut where they enter jemalloc
 * when all is known. */
#include "import/jemalloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "import/lines.h"

static const char magic[] = "heap_v2/";

/* Values of a profile in the making: always these four, of which the first two may be dropped. */
enum { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, VALUES };

static const struct pprof_type value_types[VALUES] = {
    {"alloc_objects", "count"},
    {"alloc_space", "bytes"},
    {"inuse_objects", "count"},
    {"inuse_space", "bytes"},
};

struct reading {
    struct pprof *pprof;
    struct lines lines;
    struct heaptap_error *error;
    uint64_t mean;         /* bytes between samples */
    struct map by_address; /* -> index of the location */
    size_t capacity;       /* samples that first_frame has room for, less one */
    size_t value_capacity; /* of values */
    size_t frame_count;    /* so far */
    bool in_stack;         /* the sample last added has no "t*" line yet */
    bool has_allocated;    /* some of the first two values isn't 0 */
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
                       "expected was OBJECTS: BYTES [OBJECTS: BYTES], not '%.60s'", at);
}

static enum heaptap_status take_thread_line(struct reading *reading, char *at)
{
    uint64_t counts[VALUES];
    char *colon = strchr(at, ':');
    if (!colon)
        return lines_error(&reading->lines, reading->error,
                           "expected were the counts of a thread, t0: ..., not '%.60s'", at);
    bool is_sum = strncmp(at, "t*:", 3) == 0;
    enum heaptap_status status = take_counts(reading, colon + 1, counts);
    if (status != HEAPTAP_OK || !is_sum || !reading->in_stack)
        return status;
    struct pprof *pprof = reading->pprof;
    int64_t *values = pprof->values + (pprof->sample_count - 1) * VALUES;
    unsample(reading->mean, counts[ALLOC_OBJECTS], counts[ALLOC_SPACE], values + ALLOC_OBJECTS);
    unsample(reading->mean, counts[INUSE_OBJECTS], counts[INUSE_SPACE], values + INUSE_OBJECTS);
    reading->has_allocated |= counts[ALLOC_OBJECTS] > 0;
    reading->in_stack = false;
    return HEAPTAP_OK;
}

/* ---- A line of addresses -------------------------------------------------------------- */

static bool add_location(struct reading *reading, uint64_t address, uint32_t *index)
{
    struct pprof *pprof = reading->pprof;
    bool fresh;
    uint32_t *found =
        map_put(&reading->by_address, address, (uint32_t)pprof->location_count, &fresh);
    if (!found)
        return false;
    *index = *found;
    if (!fresh)
        return true;
    if (!ARRAY_RESERVE(&pprof->locations, &pprof->location_capacity, pprof->location_count + 1))
        return false;
    pprof->locations[pprof->location_count] = (struct pprof_location){
        .id = pprof->location_count + 1, .address = address, .mapping = PPROF_NONE};
    pprof->location_count++;
    return true;
}

static enum heaptap_status add_sample(struct reading *reading)
{
    struct pprof *pprof = reading->pprof;
    size_t count = pprof->sample_count + 1;
    if (!ARRAY_RESERVE(&pprof->first_frame, &reading->capacity, count + 1) ||
        !ARRAY_RESERVE(&pprof->values, &reading->value_capacity, count * VALUES))
        return error_no_memory(reading->error);
    memset(pprof->values + (count - 1) * VALUES, 0, VALUES * sizeof *pprof->values);
    pprof->first_frame[0] = 0;
    pprof->first_frame[count] = reading->frame_count;
    pprof->sample_count = count;
    reading->in_stack = true;
    return HEAPTAP_OK;
}

static enum heaptap_status take_stack(struct reading *reading, char *at)
{
    struct pprof *pprof = reading->pprof;
    while (take_text(&at, " 0x")) {
        uint64_t address;
        uint32_t index;
        if (!lines_hex(&at, &address))
            return lines_error(&reading->lines, reading->error,
                               "an address is no hexadecimal number of at most 64 bits");
        if (!add_location(reading, address - (address > 0), &index) ||
            !ARRAY_RESERVE(&pprof->frames, &pprof->frame_capacity, reading->frame_count + 1))
            return error_no_memory(reading->error);
        pprof->frames[reading->frame_count++] = index;
    }
    if (at[strspn(at, " \r")])
        return lines_error(&reading->lines, reading->error,
                           "expected was an address, 0x..., not '%.60s'", at);
    return add_sample(reading);
}

/* ---- Modules --------------------------------------------------------------------------- */

/* "559faa08a000-559faa08b000 r-xp 00001000 fe:00 10961131   /bin/j": the executable ones, with the
 * file's name.  Other lines of this section are left alone, as what is in there is the kernel's. */
static enum heaptap_status take_module(struct reading *reading, char *at)
{
    struct pprof *pprof = reading->pprof;
    struct pprof_mapping mapping = {.id = pprof->mapping_count + 1, .build_id = ""};
    uint64_t ignored;
    if (!lines_hex(&at, &mapping.start) || !take_text(&at, "-") || !lines_hex(&at, &mapping.limit))
        return HEAPTAP_OK;
    if (strnlen(at, 6) < 6 || at[3] != 'x')
        return HEAPTAP_OK;
    at += 5;
    if (!lines_hex(&at, &mapping.offset) || !lines_hex(&at, &ignored) || !take_text(&at, ":") ||
        !lines_hex(&at, &ignored) || !lines_decimal(&at, &ignored))
        return HEAPTAP_OK;
    at += strspn(at, " ");
    mapping.file = names_intern(&pprof->names, at, strlen(at));
    if (!mapping.file ||
        !ARRAY_RESERVE(&pprof->mappings, &pprof->mapping_capacity, pprof->mapping_count + 1))
        return error_no_memory(reading->error);
    if (*mapping.file)
        pprof->mappings[pprof->mapping_count++] = mapping;
    return HEAPTAP_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct pprof_mapping *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static uint32_t mapping_of(const struct pprof *pprof, uint64_t address)
{
    size_t low = 0, high = pprof->mapping_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pprof->mappings[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < pprof->mappings[low - 1].limit ? (uint32_t)(low - 1) : PPROF_NONE;
}

static void place_locations(struct pprof *pprof)
{
    if (pprof->mapping_count > 0)
        qsort(pprof->mappings, pprof->mapping_count, sizeof *pprof->mappings, by_start);
    for (size_t i = 0; i < pprof->mapping_count; i++)
        pprof->mappings[i].id = i + 1;
    for (size_t i = 0; i < pprof->location_count; i++)
        pprof->locations[i].mapping = mapping_of(pprof, pprof->locations[i].address);
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
    for (size_t i = 0; i < pprof->sample_count; i++)
        memmove(pprof->values + 2 * i, pprof->values + VALUES * i + INUSE_OBJECTS,
                2 * sizeof *pprof->values);
}

static enum heaptap_status finish(struct reading *reading)
{
    struct pprof *pprof = reading->pprof;
    size_t dropped = reading->has_allocated ? 0 : INUSE_OBJECTS;
    place_locations(pprof);
    if (pprof->first_frame)
        compact(pprof);
    if (!reading->has_allocated)
        drop_allocated(pprof);
    pprof->first_label = calloc(pprof->sample_count + 1, sizeof *pprof->first_label);
    if (!pprof->first_frame)
        pprof->first_frame = calloc(1, sizeof *pprof->first_frame);
    if (!pprof->first_label || !pprof->first_frame ||
        !ARRAY_RESERVE(&pprof->types, &pprof->type_capacity, VALUES))
        return error_no_memory(reading->error);
    pprof->type_count = VALUES - dropped;
    memcpy(pprof->types, value_types + dropped, pprof->type_count * sizeof *pprof->types);
    pprof->default_type = pprof->type_count - 1;
    pprof->format = "jemalloc";
    pprof->period_type = (struct pprof_type){"space", "bytes"};
    pprof->period = (int64_t)(reading->mean < INT64_MAX ? reading->mean : INT64_MAX);
    pprof->bytes = reading->lines.next_offset;
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
                           "expected was heap_v2/ and the mean number of bytes between samples");
    return status;
}

static enum heaptap_status take_line(struct reading *reading, char *at, bool *in_modules)
{
    if (*in_modules)
        return take_module(reading, at);
    at += strspn(at, " ");
    *in_modules = strcmp(at, "MAPPED_LIBRARIES:") == 0;
    if (*in_modules || *at == 0)
        return HEAPTAP_OK;
    if (*at == '@')
        return take_stack(reading, at + 1);
    if (*at == 't')
        return take_thread_line(reading, at);
    return lines_error(&reading->lines, reading->error,
                       "expected was a stack (@ 0x...) or its counts (t*: ...), not '%.60s'", at);
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
    return status == HEAPTAP_END ? finish(reading) : status;
}

enum heaptap_status jemalloc_read(struct pprof **result, struct input *input,
                                  struct heaptap_error *error)
{
    struct reading reading = {.pprof = pprof_new(), .error = error};
    *result = NULL;
    if (!reading.pprof)
        return error_no_memory(error);
    lines_init(&reading.lines, input);
    enum heaptap_status status = read_all(&reading);
    lines_release(&reading.lines);
    map_release(&reading.by_address);
    if (status == HEAPTAP_OK)
        *result = reading.pprof;
    else
        pprof_free(reading.pprof);
    return status;
}

bool jemalloc_looks_like_one(const uint8_t *bytes, size_t size)
{
    size_t length = strlen(magic);
    return size >= length && memcmp(bytes, magic, length) == 0;
}
