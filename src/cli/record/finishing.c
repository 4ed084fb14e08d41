/* The traces that a recording has left, before they are read: empty ones are dropped, the last gets the name that was asked for, and
 * each is mended, compressed and given its names. */
#include "cli/record/finishing.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/copy_blocks.h"
#include "cli/record/holders.h"
#include "cli/record/kept.h"
#include "cli/record/kept_folder.h"
#include "cli/record/naming.h"
#include "cli/record/reading.h"
#include "cli/record/running.h"
#include "cli/record/trace_name.h"
#include "cli/symbolize/symbolize.h"
#include "cli/trace_open.h"
#include "trace/mend.h"
#include "trace/reader.h"

/* Is the process that writes this trace still at it?  A profile is not written before it ends, only what is gathered for it. */
static bool is_running(const struct record_settings *options, const struct written_trace *trace)
{
    char kept[PATH_MAX];
    if (!trace->is_profile)
        return process_is_writing((pid_t)trace->pid, trace->path, true);
    if (*options->keep && kept_in_folder(kept, options->keep, trace->path) &&
        access(kept, F_OK) == 0)
        return process_is_writing((pid_t)trace->pid, kept, true);
    char *beside = kept_path(trace->path);
    bool is_writing = process_is_writing((pid_t)trace->pid, beside, true);
    free(beside);
    return is_writing;
}

/* Shells and launchers start many small processes; a trace without an event tells nothing. */
static bool remove_if_empty(const struct written_trace *trace)
{
    const char *path = trace->path;
    struct heaptap_reader *reader;
    if (trace->is_profile)
        return trace->is_empty && unlink(path) == 0;
    struct heaptap_event event;
    if (heaptap_reader_open(&reader, path, &(struct heaptap_reader_options){.skip_stacks = true},
                            NULL) != HEAPTAP_OK)
        return false;
    bool empty = heaptap_reader_next(reader, &event, NULL) == HEAPTAP_END;
    heaptap_reader_close(reader);
    if (!empty || unlink(path) != 0)
        return false;
    holders_move(path, NULL);
    return true;
}

void finishing_drop_empty(const struct record_settings *options, struct written_traces *traces)
{
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        struct written_trace *trace = &traces->items[i];
        bool is_last = kept == 0 && i + 1 == traces->count;
        if (is_running(options, trace) || is_last || !remove_if_empty(trace)) {
            traces->items[kept++] = *trace;
            continue;
        }
        free(trace->path);
        free(trace->executable);
    }
    traces->count = kept;
}

void finishing_name_as_asked(const struct record_settings *options, struct written_traces *traces,
                             pid_t command)
{
    struct written_trace *last = naming_last(traces, command);
    if (last && !strchr(options->output, '%') && !is_running(options, last))
        naming_give(traces, last, options->output);
}

static bool is_compressed_name(const char *path)
{
    size_t size = strlen(path);
    return (size > 3 && strcmp(path + size - 3, ".gz") == 0) ||
           (size > 4 && strcmp(path + size - 4, ".zst") == 0);
}

/* A program that was killed leaves packets open, which memtrace's own tools can't read.  Where they
 * can't be finished, heaptap reads the trace all the same. */
static void mend(const char *path)
{
    struct heaptap_error error = {0};
    if (trace_mend(path, &error) != HEAPTAP_OK)
        cli_warn("%s: stays as the program left it, which heaptap can read, but not memtrace's own "
                 "tools: %s",
                 path, error.message);
}

/* Leaves out the blocks that the halvings of the rate have taken away, which other readers would not know of. */
static void settle_rate(const char *path)
{
    struct trace_input input;
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(
            &input, &(struct input_names){.path = path, .is_one = true, .is_unnamed = true}, &how))
        return;
    input.reader->ending = (struct reader_ending){0}; /* nothing is missing: it is finished now */
    struct trace_output_options where = {
        .path = path, .encoding = OUTPUT_PLAIN, .info = *heaptap_reader_info(input.reader)};
    if (reader_thins(input.reader))
        copy_blocks(&input, &where, NULL);
    trace_input_close(&input);
}

/* What finishes the traces of a recording, one after the other. */
struct finisher {
    const struct record_settings *options;
    struct symbolizer *symbolizer; /* NULL: none could be made, after a message */
    struct symbolize_told told;
};

/* False where the trace stays as it was recorded. `ended_us` is when the program did, for a trace that does not say so; 0: unknown. */
static bool finish_trace(struct finisher *finisher, const char *path, int64_t ended_us)
{
    const struct record_settings *options = finisher->options;
    bool has_names = options->no_symbols || options->is_ocaml;
    struct symbolize_options how = {
        .symbolizer = finisher->symbolizer,
        .output = path,
        .encoding = OUTPUT_BY_NAME,
        .only_rewrite = has_names,
        .ended_us = ended_us,
        .keep_readable = true,
        .quiet = true,
        .told = options->quiet ? NULL : &finisher->told,
    };
    if (!is_compressed_name(path) && !trace_name_is_profile(path))
        how.output = NULL; /* in place, and only where there is something to do */
    if (!trace_name_is_profile(path)) {
        mend(path);
        if (record_has_budget(options))
            settle_rate(path);
    }
    bool done = (!how.output && has_names && ended_us == 0) ||
                (how.symbolizer && symbolize_file(path, &how) != CLI_FAILED);
    if (!done)
        cli_warn("%s: stays without names%s", path,
                 how.output ? ", and as it was written: not compressed" : "");
    return done;
}

void finishing_tell_uncompressed(const struct record_settings *options,
                                 const struct written_traces *traces)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const struct written_trace *trace = &traces->items[i];
        if (trace->is_profile || !is_compressed_name(trace->path) || !is_running(options, trace))
            continue;
        first = count++ == 0 ? trace->path : first;
    }
    if (count == 1)
        cli_warn(
            "%s: is not compressed, in spite of its name, because its process goes on writing it; heaptap reads it so, and "
            "when the process has ended, `heaptap file symbolize -o %s %s` compresses it",
            first, first, first);
    else if (count > 1)
        cli_warn(
            "%s and %zu more traces are not compressed, in spite of their names, because their processes go on writing "
            "them; heaptap reads them so, and when they have ended, `heaptap file symbolize -o FILE FILE` compresses them",
            first, count - 1);
}

/* For a trace that does not say when its process ended; 0 where it does, as that of a command does that no signal has ended. */
static int64_t end_of(const struct telling *telling, const struct written_trace *trace)
{
    bool is_own = trace->pid == telling->recording.pid;
    return !is_own ? SYMBOLIZE_LAST_SEEN : telling->recording.end_signal ? telling->ended_us : 0;
}

void finishing_all(const struct telling *telling, struct recording *recording)
{
    struct finisher finisher = {
        .options = telling->options,
        .symbolizer = symbolize_with(&telling->options->symbols.options),
    };
    bool has_snapshot = false;
    for (size_t i = 0; i < telling->traces->count; i++) {
        const struct written_trace *trace = &telling->traces->items[i];
        bool running = is_running(telling->options, trace);
        bool finished = running || telling->is_unnamed ||
                        finish_trace(&finisher, trace->path, end_of(telling, trace));
        if (telling->options->holders && !running)
            has_snapshot |= holders_finish(trace->path);
        if (recording)
            reading_add(recording, trace, !telling->is_unnamed, running, !finished);
    }
    symbolizer_free(finisher.symbolizer);
    if (telling->options->holders && telling->traces->count > 0 && !has_snapshot)
        cli_warn("the program ended without a snapshot of what holds its memory");
}
