#include "cli/record/holders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "holders/summary.h"
#include "spec/holders_dump.h"

/* To be freed; NULL without memory. */
static char *snapshot_of(const char *trace)
{
    char *path;
    return asprintf(&path, "%s%s", trace, HOLDERS_DUMP_SUFFIX) < 0 ? NULL : path;
}

static bool open_trace(struct trace_input *input, const char *trace)
{
    const struct heaptap_reader_options in_file_order = {.order = HEAPTAP_FILE_ORDER};
    return trace_input_open(input, &(struct input_names){.path = trace, .is_one = true},
                            &in_file_order);
}

static bool write_into(const char *trace, const struct summary_records *records)
{
    struct trace_input input;
    struct trace_output *output;
    struct heaptap_event event;
    if (!open_trace(&input, trace))
        return false;
    input.quiet = true;
    struct trace_output_options where = {.path = trace,
                                         .encoding = OUTPUT_BY_NAME,
                                         .keep_order = true,
                                         .info = *heaptap_reader_info(input.reader)};
    bool done = trace_output_open(&output, &where, &input, &input.exit_status);
    if (done) {
        while (trace_input_next(&input, &event))
            trace_output_copy(output, &event, true);
        trace_output_copy_metadata(output, input.reader);
        trace_output_metadata(output, records->items, records->count);
        done = trace_output_close(output, &input.exit_status);
    }
    trace_input_close(&input);
    return done;
}

/* The records of a graph whose stacks the trace has; false after a message. */
static bool sum_up(const char *trace, struct graph *graph, struct summary_records *records)
{
    struct trace_input input;
    struct summary_stacks stacks;
    *records = (struct summary_records){0};
    if (!open_trace(&input, trace))
        return false;
    input.quiet = true;
    enum heaptap_status status = summary_read_stacks(&stacks, graph, input.reader, &input.error);
    bool done = status == HEAPTAP_OK && summary_make(records, &stacks, graph, input.reader);
    if (status != HEAPTAP_OK)
        cli_fail(trace, &input.error);
    else if (!done)
        cli_warn("%s: out of memory for what holds the program's blocks", trace);
    summary_stacks_release(&stacks);
    trace_input_close(&input);
    return done;
}

static void take_in(const char *trace, int fd)
{
    struct graph graph;
    struct heaptap_error error;
    struct summary_records records;
    while (flock(fd, LOCK_SH) != 0 && errno == EINTR)
        ;
    if (graph_read(&graph, fd, &error) != HEAPTAP_OK) {
        cli_fail(trace, &error);
    } else {
        if (sum_up(trace, &graph, &records))
            write_into(trace, &records);
        summary_records_release(&records);
    }
    graph_release(&graph);
}

bool holders_finish(const char *trace)
{
    char *path = snapshot_of(trace);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        take_in(trace, fd);
        close(fd);
        unlink(path);
    }
    free(path);
    return fd >= 0;
}

void holders_move(const char *trace, const char *to)
{
    char *path = snapshot_of(trace), *other = to ? snapshot_of(to) : NULL;
    if (path && to && other)
        rename(path, other);
    else if (path && !to)
        unlink(path);
    free(path);
    free(other);
}
