#include "cli/filtered_events.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "cli/trace_open.h"
#include "trace/read/reader.h"

enum { DOMAINS = 1 << 16 };

static bool begin_again(struct filtered_events *events, const struct heaptap_reader_options *how,
                        int *status)
{
    struct trace_input *input = &events->input;
    enum heaptap_status begun = reader_begin_again(&input->reader, how, &input->error);
    events->shared = malloc(DOMAINS * sizeof *events->shared);
    if (begun == HEAPTAP_OK && events->shared) {
        memset(events->shared, 0xff, DOMAINS * sizeof *events->shared);
        return true;
    }
    if (begun != HEAPTAP_OK) {
        *status = cli_fail(trace_input_subject(input), &input->error);
    } else {
        cli_warn("out of memory");
        *status = CLI_FAILED;
    }
    filtered_events_close(events);
    return false;
}

static bool find_blocks(struct filtered_events *events, const struct filter *filter, int *status)
{
    struct trace_input *input = &events->input;
    struct heaptap_error error;
    size_t length = 1;
    enum heaptap_status done =
        passing_blocks_init(&events->blocks, &input->reader, filter, &length, &error);
    if (done == HEAPTAP_OK) {
        if (events->blocks.passing == 0 && events->blocks.whole > 0)
            report_note_empty(trace_input_subject(input));
        return true;
    }
    *status = done == HEAPTAP_BAD_ARGUMENT ? report_fail_filter(filter, &error, length)
                                           : cli_fail(trace_input_subject(input), &error);
    heaptap_reader_close(input->reader);
    return false;
}

bool filtered_events_open(struct filtered_events *events, const char *path,
                          const struct filter *filter, const struct heaptap_reader_options *how,
                          int *status)
{
    static const struct heaptap_reader_options whole = {.order = HEAPTAP_TRUE_ORDER};
    *events = (struct filtered_events){.is_filtered = filter->count > 0};
    if (trace_input_open(&events->input, path, events->is_filtered ? &whole : how))
        return !events->is_filtered ||
               (find_blocks(events, filter, status) && begin_again(events, how, status));
    *status = events->input.exit_status;
    return false;
}

/* How many frames the event's stack shares with the last one given. */
static void set_shared(struct heaptap_event *event, uint32_t shared)
{
    if (shared < event->stack_shared)
        event->stack_shared = shared;
    if (shared < event->common_prefix)
        event->common_prefix = shared;
}

bool filtered_events_next(struct filtered_events *events, struct heaptap_event *event)
{
    while (trace_input_next(&events->input, event)) {
        if (!events->is_filtered)
            return true;
        bool passes = passing_blocks_halves(&events->blocks, event->id) != 0;
        if (event->kind == HEAPTAP_ALLOC) {
            uint32_t *shared = &events->shared[event->domain];
            set_shared(event, *shared);
            *shared = passes ? UINT32_MAX : event->stack_shared;
            event->samples =
                passes ? passing_blocks_samples(&events->blocks, event->id, event->samples) : 0;
        }
        if (passes)
            return true;
    }
    return false;
}

void filtered_events_close(struct filtered_events *events)
{
    free(events->shared);
    if (events->is_filtered)
        passing_blocks_release(&events->blocks);
    trace_input_close(&events->input);
}
