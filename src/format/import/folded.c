/* Folded stacks, one per line: callers first, separated by semicolons, and a number after the last space.
 *
 *     main;parse;make_node 1200
 *
 * Flame graph scripts, perf's, DTrace's and eBPF's collapsing tools and heaptap's own export write
 * them.  They don't say what they count: the sample type is samples, in counts.  Empty lines and
 * lines that begin with # are left out. */
#include "format/import/file_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "format/import/line_profile.h"

static size_t digits_of(const char *line, size_t size)
{
    size_t at = size;
    while (at > 0 && ((line[at - 1] >= '0' && line[at - 1] <= '9') || line[at - 1] == '.'))
        at--;
    return at;
}

/* Where the number after the last space begins, in a line of `size` bytes; 0 where there is none. */
static size_t number_of(const char *line, size_t size)
{
    size_t at = digits_of(line, size);
    return at > 1 && at < size && line[at - 1] == ' ' ? at : 0;
}

/* The same of one with a minus, as differences have. */
static size_t negative_of(const char *line, size_t size)
{
    size_t at = digits_of(line, size);
    return at > 2 && at < size && line[at - 1] == '-' && line[at - 2] == ' ' ? at - 1 : 0;
}

static size_t without_end(const char *line, size_t size)
{
    while (size > 0 && (line[size - 1] == '\r' || line[size - 1] == ' '))
        size--;
    return size;
}

static bool is_nothing(const char *line, size_t size)
{
    return size == 0 || *line == '#';
}

static bool is_text(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t')
            return false;
    return true;
}

/* JSON is text without line ends, too. */
static bool is_json(const char *line)
{
    return *line == '{' || (*line == '[' && strchr("{[\" -0123456789", line[1]));
}

/* Deep stacks make lines whose number lies beyond what is looked at. */
static bool begins_stack(const char *line, size_t size)
{
    return size > 1 && is_text(line, size) && !is_json(line) && memchr(line, ';', size);
}

/* All whole lines of the bytes have to be stacks. */
static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    const char *at = (const char *)bytes, *end = at + size, *next;
    bool found = false;
    for (; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        if (!next && found)
            break;
        if (!next && size == INPUT_PEEK_BYTES && begins_stack(at, (size_t)(end - at)))
            return true;
        next = next ? next : end;
        size_t length = without_end(at, (size_t)(next - at));
        if (is_nothing(at, length))
            continue;
        found = is_text(at, length) && number_of(at, length) > 0;
        if (!found)
            return false;
    }
    return found;
}

/* Is it a stack but for its number, "main;load -5", or for what follows that? */
static bool resembles_stack(const char *line, size_t size)
{
    const char *between = memchr(line, ';', size), *last = memrchr(line, ' ', size);
    bool has_callee = between && between + 1 < line + size && between[1] != ' ';
    return number_of(line, size) > 0 ? between || last : has_callee && last;
}

/* At least half of the lines resemble stacks, and one has a caller; or all would be stacks if none were negative. */
static bool is_meant(const uint8_t *bytes, size_t size)
{
    const char *at = (const char *)bytes, *end = at + size, *next;
    size_t lines = 0, alike = 0, calls = 0, wrong = 0, negative = 0;
    for (; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        if (!next && lines > 0 && size == INPUT_PEEK_BYTES)
            break;
        next = next ? next : end;
        size_t length = without_end(at, (size_t)(next - at));
        if (is_nothing(at, length))
            continue;
        if (!is_text(at, length) || (lines == 0 && is_json(at)))
            return false;
        bool is_alike = resembles_stack(at, length);
        lines++;
        alike += is_alike;
        calls += is_alike && memchr(at, ';', length);
        wrong += !number_of(at, length) && !negative_of(at, length);
        negative += negative_of(at, length) > 0;
    }
    return (calls > 0 && 2 * alike >= lines) || (negative > 0 && wrong == 0);
}

/* Names are in plain form, as heaptap writes them; those of others have no such sequences. */
static bool add_stack(struct profile_builder *builder, char *line, size_t size, int64_t value)
{
    for (size_t at = 0; at <= size;) {
        char *name = line + at, *end = memchr(name, ';', size - at);
        size_t length = end ? (size_t)(end - name) : size - at;
        name[length] = 0;
        plain_parse(name);
        if (!profile_builder_frame(builder, profile_builder_name(builder, name, strlen(name))))
            return false;
        at += length + 1;
    }
    profile_builder_reverse(builder);
    return profile_builder_sum(builder, &value);
}

/* All digits of a whole number count: a double has 53 bits of them. */
static int64_t value_of(struct profile_file *file, const char *text, char **end)
{
    errno = 0;
    long long whole = strtoll(text, end, 10);
    return **end || errno ? profile_file_round(file, strtod(text, end)) : whole;
}

static enum heaptap_status refuse(const struct line_profile *reading, const char *line)
{
    size_t negative = negative_of(line, strlen(line));
    return negative > 0
               ? lines_error(
                     &reading->lines, reading->error,
                     "a folded stack has a number from 0 up, not '%.30s': of a difference, write "
                     "the stacks before and after to two files, for heaptap compare",
                     line + negative)
               : lines_error(
                     &reading->lines, reading->error,
                     "folded stacks have functions between semicolons, a space and a number "
                     "from 0 up, not '%.60s'",
                     line);
}

static enum heaptap_status take_line(void *context, char *line, size_t size)
{
    struct line_profile *reading = context;
    size_t length = without_end(line, size), number = number_of(line, length);
    char *end;
    if (is_nothing(line, length))
        return HEAPTAP_OK;
    line[length] = 0;
    int64_t value = number > 0 ? value_of(reading->builder.model->file, line + number, &end) : 0;
    if (number == 0 || *end || strlen(line) < length)
        return refuse(reading, line);
    return add_stack(&reading->builder, line, without_end(line, number), value)
               ? HEAPTAP_OK
               : error_no_memory(reading->error);
}

static bool begin(void *context)
{
    struct line_profile *reading = context;
    return model_add_value_type(reading->builder.model, "samples", "count");
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    static const struct line_profile_format format = {
        .name = "folded stacks", .is_loose = true, .begin = begin, .take_line = take_line};
    struct line_profile reading = {0};
    return line_profile_read(&reading, &format, input, result, error);
}

const struct file_format folded_format = {"folded stacks",      .looks_like_one = looks_like_one,
                                          .read = read_profile, .is_meant = is_meant,
                                          .lacks_names = true,  .is_guess = true};
