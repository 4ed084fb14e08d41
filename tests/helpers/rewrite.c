#include "helpers/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

struct rewriter {
    struct heaptap_reader *names;  /* read to its end: knows every location */
    struct heaptap_reader *reader; /* gives the events */
    struct heaptap_writer *writer;
    struct map numbers;              /* code -> frame number in `names` */
    struct map domains;              /* number -> index into `streams` */
    struct heaptap_domain **streams; /* max_domains of them */
    unsigned max_domains;
    uint64_t *codes; /* the stack at hand */
    size_t code_capacity;
};

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    struct rewriter *rewriter = context;
    const uint32_t *number = map_find(&rewriter->numbers, code);
    size_t count = 0;
    if (!number)
        return 0;
    const struct heaptap_location *known =
        heaptap_reader_frame_locations(rewriter->names, *number, &count);
    if (count > max)
        abort();
    if (count > 0)
        memcpy(locations, known, count * sizeof *locations);
    return count;
}

static struct heaptap_domain *stream_of(struct rewriter *rewriter, uint16_t domain)
{
    bool fresh;
    uint32_t *index =
        map_put(&rewriter->domains, domain, (uint32_t)rewriter->domains.count, &fresh);
    if (!index)
        abort();
    if (*index >= rewriter->max_domains)
        return NULL;
    if (fresh && heaptap_domain_new(&rewriter->streams[*index], rewriter->writer, domain, NULL) !=
                     HEAPTAP_OK)
        abort();
    return rewriter->streams[*index];
}

static void write_alloc(struct rewriter *rewriter, struct heaptap_domain *stream, int64_t time_us,
                        const struct heaptap_event *event)
{
    if (!ARRAY_RESERVE(&rewriter->codes, &rewriter->code_capacity, event->stack_length))
        abort();
    for (uint32_t i = 0; i < event->stack_length; i++)
        rewriter->codes[i] = heaptap_reader_frame_code(rewriter->reader, event->stack[i]);
    struct heaptap_allocation allocation = {
        .source = event->source,
        .length = event->length,
        .samples = event->samples,
        .stack = rewriter->codes,
        .stack_length = event->stack_length,
        .direction = HEAPTAP_CALLER_FIRST,
        .shared = event->stack_shared,
    };
    heaptap_domain_alloc_as(stream, time_us, event->id, &allocation);
}

static enum heaptap_status write_events(struct rewriter *rewriter)
{
    int64_t start_us = heaptap_reader_info(rewriter->reader)->start_us;
    struct heaptap_event event;
    enum heaptap_status status;
    while ((status = heaptap_reader_next(rewriter->reader, &event, NULL)) == HEAPTAP_OK) {
        struct heaptap_domain *stream = stream_of(rewriter, event.domain);
        int64_t time_us = (int64_t)((uint64_t)event.time_us + (uint64_t)start_us);
        if (!stream)
            continue;
        if (event.kind == HEAPTAP_ALLOC)
            write_alloc(rewriter, stream, time_us, &event);
        else if (event.kind == HEAPTAP_PROMOTE)
            heaptap_domain_promote(stream, time_us, event.id);
        else
            heaptap_domain_collect(stream, time_us, event.id);
    }
    return status;
}

static bool learn_names(struct rewriter *rewriter, const void *data, size_t size)
{
    struct heaptap_event event;
    bool fresh;
    if (heaptap_reader_open_memory(&rewriter->names, data, size, NULL, NULL) != HEAPTAP_OK)
        return false;
    while (heaptap_reader_next(rewriter->names, &event, NULL) == HEAPTAP_OK)
        ;
    for (uint32_t i = 0; i < heaptap_reader_frame_count(rewriter->names); i++)
        if (!map_put(&rewriter->numbers, heaptap_reader_frame_code(rewriter->names, i), i, &fresh))
            abort();
    return true;
}

static void release(struct rewriter *rewriter)
{
    for (size_t i = 0; i < rewriter->domains.count && i < rewriter->max_domains; i++)
        heaptap_domain_free(rewriter->streams[i]);
    heaptap_writer_free(rewriter->writer);
    heaptap_reader_close(rewriter->reader);
    heaptap_reader_close(rewriter->names);
    map_release(&rewriter->numbers);
    map_release(&rewriter->domains);
    free(rewriter->streams);
    free(rewriter->codes);
}

enum heaptap_status rewrite(const void *data, size_t size,
                            const struct heaptap_reader_options *options, unsigned version,
                            unsigned max_domains, struct bytes *out)
{
    struct rewriter rewriter = {.max_domains = max_domains};
    enum heaptap_status status = HEAPTAP_BAD_INPUT;
    rewriter.streams = calloc(max_domains, sizeof(struct heaptap_domain *));
    if (!rewriter.streams)
        abort();
    if (learn_names(&rewriter, data, size) &&
        heaptap_reader_open_memory(&rewriter.reader, data, size, options, NULL) == HEAPTAP_OK) {
        struct heaptap_trace_info info = *heaptap_reader_info(rewriter.reader);
        struct heaptap_writer_options to = {
            .sink = bytes_sink(out), .describe = describe, .describe_context = &rewriter};
        info.version = version;
        status = heaptap_writer_new(&rewriter.writer, &info, &to, NULL);
        if (status == HEAPTAP_OK)
            status = write_events(&rewriter);
    }
    release(&rewriter);
    return status;
}
