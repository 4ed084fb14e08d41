/* Tables of lines and types as `heaptap memtracer` prints them, and other memory tracers of guest languages:
 *
 *     Memory Tracer. Recorded 5681 allocations.
 *
 *     Source Location || Count || Size || Type
 *     queens.lox:20 || 2056 || 64.3kB || LoxArray
 *
 * Each row is a stack: the type, called by the line.  Count and Size are alloc_objects and alloc_space; Live and Live Size,
 * where the table has them, inuse_objects and inuse_space.  Columns are found by their titles.  Rows of callers ("from
 * ...") are parts of the row above and left out, as is what stands around the tables: the program's own output, sums. */
#include "format/import/file_format.h"

#include <math.h>
#include <string.h>

#include "base/amount.h"
#include "base/error.h"
#include "base/plain.h"
#include "format/import/line_profile.h"
#include "profile/library.h"

enum { CELLS_MAX = 32 };

static const char recorded[] = "Memory Tracer. Recorded ";

/* What is read of a row.  The last value is the profile's default. */
enum part { LIVE, LIVE_BYTES, COUNT, BYTES, VALUES, LOCATION = VALUES, TYPE, PARTS };

static const struct {
    const char *title, *name, *unit; /* the latter of values */
} parts[PARTS] = {
    [LIVE] = {"Live", "inuse_objects", "count"},
    [LIVE_BYTES] = {"Live Size", "inuse_space", "bytes"},
    [COUNT] = {"Count", "alloc_objects", "count"},
    [BYTES] = {"Size", "alloc_space", "bytes"},
    [LOCATION] = {"Source Location", NULL, NULL},
    [TYPE] = {"Type", NULL, NULL},
};

struct table {
    struct line_profile in;
    int cell[PARTS];      /* which has the part, by the last head; -1 for none */
    int cells;            /* of a row; 0 before the first head */
    bool is_open;         /* the line before was of the table */
    bool has_live;        /* of the first head, by which the profile's values are fixed */
    struct map locations; /* index of a name -> location */
};

/* ---- Lines --------------------------------------------------------------------------- */

/* Parts the line, in place, at " || ", without the blanks of padding; returns how many cells there are. */
static int split(char *line, char **cells)
{
    int count = 0;
    for (char *at = line; at && count < CELLS_MAX; count++) {
        char *bar = strstr(at, " || "), *end = bar ? bar : at + strlen(at);
        while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
            end--;
        cells[count] = at + strspn(at, " ");
        at = bar ? bar + 4 : NULL;
        *end = 0;
    }
    return count;
}

static bool is_head(char **cells, int count)
{
    return count > 2 && strcmp(cells[0], parts[LOCATION].title) == 0;
}

static bool take_head(struct table *table, char **cells, int count)
{
    for (int part = 0; part < PARTS; part++) {
        table->cell[part] = -1;
        for (int i = 0; i < count; i++)
            if (strcmp(cells[i], parts[part].title) == 0)
                table->cell[part] = i;
    }
    bool is_first = table->cells == 0;
    table->cells = count;
    table->is_open = true;
    if (!is_first)
        return true;
    table->has_live = table->cell[LIVE] >= 0 && table->cell[LIVE_BYTES] >= 0;
    bool done = true;
    for (int part = table->has_live ? LIVE : COUNT; part < VALUES && done; part++)
        done = model_add_value_type(table->in.builder.model, parts[part].name, parts[part].unit);
    return done;
}

/* ---- Rows ---------------------------------------------------------------------------- */

/* The line at the end of a location, which is cut off; 0 for none. */
static uint32_t take_line_number(char *location)
{
    char *colon = strrchr(location, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits == 0 || digits > 9 || colon[1 + digits])
        return 0;
    uint32_t line = 0;
    for (const char *at = colon + 1; *at; at++)
        line = line * 10 + (uint32_t)(*at - '0');
    *colon = 0;
    return line;
}

/* The location of a name: of a type, whose file is `file`, or of a line, for which NULL stands. */
static bool add_frame(struct table *table, char *name, const char *file)
{
    bool fresh;
    plain_parse(name);
    const char *known = names_copy(&table->in.builder.model->names, name);
    uint32_t *location = known
                             ? map_put(&table->locations,
                                       (uint64_t)(uintptr_t)known << 1 | (file != NULL), 0, &fresh)
                             : NULL;
    if (!location)
        return false;
    if (fresh) {
        uint32_t line = file ? 0 : take_line_number(name);
        *location = model_add_frame(
            table->in.builder.model, 0, MODEL_NONE,
            &(struct heaptap_location){.function = known, .file = file ? file : name, .line = line},
            1);
    }
    return profile_builder_frame(&table->in.builder, *location);
}

static bool is_value(const char *text, int part, double *value)
{
    return part == BYTES || part == LIVE_BYTES ? amount_bytes(text, value)
                                               : amount_plain(text, value);
}

/* False: the row makes no sense, or, with `*is_short`, there is no memory. */
static bool take_row(struct table *table, char **cells, bool *is_short)
{
    int64_t values[VALUES];
    int first = table->has_live ? LIVE : COUNT;
    for (int part = first; part < VALUES; part++) {
        double value = 0;
        int cell = table->cell[part];
        if (cell >= 0 && !is_value(cells[cell], part, &value))
            return false;
        values[part - first] = profile_file_round(table->in.builder.model->file, value);
    }
    table->in.met += values[COUNT - first] > 0 ? (uint64_t)values[COUNT - first] : 0;
    *is_short = !(add_frame(table, cells[table->cell[TYPE]], GUEST_TYPE_FILE) &&
                  add_frame(table, cells[table->cell[LOCATION]], NULL) &&
                  profile_builder_sample(&table->in.builder, values));
    return !*is_short;
}

/* Sums that tell of rows left out, as they do if there are any, tell that the table is whole. */
static void take_announced(struct table *table, char *line)
{
    if (lines_take(&line, recorded))
        lines_decimal(&line, &table->in.announced);
    else if (lines_take(&line, "accounted: "))
        table->in.announced = 0;
}

static enum heaptap_status take_text(struct table *table, char *line)
{
    struct lines *lines = &table->in.lines;
    struct heaptap_error *error = table->in.error;
    char *cells[CELLS_MAX];
    bool is_short = false;
    take_announced(table, line);
    int count = split(line, cells);
    if (is_head(cells, count))
        is_short = !take_head(table, cells, count);
    else if (!table->is_open || count != table->cells)
        table->is_open = false;
    else if (strncmp(cells[0], "from ", 5) != 0 && !take_row(table, cells, &is_short) && !is_short)
        return lines_error(lines, error, "the count or the size of '%.60s' is not a number",
                           cells[0]);
    return is_short ? error_no_memory(error) : HEAPTAP_OK;
}

static enum heaptap_status take_line(void *context, char *line, size_t size)
{
    struct table *table = context;
    enum heaptap_status status = take_text(table, line);
    (void)size;
    for (int part = COUNT; table->cells > 0 && part < PARTS && status == HEAPTAP_OK; part++)
        if (table->cell[part] < 0)
            status = lines_error(&table->in.lines, table->in.error, "the table has no column '%s'",
                                 parts[part].title);
    return status;
}

static enum heaptap_status end(void *context)
{
    struct table *table = context;
    return table->cells > 0
               ? HEAPTAP_OK
               : error_at(table->in.error, 0,
                          "this has no table of lines and types, which begins with 'Source "
                          "Location || Count || Size'");
}

/* ---- The file ------------------------------------------------------------------------ */

static bool begins_with(const char *at, size_t size, const char *text)
{
    return size >= strlen(text) && memcmp(at, text, strlen(text)) == 0;
}

/* Does the head of such a table stand in the bytes? */
static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    const char *at = (const char *)bytes, *end = at + size;
    while (at < end) {
        if (begins_with(at, (size_t)(end - at), recorded) ||
            begins_with(at, (size_t)(end - at), "Source Location || Count || Size"))
            return true;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return false;
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    static const struct line_profile_format format = {
        .name = "memtracer table", .take_line = take_line, .end = end};
    struct table table = {0};
    enum heaptap_status status = line_profile_read(&table.in, &format, input, result, error);
    map_release(&table.locations);
    return status;
}

const struct file_format memtracer_table_format = {"memtracer", .looks_like_one = looks_like_one,
                                                   .read = read_profile, .lacks_names = true};
