/* Any bytes at all, given to the importer of heaptrack's recordings: what it writes must be a trace
 * that can be read to its end, with as many allocations as it says. */
#include <stdlib.h>

#include "helpers/bytes.h"
#include "format/import/file_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_trace(const struct bytes *trace, uint64_t allocations)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    struct heaptap_error error;
    enum heaptap_status status;
    uint64_t seen = 0;
    require(heaptap_reader_open_memory(&reader, trace->items, trace->size, NULL, &error) ==
            HEAPTAP_OK);
    while ((status = heaptap_reader_next(reader, &event, &error)) == HEAPTAP_OK)
        seen += event.kind == HEAPTAP_ALLOC;
    require(status == HEAPTAP_END && seen == allocations);
    heaptap_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes trace = {0};
    struct heaptap_sink sink = bytes_sink(&trace);
    struct file_conversion outcome;
    struct heaptap_error error = {0};
    struct input *input;
    heaptrack_format.looks_like_one(data, size);
    if (input_open_memory(&input, data, size, &error) != HEAPTAP_OK)
        return 0;
    enum heaptap_status status = heaptrack_format.convert(input, &sink, &outcome, &error);
    require(status == HEAPTAP_OK || (error.status == status && error.message[0]));
    if (trace.size > 0)
        check_trace(&trace, outcome.allocations);
    input_close(input);
    bytes_release(&trace);
    return 0;
}
