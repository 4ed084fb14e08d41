#include "cli/passing_series.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filtered_events.h"
#include "profile/event_series.h"

enum { LARGE_FILES = 256 << 20 };

bool large_files_are(const struct input_names *files)
{
    const char *whole = getenv("HEAPTAP_WHOLE_MODEL");
    uint64_t bytes = input_files_bytes(files);
    return bytes >= LARGE_FILES || (bytes > 0 && whole && strcmp(whole, "0") == 0);
}

static bool add_events(struct event_series *series, const struct passing_input *input,
                       const struct filter *filter, int *status)
{
    static const struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER,
                                                      .skip_stacks = true};
    struct filtered_events events;
    struct heaptap_event event;
    bool done = true;
    if (!filtered_events_open(&events, &input->files, filter, &how, input->model, status))
        return false;
    events.input.quiet = true;
    events.input.exit_status = input->status;
    event_series_select(series, &events.blocks);
    while (done && trace_input_next(&events.input, &event))
        done = event_series_add(series, &event);
    filtered_events_close(&events);
    return done || cli_fail_memory(status);
}

bool passing_series(struct series *series, const struct passing_input *input,
                    const struct filter *filter, size_t steps, int *status)
{
    struct event_series events;
    if (!event_series_init(&events, input->model, steps))
        return cli_fail_memory(status);
    bool done = input->is_empty || add_events(&events, input, filter, status);
    if (done)
        *series = event_series_finish(&events);
    event_series_release(&events);
    return done;
}

/* ---- Of all blocks --------------------------------------------------------------------- */

static bool begin_series(void *context, const struct model *model)
{
    struct series_reading *reading = context;
    reading->all = series_builder_new(model, reading->steps);
    return reading->all;
}

static void add_block(void *context, const struct matcher_life *life,
                      const struct model_shape *shape)
{
    series_builder_add(((struct series_reading *)context)->all, life, shape);
}

struct folded_watcher series_reading_watcher(struct series_reading *reading)
{
    return (struct folded_watcher){begin_series, add_block, reading};
}
