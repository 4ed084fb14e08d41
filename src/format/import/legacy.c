/* The text profiles from before pprof's present format: gperftools' heap profiles, and what Go writes
 * with debug=1.
 *
 *     heap profile: 22: 43680 [101: 696608] @ heap/1048576
 *     6: 16128 [6: 16128] @ 0x4b3f0f 0x4b402a        in use: blocks: bytes [ever: blocks: bytes]
 *     #  0x4b3f0e  main.inner+0x2e  /src/h.go:5      Go's names of what stands there
 *
 *     MAPPED_LIBRARIES:
 *     ...                                            as in /proc/PID/maps
 *
 * After the @ stand heapprofile (all blocks), heap_v2/N or heapz_v2/N (sampled, N bytes apart on
 * average), heap/N (N / 2), growth or fragmentation.  A sampled block of n bytes stands for
 * 1 / (1 - exp(-n / N)), at the mean size of its row, as pprof has it.
 *
 *     goroutine profile: total 4                     and threadcreate, and Go programs' own
 *     4 @ 0x42d4f6 0x45ca05
 *
 *     --- contention:                                and mutex, contentionz
 *     cycles/second=2596161993
 *     sampling period=1
 *     186336098 3276 @ 0x4b44c7 0x4b4479             cycles, how often
 *
 * Addresses are those of the calls, one before the return addresses.
 *
 * A kind of profile is a row of `kinds`: how its first line begins, and what takes its other lines.
 * Names of Go's stand below each row, so the lines of one address wait until another comes. */
#include "format/import/file_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/saturate.h"
#include "format/import/line_profile.h"

/* A function that stands at an address, as Go's comments have it. */
struct named {
    const char *function, *file;
    uint32_t line;
};

struct reading {
    struct line_profile in;
    const struct kind *kind;
    int64_t period;       /* bytes between samples, at most 1 where nothing is scaled */
    double cycles_per_ns; /* of delays; 0 where they are in nanoseconds */
    bool has_allocated;   /* what was ever allocated differs from what is in use */
    struct named *named;  /* at `named_address`, the innermost first */
    size_t named_count, named_capacity;
    uint64_t named_address;
};

struct kind {
    const char *start;
    enum heaptap_status (*take_head)(struct reading *reading, char *line);
    enum heaptap_status (*take_row)(struct reading *reading, char *line);
};

static enum heaptap_status expected(struct reading *reading, const char *what, const char *at)
{
    return lines_error(&reading->in.lines, reading->in.error, "expected %s, not '%.60s'", what, at);
}

static char *skip_spaces(char *at)
{
    return at + strspn(at, " \t\r");
}

static bool take_text(char **at, const char *text)
{
    *at = skip_spaces(*at);
    return lines_take(at, text);
}

/* A number that fits; with a minus in differences. */
static bool take_number(char **at, int64_t *value)
{
    uint64_t size;
    bool is_negative = take_text(at, "-");
    if (!lines_decimal(at, &size) || size > INT64_MAX)
        return false;
    *value = is_negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* ---- Stacks --------------------------------------------------------------------------- */

static enum heaptap_status take_stack(struct reading *reading, char *at)
{
    while (take_text(&at, "0x")) {
        uint64_t address;
        if (!lines_hex(&at, &address))
            return lines_error(&reading->in.lines, reading->in.error,
                               "an address is not a hexadecimal number of at most 64 bits");
        if (!profile_builder_frame(
                &reading->in.builder,
                profile_builder_address(&reading->in.builder, address - (address > 0))))
            return error_no_memory(reading->in.error);
    }
    at = skip_spaces(at);
    return *at ? expected(reading, "an address, 0x...", at) : HEAPTAP_OK;
}

static enum heaptap_status end_row(struct reading *reading, const int64_t *values)
{
    return profile_builder_sample(&reading->in.builder, values)
               ? HEAPTAP_OK
               : error_no_memory(reading->in.error);
}

static bool add_types(struct reading *reading, const char *const (*types)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!model_add_value_type(reading->in.builder.model, types[i][0], types[i][1]))
            return false;
    return true;
}

static enum heaptap_status set_types(struct reading *reading, const char *const (*types)[2],
                                     size_t count, const char *period_name, const char *period_unit)
{
    reading->in.builder.model->file->period_type =
        (struct model_value_type){period_name, period_unit};
    return add_types(reading, types, count) ? HEAPTAP_OK : error_no_memory(reading->in.error);
}

/* ---- Heaps ---------------------------------------------------------------------------- */

struct counts {
    int64_t used_objects, used_bytes, objects, bytes;
};

static bool take_counts(char **at, struct counts *counts)
{
    return take_number(at, &counts->used_objects) && take_text(at, ":") &&
           take_number(at, &counts->used_bytes) && take_text(at, "[") &&
           take_number(at, &counts->objects) && take_text(at, ":") &&
           take_number(at, &counts->bytes) && take_text(at, "]") && take_text(at, "@");
}

/* The word after the @, of which the number is after a slash. */
static bool take_sampling(struct reading *reading, char *at)
{
    static const char *const sampled[] = {"heap_v2", "heapz_v2", "heap"};
    char *name = skip_spaces(at), *slash = strchr(name, '/');
    size_t size = slash ? (size_t)(slash - name) : strcspn(name, " \t\r");
    char *digits = slash ? slash + 1 : NULL;
    reading->period = 0;
    if (digits && !take_number(&digits, &reading->period))
        return false;
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++)
        if (size == strlen(sampled[i]) && strncmp(name, sampled[i], size) == 0) {
            reading->period /= i == 2 ? 2 : 1; /* heap has twice the mean */
            return true;
        }
    reading->period = 1;
    return size >= 6 &&
           (strncmp(name, "heapprofile", size) == 0 || strncmp(name, "growthz", size) == 0 ||
            strncmp(name, "fragmentationz", size) == 0);
}

/* Functions of allocators, in which a stack may begin, and Go's runtime. */
static const char allocators[] =
    "(tc_|do_|__libc_|malloc_zone_)?(malloc|calloc|realloc|memalign|posix_memalign|valloc|pvalloc)|"
    "(tc_|c)?free|(__)?posix_memalign|tc_(new|delete)(array)?(_nothrow)?|tcmalloc::.*|"
    "operator new(\\[\\])?|__builtin_(vec_)?(new|delete)|(_M_)?allocate|"
    "__gnu_cxx::new_allocator::allocate|runtime\\..*";
static const char not_allocators[] = "runtime\\.(panic|reflectcall|call[0-9]*)";

static uint64_t blocks_of(const struct counts *counts)
{
    int64_t blocks =
        counts->objects > counts->used_objects ? counts->objects : counts->used_objects;
    return blocks > 0 ? (uint64_t)blocks : 0;
}

static enum heaptap_status take_heap_head(struct reading *reading, char *line)
{
    static const char *const all[][2] = {{"alloc_objects", "count"},
                                         {"alloc_space", "bytes"},
                                         {"inuse_objects", "count"},
                                         {"inuse_space", "bytes"}};
    static const char *const used[][2] = {{"objects", "count"}, {"space", "bytes"}};
    struct counts counts;
    char *at = line + strlen(reading->kind->start);
    if (!take_counts(&at, &counts))
        return expected(reading, "OBJECTS: BYTES [OBJECTS: BYTES] @ and the kind of heap profile",
                        at);
    if (!take_sampling(reading, at))
        return expected(reading,
                        "heapprofile, heap/N, heap_v2/N, heapz_v2/N, growth or fragmentation", at);
    reading->has_allocated = (counts.objects != counts.used_objects && counts.objects != 0) ||
                             (counts.bytes != counts.used_bytes && counts.bytes != 0);
    reading->in.announced = blocks_of(&counts);
    reading->in.builder.model->file->period = reading->period;
    reading->in.builder.model->file->drop_frames = allocators;
    reading->in.builder.model->file->keep_frames = not_allocators;
    return reading->has_allocated ? set_types(reading, all, 4, "space", "bytes")
                                  : set_types(reading, used, 2, "space", "bytes");
}

/* What sampled blocks stand for; cut to whole numbers as pprof does. */
static void unsample(int64_t period, int64_t objects, int64_t bytes, int64_t *to)
{
    double ratio = objects ? (double)bytes / (double)objects / (double)period : 0;
    double scale = period > 1 && ratio > 0 ? 1 / (1 - exp(-ratio)) : 1;
    bool is_nothing = period > 1 && (objects == 0 || bytes == 0);
    to[0] = is_nothing ? 0 : saturate_round(trunc((double)objects * scale));
    to[1] = is_nothing ? 0 : saturate_round(trunc((double)bytes * scale));
}

static enum heaptap_status take_heap_row(struct reading *reading, char *line)
{
    struct counts counts;
    int64_t values[4] = {0}, *to = values;
    char *at = line;
    if (!take_counts(&at, &counts))
        return expected(reading, "OBJECTS: BYTES [OBJECTS: BYTES] @ and a stack", at);
    reading->in.met += blocks_of(&counts);
    enum heaptap_status status = take_stack(reading, at);
    if (status != HEAPTAP_OK)
        return status;
    if (reading->has_allocated) {
        unsample(reading->period, counts.objects, counts.bytes, to);
        to += 2;
    }
    unsample(reading->period, counts.used_objects, counts.used_bytes, to);
    int64_t size = counts.used_objects ? counts.used_bytes / counts.used_objects
                   : counts.objects && reading->has_allocated ? counts.bytes / counts.objects
                                                              : 0;
    const struct model_label label = {.key = "bytes", .number = size, .unit = ""};
    if (!profile_builder_label(&reading->in.builder, &label))
        return error_no_memory(reading->in.error);
    return end_row(reading, values);
}

/* ---- Counts, and waiting --------------------------------------------------------------- */

/* "goroutine profile: total 4": the word is what is counted. */
static enum heaptap_status take_count_head(struct reading *reading, char *line)
{
    struct names *names = &reading->in.builder.model->names;
    const char *what = names_intern(names, line, strcspn(line, " "));
    if (!what)
        return error_no_memory(reading->in.error);
    const char *const types[][2] = {{what, "count"}};
    reading->in.builder.model->file->period = 1;
    return set_types(reading, types, 1, what, "count");
}

static enum heaptap_status take_count_row(struct reading *reading, char *line)
{
    int64_t value;
    char *at = line;
    if (!take_number(&at, &value) || !take_text(&at, "@"))
        return expected(reading, "a number, @ and a stack", at);
    enum heaptap_status status = take_stack(reading, at);
    return status == HEAPTAP_OK ? end_row(reading, &value) : status;
}

static enum heaptap_status take_wait_head(struct reading *reading, char *line)
{
    static const char *const types[][2] = {{"contentions", "count"}, {"delay", "nanoseconds"}};
    reading->in.builder.model->file->period = reading->period = 1;
    return set_types(reading, types, 2, "contentions", "count");
}

/* "cycles/second=2596161993": false where the line is none of these. */
static bool take_attribute(struct reading *reading, char *line)
{
    int64_t value;
    char *equals = strchr(line, '='), *at = equals ? equals + 1 : NULL;
    if (!equals || !take_number(&at, &value))
        return false;
    if (take_text(&line, "cycles/second"))
        reading->cycles_per_ns = (double)value / 1e9;
    else if (take_text(&line, "sampling period"))
        reading->in.builder.model->file->period = reading->period = value;
    else if (take_text(&line, "ms since reset"))
        reading->in.builder.model->file->duration_ns =
            value < INT64_MAX / 1000000 ? value * 1000000 : 0;
    return true;
}

static int64_t limited(double value)
{
    return saturate_round(trunc(value));
}

static enum heaptap_status take_wait_row(struct reading *reading, char *line)
{
    int64_t delay, times;
    char *at = line;
    if (reading->in.builder.model->file->sample_count == 0 && take_attribute(reading, line))
        return HEAPTAP_OK;
    if (!take_number(&at, &delay) || !take_number(&at, &times) || !take_text(&at, "@"))
        return expected(reading, "a delay, a number, @ and a stack", at);
    enum heaptap_status status = take_stack(reading, at);
    double period = reading->period > 0 ? (double)reading->period : 1;
    int64_t values[] = {limited((double)times * period), delay};
    if (reading->period > 0 && reading->cycles_per_ns > 0)
        values[1] = limited((double)delay * period / reading->cycles_per_ns);
    return status == HEAPTAP_OK ? end_row(reading, values) : status;
}

/* ---- Names ----------------------------------------------------------------------------- */

/* Gives the address the functions that were met there, the outermost first. */
static enum heaptap_status flush_names(struct reading *reading)
{
    uint32_t *location = map_find(&reading->in.builder.by_address, reading->named_address);
    size_t count = reading->named_count;
    reading->named_count = 0;
    if (!location || reading->in.builder.model->frames[*location].line_count > 0)
        return HEAPTAP_OK;
    while (count-- > 0) {
        const struct named *named = &reading->named[count];
        if (!profile_builder_line(&reading->in.builder, *location, named->function, named->file,
                                  named->line))
            return error_no_memory(reading->in.error);
    }
    return HEAPTAP_OK;
}

/* "main.inner+0x2e		/src/h.go:5": whatever is not so gives no name. */
static bool parse_named(struct reading *reading, char *at, struct named *named)
{
    struct names *names = &reading->in.builder.model->names;
    at = skip_spaces(at);
    char *tab = strchr(at, '\t'), *plus = NULL, *colon = tab ? strrchr(tab, ':') : NULL;
    uint64_t line = 0;
    if (!tab || !colon)
        return false;
    *tab = 0;
    for (char *next = at; (next = strstr(next, "+0x")); next++)
        plus = next;
    size_t size = plus ? (size_t)(plus - at) : strlen(at);
    char *file = skip_spaces(tab + 1), *digits = colon + 1;
    if (file > colon || !lines_decimal(&digits, &line))
        return false;
    named->function = names_intern(names, at, size);
    named->file = names_intern(names, file, (size_t)(colon - file));
    named->line = line < UINT32_MAX ? (uint32_t)line : 0;
    return named->function && named->file;
}

/* "#	0x4b3f0e	main.inner+0x2e		/src/h.go:5" */
static enum heaptap_status take_comment(struct reading *reading, char *at)
{
    uint64_t address;
    struct named named;
    enum heaptap_status status = HEAPTAP_OK;
    if (*at != '\t' || !take_text(&at, "0x") || !lines_hex(&at, &address) ||
        !parse_named(reading, at, &named))
        return HEAPTAP_OK;
    if (address != reading->named_address)
        status = flush_names(reading);
    reading->named_address = address;
    if (!ARRAY_RESERVE(&reading->named, &reading->named_capacity, reading->named_count + 1))
        return error_no_memory(reading->in.error);
    reading->named[reading->named_count++] = named;
    return status;
}

/* Go's comments leave out runtime.goexit, with which each goroutine begins, and functions of the
 * runtime that the others end in.  Frames between are left as they are. */
static bool name_hidden(struct profile_builder *builder, const uint32_t *frames, size_t count)
{
    const struct model_frame *locations = builder->model->frames;
    size_t named = 0;
    while (named < count && locations[frames[named]].line_count == 0)
        named++;
    if (named == count)
        return true;
    bool done = locations[frames[count - 1]].line_count > 0 ||
                profile_builder_line(builder, frames[count - 1], "runtime.goexit", "", 0);
    for (size_t i = 0; done && i < named; i++)
        if (locations[frames[i]].line_count == 0)
            done = profile_builder_line(builder, frames[i], "runtime.(hidden)", "", 0);
    return done;
}

static bool name_all_hidden(struct profile_builder *builder)
{
    const struct profile_file *file = builder->model->file;
    bool done = true;
    for (size_t i = 0; done && file->frames && i < file->sample_count; i++)
        done = name_hidden(builder, file->frames + file->first_frame[i],
                           file->first_frame[i + 1] - file->first_frame[i]);
    return done;
}

/* ---- The whole ------------------------------------------------------------------------- */

static const struct kind kinds[] = {
    {"heap profile:", take_heap_head, take_heap_row},
    {"--- contention", take_wait_head, take_wait_row},
    {"--- mutex", take_wait_head, take_wait_row},
    {" profile: total ", take_count_head, take_count_row}, /* after a word */
};

static const struct kind *kind_of(const char *line, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *start = kinds[i].start;
        const char *space = *start == ' ' ? memchr(line, ' ', size) : line;
        size_t before = space ? (size_t)(space - line) : size;
        if (before + strlen(start) <= size && (space == line) == (*start != ' ') &&
            memcmp(space, start, strlen(start)) == 0)
            return &kinds[i];
    }
    return NULL;
}

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    static const char java[] = "\nformat = java"; /* its rows name what follows them */
    const char *end = memchr(bytes, '\n', size);
    size_t first = end ? (size_t)(end - (const char *)bytes) : size;
    if (size - first >= strlen(java) && memcmp(bytes + first, java, strlen(java)) == 0)
        return false;
    return kind_of((const char *)bytes, first);
}

static enum heaptap_status take_head(void *context, char *line, size_t size)
{
    struct reading *reading = context;
    reading->kind = kind_of(line, size);
    return reading->kind ? reading->kind->take_head(reading, line)
                         : expected(reading, "the first line of a legacy profile", line);
}

static bool is_modules_head(const char *line)
{
    return strncmp(line, "MAPPED_LIBRARIES:", 17) == 0 ||
           strncmp(line, "--- Memory map: ---", 19) == 0;
}

static enum heaptap_status take_line(void *context, char *line, size_t size)
{
    struct reading *reading = context;
    enum heaptap_status status = HEAPTAP_OK;
    (void)size;
    line += strspn(line, " ");
    if (*line == '#')
        return take_comment(reading, line + 1);
    if (reading->named_count > 0)
        status = flush_names(reading);
    reading->in.in_modules = is_modules_head(line);
    if (status != HEAPTAP_OK || reading->in.in_modules || !*skip_spaces(line))
        return status;
    return reading->kind->take_row(reading, line);
}

static enum heaptap_status end(void *context)
{
    struct reading *reading = context;
    enum heaptap_status status = flush_names(reading);
    if (status == HEAPTAP_OK && reading->in.builder.model->module_count == 0 &&
        !name_all_hidden(&reading->in.builder))
        status = error_no_memory(reading->in.error);
    return status;
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    static const struct line_profile_format format = {"legacy pprof", .take_head = take_head,
                                                      .take_line = take_line, .end = end};
    struct reading reading = {0};
    enum heaptap_status status = line_profile_read(&reading.in, &format, input, result, error);
    free(reading.named);
    return status;
}

const struct file_format legacy_format = {"legacy pprof", .looks_like_one = looks_like_one,
                                          .read = read_profile, .lacks_names = true};
