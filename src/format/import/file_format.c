#include "format/import/file_format.h"

#include <string.h>

#include "base/error.h"
#include "format/import/dhat.h"
#include "format/import/folded.h"
#include "format/import/foreign.h"
#include "format/import/heaptrack.h"
#include "format/import/jemalloc.h"
#include "format/import/legacy.h"
#include "format/import/massif.h"
#include "format/import/memtracer_table.h"
#include "format/import/speedscope.h"
#include "format/import/v8.h"
#include "spec/trace_format.h"

enum { SHORTEST_BYTES = 4 };

static bool looks_like_trace(const uint8_t *bytes, size_t size)
{
    static const uint8_t magic[] = {FORMAT_MAGIC & 0xff, FORMAT_MAGIC >> 8 & 0xff,
                                    FORMAT_MAGIC >> 16 & 0xff, FORMAT_MAGIC >> 24};
    return size < SHORTEST_BYTES || memcmp(bytes, magic, sizeof magic) == 0;
}

/* The first that fits counts. */
static const struct file_format formats[] = {
    {"memtrace", .looks_like_one = looks_like_trace},
    {"heaptrack", .looks_like_one = heaptrack_looks_like_one, .convert = heaptrack_convert},
    {"jemalloc", .looks_like_one = jemalloc_looks_like_one, .read = jemalloc_read,
     .lacks_names = true},
    {"legacy pprof", .looks_like_one = legacy_looks_like_one, .read = legacy_read,
     .lacks_names = true},
    {"pprof", .looks_like_one = pprof_looks_like_one, .read = pprof_read},
    {"DHAT", .looks_like_one = dhat_looks_like_one, .read = dhat_read, .lacks_names = true},
    {"massif", .looks_like_one = massif_looks_like_one, .read = massif_read, .lacks_names = true},
    {"V8 heap", .looks_like_one = v8_looks_like_one, .read = v8_read, .lacks_names = true},
    {"speedscope", .looks_like_one = speedscope_looks_like_one, .read = speedscope_read,
     .lacks_names = true},
    {"memtracer", .looks_like_one = memtracer_table_looks_like_one, .read = memtracer_table_read,
     .lacks_names = true},
    {"folded stacks", .looks_like_one = folded_looks_like_one, .read = folded_read,
     .lacks_names = true, .is_guess = true},
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
        if (!*format && formats[i].looks_like_one(bytes, got))
            *format = &formats[i];
    bool is_known = *format && !(*format)->is_guess;
    const char *name = status == HEAPTAP_OK && !is_known ? foreign_name(bytes, got) : NULL;
    return name ? error_at(error, 0, "this is %s", name) : status;
}

/* What is of no known format is tried as pprof's, of which any bytes may be the beginning. */
static enum heaptap_status read_unknown(struct pprof **pprof, struct input *input,
                                        struct heaptap_error *error)
{
    struct heaptap_error wrong;
    enum heaptap_status status = pprof_read(pprof, input, &wrong);
    if (status == HEAPTAP_BAD_INPUT)
        return error_at(error, 0,
                        "this is not a memtrace trace, nor a profile that heaptap knows (as one of "
                        "pprof's: byte %llu: %s)",
                        (unsigned long long)wrong.offset, wrong.message);
    if (status != HEAPTAP_OK && error)
        *error = wrong;
    return status;
}

enum heaptap_status file_format_read(struct pprof **pprof, struct input *input,
                                     struct heaptap_error *error)
{
    const struct file_format *format;
    *pprof = NULL;
    enum heaptap_status status = file_format_find(&format, input, error);
    if (status != HEAPTAP_OK)
        return status;
    return format && format->read ? format->read(pprof, input, error)
                                  : read_unknown(pprof, input, error);
}
