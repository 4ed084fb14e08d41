#include "cli/trace_frames.h"

#include "base/code.h"

static const struct heaptap_location *locations_of(void *reader, uint32_t frame, size_t *count)
{
    return heaptap_reader_frame_locations(reader, frame, count);
}

static uint64_t code_of(void *reader, uint32_t frame)
{
    return heaptap_reader_frame_code(reader, frame);
}

static enum code_fit fit_of(const struct heaptap_metadata *record, uint64_t code)
{
    return record->kind == HEAPTAP_MODULE
               ? code_fit(code, record->address, record->size_bytes, record->number)
               : CODE_OUTSIDE;
}

static const char *module_of(void *reader, uint32_t frame)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    uint64_t code = heaptap_reader_frame_code(reader, frame);
    size_t found = CODE_MODULE(i, count, fit_of(&records[i], code));
    return found < count ? records[found].name : NULL;
}

static bool has_modules(const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    while (count > 0 && records[count - 1].kind != HEAPTAP_MODULE)
        count--;
    return count > 0;
}

struct frame_source trace_frames(const struct trace_input *input)
{
    const struct heaptap_trace_info *info = heaptap_reader_info(input->reader);
    return (struct frame_source){.locations = locations_of,
                                 .code = code_of,
                                 .frame_count = heaptap_reader_frame_count(input->reader),
                                 .context = input->reader,
                                 .module = has_modules(input->reader) ? module_of : NULL,
                                 .program = info->executable,
                                 .is_nameless_runtime = info->word_bits > 8};
}
