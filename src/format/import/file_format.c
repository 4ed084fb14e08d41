#include "format/import/file_format.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/import/foreign.h"
#include "pprof/read/profile.h"
#include "spec/trace_format.h"

enum { SHORTEST_BYTES = 4 };

static bool looks_like_trace(const uint8_t *bytes, size_t size)
{
    static const uint8_t magic[] = {FORMAT_MAGIC & 0xff, FORMAT_MAGIC >> 8 & 0xff,
                                    FORMAT_MAGIC >> 16 & 0xff, FORMAT_MAGIC >> 24};
    return size < SHORTEST_BYTES || memcmp(bytes, magic, sizeof magic) == 0;
}

static const struct file_format trace_format = {"memtrace", .looks_like_one = looks_like_trace};
static const struct file_format pprof_format = {"pprof", .looks_like_one = pprof_looks_like_one,
                                                .read = pprof_read};

/* The first that fits counts. */
static const struct file_format *const formats[] = {
    &trace_format,           &heaptrack_format, &jemalloc_format,
    &legacy_format,          &pprof_format,     &dhat_format,
    &massif_format,          &v8_format,        &speedscope_format,
    &memtracer_table_format, &folded_format,
};

bool file_format_is_of_events(const struct file_format *format)
{
    return format && !format->read;
}

enum heaptap_status file_format_find(const struct file_format **format, struct input *input,
                                     struct heaptap_error *error)
{
    uint8_t bytes[INPUT_PEEK_BYTES];
    size_t got;
    *format = NULL;
    enum heaptap_status status = input_peek(input, bytes, &got, error);
    for (size_t i = 0; status == HEAPTAP_OK && i < sizeof formats / sizeof *formats; i++)
        if (!*format && formats[i]->looks_like_one(bytes, got))
            *format = formats[i];
    bool is_known = *format && !(*format)->is_guess;
    const char *name = status == HEAPTAP_OK && !is_known ? foreign_name(bytes, got) : NULL;
    return name ? error_at(error, 0, "this is %s", name) : status;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] < ' ' && !memchr("\t\n\r\f", bytes[i], 4)) || bytes[i] == 0x7f)
            return false;
    return size > 0;
}

static enum heaptap_status fail_text(struct heaptap_error *error)
{
    char names[200] = "";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", formats[i]->name);
    }
    return error_at(error, 0, "this is text, of none of the formats that heaptap reads (%s)",
                    names);
}

/* The format that text was meant for, though it begins as none; NULL where nothing tells. */
static const struct file_format *meant(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->is_meant && formats[i]->is_meant(bytes, size))
            return formats[i];
    return NULL;
}

/* What is of no known format is tried as pprof's, of which any bytes may be the beginning. */
static enum heaptap_status read_unknown(struct model **model, struct input *input,
                                        struct heaptap_error *error)
{
    uint8_t bytes[INPUT_PEEK_BYTES];
    size_t got;
    struct heaptap_error wrong;
    enum heaptap_status status = input_peek(input, bytes, &got, error);
    if (status != HEAPTAP_OK)
        return status;
    if (is_text(bytes, got)) {
        const struct file_format *format = meant(bytes, got);
        return format ? format->read(model, input, error) : fail_text(error);
    }
    status = pprof_read(model, input, &wrong);
    if (status == HEAPTAP_BAD_INPUT)
        return error_at(error, 0,
                        "this is not a memtrace trace, nor a profile that heaptap knows (as one of "
                        "pprof's: byte %llu: %s)",
                        (unsigned long long)wrong.offset, wrong.message);
    if (status != HEAPTAP_OK && error)
        *error = wrong;
    return status;
}

enum heaptap_status file_format_read(struct model **model, struct input *input,
                                     struct heaptap_error *error)
{
    const struct file_format *format;
    *model = NULL;
    enum heaptap_status status = file_format_find(&format, input, error);
    if (status != HEAPTAP_OK)
        return status;
    return format && format->read ? format->read(model, input, error)
                                  : read_unknown(model, input, error);
}
