/* heaptap dump: every event as text. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtered_events.h"
#include "cli/output_file.h"
#include "cli/parse.h"
#include "cli/filtering.h"
#include "format/export/event_text.h"
#include "profile/filter_words.h"

struct options {
    struct question report;
    enum event_text_format format;
    enum heaptap_order order;
    const char *stacks; /* where stacks go, each once; NULL for into each row */
};

static bool take_json(void *format, const char *value, struct heaptap_error *error)
{
    (void)value;
    (void)error;
    *(enum event_text_format *)format = EVENT_TEXT_JSON_LINES;
    return true;
}

#define FIELD(name) offsetof(struct options, name)

static const struct option_word formats[] = {{"memtrace", EVENT_TEXT_MEMTRACE},
                                             {"alloc-stats", EVENT_TEXT_ALLOC_STATS},
                                             {"csv", EVENT_TEXT_CSV},
                                             {"jsonl", EVENT_TEXT_JSON_LINES},
                                             {NULL, 0}};
static const struct option_word orders[] = {
    {"file", HEAPTAP_FILE_ORDER}, {"true", HEAPTAP_TRUE_ORDER}, {NULL, 0}};

static const struct question_option rows[] = {
    {"format", 'f', OPTION_WORD, 0, "FORMAT",
     "memtrace (the default): as memtrace's dump_trace; alloc-stats: as the ocaml-alloc-stats "
     "notebooks read it; csv; jsonl: JSON lines",
     FIELD(format), .words = formats},
    {"json", 0, OPTION_TAKEN, 0, NULL, "The same as --format=jsonl", FIELD(format),
     .take = take_json},
    {"order", 0, OPTION_WORD, 0, "file|true",
     "file (the default): as in the trace; true: those of all domains merged by time", FIELD(order),
     .words = orders},
    {"stacks", 0, OPTION_TEXT, 0, "FILE",
     "With --format=csv: write each stack once, to FILE, and its number into the rows",
     FIELD(stacks)},
    {.kind = OPTION_QUESTION, .parts = PART_FILES | PART_FILTER, .field = FIELD(report)},
    {0}};

static void check(struct argp_state *state)
{
    struct options *options = state->input;
    if (options->stacks && options->format != EVENT_TEXT_CSV)
        argp_error(state, "--stacks is for --format=csv");
    if (options->stacks)
        options->format = EVENT_TEXT_CSV_NUMBERS;
}

static const struct command_line line = {
    .check = check,
    .arguments = "TRACE... [CLAUSE...]",
    .about =
        "Prints every event of TRACE, one per line; with a filter, those of blocks that pass it.\v"
        "Times are in microseconds since the start of the trace, lengths in words (bytes where the "
        "trace's word size is 8 bits), stacks outermost caller first. With a filter the trace is read "
        "twice.",
};

static int write_output(void *context, const void *data, size_t size)
{
    (void)context;
    for (const char *at = data; size > 0;) {
        ssize_t part = write(STDOUT_FILENO, at, size);
        if (part < 0 && errno != EINTR)
            return errno;
        at += part > 0 ? part : 0;
        size -= part > 0 ? (size_t)part : 0;
    }
    return 0;
}

/* The status for the errno of writing; a reader that has gone away needs no message. */
static int say_output(int code)
{
    if (code != 0 && code != EPIPE)
        cli_warn("writing the output: %s", strerror(code));
    return code != 0 ? CLI_FAILED : CLI_DONE;
}

/* The file of stacks, which appears when it is whole.  Without one, `stream` is NULL. */
struct stacks {
    struct output_file file;
    FILE *stream;
};

/* An errno, or 0; then it is to be closed. */
static int open_stacks(struct stacks *stacks, const char *path)
{
    *stacks = (struct stacks){0};
    int code = path ? output_file_open(&stacks->file, path) : 0;
    if (!path || code)
        return code;
    int fd = fcntl(stacks->file.fd, F_DUPFD_CLOEXEC, 0);
    stacks->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (stacks->stream)
        return 0;
    code = errno;
    if (fd >= 0)
        close(fd);
    output_file_release(&stacks->file);
    return code;
}

/* Puts it in its place, unless `status` is a failure; the status. */
static int close_stacks(struct stacks *stacks, const char *path, int status)
{
    if (!stacks->stream)
        return status;
    int code = fclose(stacks->stream) != 0 ? errno : 0;
    if (status == CLI_DONE && code == 0)
        code = output_file_commit(&stacks->file);
    output_file_release(&stacks->file);
    return status == CLI_DONE && code ? output_file_fail(path, "a table of stacks", code) : status;
}

/* Takes the stacks that are new.  The errno with which that failed, or 0. */
static int put_stacks(struct event_text *text, FILE *stacks)
{
    size_t size;
    const char *bytes = stacks ? event_text_stacks(text, &size) : NULL;
    return bytes && size > 0 && fwrite(bytes, 1, size, stacks) != size ? errno : 0;
}

static int dump(struct filtered_events *events, enum event_text_format format, FILE *stacks)
{
    struct heaptap_sink sink = {write_output, NULL};
    struct event_text *text = event_text_new(format, events->input.reader, sink);
    struct heaptap_event event;
    int code = text ? 0 : ENOMEM;
    while (code == 0 && filtered_events_next(events, &event)) {
        code = event_text_put(text, &event);
        code = code ? code : put_stacks(text, stacks);
    }
    code = code ? code : put_stacks(text, stacks); /* the titles, where there was no event */
    if (text && code == 0)
        code = event_text_finish(text);
    event_text_free(text);
    return say_output(code);
}

/* Stacks are printed as the trace has them. */
static bool check_filter(const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        if (!(filter_word_info(clause->word)->stage & (STAGE_EDITS | STAGE_ENDS)))
            continue;
        filtering_tell(filter->text, clause->offset, clause->length,
                       "dump prints stacks as they are in the trace, in full; choose stacks with "
                       "focus and ignore");
        return false;
    }
    return true;
}

static int show(const void *command_options, const struct filter *filter)
{
    const struct options *options = command_options;
    struct filtered_events events;
    int status;
    struct heaptap_reader_options how = {
        .order = options->order,
        .skip_stacks = options->format == EVENT_TEXT_ALLOC_STATS,
    };
    if (!check_filter(filter))
        return CLI_USAGE;
    const struct input_names files = question_files(&options->report);
    if (!filtered_events_open(&events, &files, filter, &how, NULL, &status))
        return status;
    struct stacks stacks;
    int code = open_stacks(&stacks, options->stacks);
    if (code) {
        filtered_events_close(&events);
        return output_file_fail(options->stacks, "a table of stacks", code);
    }
    status = dump(&events, options->format, stacks.stream);
    status = close_stacks(&stacks, options->stacks, status);
    filtered_events_close(&events);
    return status != CLI_DONE ? status : events.input.exit_status;
}

int cmd_dump(int argc, char **argv)
{
    struct options options = {.report = question_many(), .format = EVENT_TEXT_MEMTRACE};
    cli_parse(rows, &line, argc, argv, 0, &options);
    return filtering_run(&options.report, show, &options);
}
