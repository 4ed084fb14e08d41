#include "cli/record/holders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "holders/summary.h"
#include "spec/holders_dump.h"

enum { SNAPSHOTS_MOST = 1000 };

/* The path of a trace's snapshot, that of its program's end for 0, else an earlier one with that number.  To be freed; NULL without
 * memory. */
static char *snapshot_of(const char *trace, unsigned number)
{
    return number == 0 ? text_format("%s%s", trace, HOLDERS_DUMP_SUFFIX)
                       : text_format("%s%s.%u", trace, HOLDERS_DUMP_SUFFIX, number);
}

static bool open_trace(struct trace_input *input, const char *trace)
{
    const struct heaptap_reader_options in_file_order = {.order = HEAPTAP_FILE_ORDER};
    return trace_input_open(
        input, &(struct input_names){.path = trace, .is_one = true, .is_unnamed = true},
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

/* Adds the records of a graph whose stacks the trace has; what goes wrong is told of. */
static void sum_up(const char *trace, struct graph *graph, struct summary_records *records)
{
    struct trace_input input;
    struct summary_stacks stacks;
    if (!open_trace(&input, trace))
        return;
    input.quiet = true;
    enum heaptap_status status = summary_read_stacks(&stacks, graph, input.reader, &input.error);
    bool done = status == HEAPTAP_OK && summary_make(records, &stacks, graph, input.reader);
    if (status != HEAPTAP_OK)
        cli_fail(trace, &input.error);
    else if (!done)
        cli_warn("%s: out of memory for what holds the program's blocks", trace);
    summary_stacks_release(&stacks);
    trace_input_close(&input);
}

/* What can't be read is told of and left out. */
static void take_in(const char *trace, int fd, struct summary_records *records)
{
    struct graph graph;
    struct heaptap_error error;
    while (flock(fd, LOCK_SH) != 0 && errno == EINTR)
        ;
    if (graph_read(&graph, fd, &error) != HEAPTAP_OK)
        cli_fail(trace, &error);
    else
        sum_up(trace, &graph, records);
    graph_release(&graph);
}

/* False where there is no such snapshot. */
static bool finish_one(const char *trace, unsigned number, struct summary_records *records)
{
    char *path = snapshot_of(trace, number);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        take_in(trace, fd, records);
        close(fd);
        unlink(path);
    }
    free(path);
    return fd >= 0;
}

bool holders_finish(const char *trace)
{
    struct summary_records records = {0};
    bool has_any = false;
    for (unsigned number = 1; number < SNAPSHOTS_MOST && finish_one(trace, number, &records);
         number++)
        has_any = true;
    has_any |= finish_one(trace, 0, &records);
    if (records.count > 0)
        write_into(trace, &records);
    summary_records_release(&records);
    return has_any;
}

static bool move_one(const char *trace, const char *to, unsigned number)
{
    char *path = snapshot_of(trace, number), *other = to ? snapshot_of(to, number) : NULL;
    bool done = path && (!to ? unlink(path) : other ? rename(path, other) : -1) == 0;
    free(path);
    free(other);
    return done;
}

void holders_move(const char *trace, const char *to)
{
    move_one(trace, to, 0);
    for (unsigned number = 1; number < SNAPSHOTS_MOST && move_one(trace, to, number); number++)
        ;
}
