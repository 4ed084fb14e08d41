#include "cli/symbolize/lookup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/affix.h"
#include "base/array.h"
#include "cli/cli.h"

#define NO_QUERY UINT32_MAX
static const int64_t NEVER = INT64_MAX;

/* Is it an address yet: described by nothing, or as `module+0x1f`? */
static bool is_address(const struct heaptap_reader *reader, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(reader, frame, &count);
    if (heaptap_reader_frame_code(reader, frame) == HEAPTAP_CODE_TRUNCATED)
        return false;
    if (count != 1)
        return count == 0;
    return ends_with_offset(locations->function);
}

static bool is_looked_up(const struct lookup *lookup, const struct heaptap_reader *reader,
                         uint32_t frame)
{
    return is_address(reader, frame) ||
           (lookup->every_frame &&
            heaptap_reader_frame_code(reader, frame) != HEAPTAP_CODE_TRUNCATED);
}

static bool note_stack(struct lookup *lookup, const struct heaptap_reader *reader,
                       const struct heaptap_event *event)
{
    for (uint32_t i = event->stack_shared; i < event->stack_length; i++) {
        uint32_t frame = event->stack[i];
        if (!ARRAY_RESERVE(&lookup->first_us, &lookup->seen_capacity, (size_t)frame + 1))
            return false;
        while (lookup->seen <= frame)
            lookup->first_us[lookup->seen++] = NEVER;
        if (event->time_us < lookup->first_us[frame] && is_looked_up(lookup, reader, frame))
            lookup->first_us[frame] = event->time_us;
    }
    return true;
}

static bool make_queries(struct lookup *lookup, const struct heaptap_reader *reader)
{
    lookup->queries = calloc(lookup->seen + 1, sizeof *lookup->queries);
    lookup->answers = calloc(lookup->seen + 1, sizeof *lookup->answers);
    lookup->query_of = calloc(lookup->seen + 1, sizeof *lookup->query_of);
    if (!lookup->queries || !lookup->answers || !lookup->query_of)
        return false;
    for (uint32_t frame = 0; frame < lookup->seen; frame++) {
        lookup->query_of[frame] = NO_QUERY;
        if (lookup->first_us[frame] == NEVER)
            continue;
        lookup->query_of[frame] = (uint32_t)lookup->query_count;
        lookup->queries[lookup->query_count++] = (struct symbol_query){
            heaptap_reader_frame_code(reader, frame), lookup->first_us[frame]};
    }
    return true;
}

/* Files of another machine may be copies, which are all newer than what was recorded. */
static bool is_of_here(const struct heaptap_trace_info *info)
{
    struct utsname machine;
    return uname(&machine) == 0 && strcmp(machine.nodename, info->host) == 0;
}

static bool add_modules(struct symbolizer *symbolizer, const struct heaptap_reader *reader,
                        size_t *added)
{
    size_t count;
    const struct heaptap_trace_info *info = heaptap_reader_info(reader);
    if (is_of_here(info))
        symbolizer_check_files(symbolizer, info->start_us);
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind != HEAPTAP_MODULE)
            continue;
        struct heaptap_error error;
        enum heaptap_status status = symbolizer_add_module(symbolizer, &records[i], &error);
        if (status == HEAPTAP_NO_MEMORY)
            return false;
        if (status != HEAPTAP_OK)
            cli_warn("note: %s", error.message);
        ++*added;
    }
    return true;
}

bool lookup_run(struct lookup *lookup, struct symbolizer *symbolizer, struct trace_input *input,
                struct heaptap_error *error)
{
    struct heaptap_event event;
    enum heaptap_status status;
    size_t modules = 0;
    while ((status = heaptap_reader_next(input->reader, &event, error)) == HEAPTAP_OK)
        if (event.kind == HEAPTAP_ALLOC && !note_stack(lookup, input->reader, &event))
            return false;
    if (status == HEAPTAP_END)
        error->status = HEAPTAP_OK;
    if (!make_queries(lookup, input->reader) || !add_modules(symbolizer, input->reader, &modules))
        return false;
    if (lookup->query_count > 0 && modules == 0) {
        cli_warn("%s: note: the trace doesn't say which programs and libraries were in memory; %zu "
                 "addresses stay as they are",
                 input->path, lookup->query_count);
        lookup->query_count = 0;
    }
    return lookup->query_count == 0 ||
           symbolizer_resolve(symbolizer, lookup->queries, lookup->query_count, lookup->answers,
                              NULL) == HEAPTAP_OK;
}

bool lookup_frames(struct lookup *lookup, struct symbolizer *symbolizer,
                   const struct heaptap_reader *reader)
{
    uint32_t frames = heaptap_reader_frame_count(reader);
    size_t modules = 0;
    if (!ARRAY_RESERVE(&lookup->first_us, &lookup->seen_capacity, (size_t)frames + 1))
        return false;
    for (uint32_t frame = 0; frame < frames; frame++)
        lookup->first_us[lookup->seen++] = is_address(reader, frame) ? 0 : NEVER;
    return make_queries(lookup, reader) && add_modules(symbolizer, reader, &modules) &&
           symbolizer_resolve(symbolizer, lookup->queries, lookup->query_count, lookup->answers,
                              NULL) == HEAPTAP_OK;
}

const struct heaptap_location *lookup_locations(const struct lookup *lookup,
                                                const struct heaptap_reader *reader, uint32_t frame,
                                                size_t *count)
{
    uint32_t query = frame < lookup->seen ? lookup->query_of[frame] : NO_QUERY;
    if (query >= lookup->query_count || lookup->answers[query].count == 0 ||
        (ends_with_offset(lookup->answers[query].locations->function) &&
         !is_address(reader, frame)))
        return heaptap_reader_frame_locations(reader, frame, count);
    *count = lookup->answers[query].count;
    return lookup->answers[query].locations;
}

void lookup_release(struct lookup *lookup)
{
    free(lookup->first_us);
    free(lookup->queries);
    free(lookup->answers);
    free(lookup->query_of);
}
