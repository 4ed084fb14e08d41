#include "cli/filtered_events.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filtering.h"
#include "cli/trace_open.h"
#include "trace/reader.h"

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
    if (begun != HEAPTAP_OK)
        *status = cli_fail(trace_input_subject(input), &input->error);
    else
        cli_fail_memory(status);
    return false;
}

static bool find_blocks(struct filtered_events *events, const struct filter *filter,
                        const struct model *model, int *status)
{
    struct trace_input *input = &events->input;
    struct heaptap_error error;
    size_t length = 1;
    enum heaptap_status done =
        passing_blocks_init(&events->blocks, &input->reader, filter, &length, &error);
    if (done == HEAPTAP_OK) {
        bool is_empty = events->blocks.passing == 0 && events->blocks.whole > 0;
        if (is_empty && model)
            filtering_note(trace_input_subject(input), model, filter, true);
        else if (is_empty)
            filtering_note_empty(trace_input_subject(input));
        return true;
    }
    *status = done == HEAPTAP_BAD_ARGUMENT ? filtering_status(filter, &error, length)
                                           : cli_fail(trace_input_subject(input), &error);
    heaptap_reader_close(input->reader);
    return false;
}

bool filtered_events_begin(struct filtered_events *events, const struct trace_input *input,
                           const struct filter *filter, const struct heaptap_reader_options *how,
                           const struct model *model, int *status)
{
    *events = (struct filtered_events){.input = *input, .is_filtered = filter->count > 0};
    if (!events->is_filtered)
        return true;
    if (!find_blocks(events, filter, model, status))
        return false;
    if (begin_again(events, how, status))
        return true;
    filtered_events_close(events);
    return false;
}

bool filtered_events_open(struct filtered_events *events, const struct input_names *files,
                          const struct filter *filter, const struct heaptap_reader_options *how,
                          const struct model *model, int *status)
{
    static const struct heaptap_reader_options whole = {.order = HEAPTAP_TRUE_ORDER};
    struct trace_input input;
    if (trace_input_open(&input, files, filter->count > 0 ? &whole : how))
        return filtered_events_begin(events, &input, filter, how, model, status);
    *status = input.exit_status;
    return false;
}

bool filtered_events_again(struct filtered_events *events, const struct heaptap_reader_options *how,
                           int *status)
{
    free(events->shared);
    events->shared = NULL;
    return begin_again(events, how, status);
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
        if (event->kind == HEAPTAP_EXIT)
            continue;
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

size_t filtered_events_choose_many(struct filtered_events *events, struct heaptap_event *passing,
                                   size_t max)
{
    size_t read = 0, count = 0;
    while (count == 0 && (read = trace_input_next_many(&events->input, passing, max)) > 0) {
        for (size_t i = 0; i < read; i++) {
            struct heaptap_event *event = &passing[i];
            unsigned halves = passing_blocks_halves(&events->blocks, event->id);
            events->end_us = event->time_us > events->end_us ? event->time_us : events->end_us;
            if (halves == 0)
                continue;
            if (event->kind == HEAPTAP_ALLOC)
                event->samples = passing_blocks_samples(&events->blocks, event->id, event->samples);
            passing[count++] = *event;
        }
    }
    return count;
}

void filtered_events_close(struct filtered_events *events)
{
    free(events->shared);
    if (events->is_filtered)
        passing_blocks_release(&events->blocks);
    trace_input_close(&events->input);
}
