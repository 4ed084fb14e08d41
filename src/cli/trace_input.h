/* A trace as a command reads it: whatever is wrong with it is told on stderr, once. */
#ifndef CLI_TRACE_INPUT_H
#define CLI_TRACE_INPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cli/growing.h"
#include "heaptap/trace.h"

struct trace_input {
    const char *path;              /* borrowed */
    struct heaptap_reader *reader; /* NULL when it couldn't be opened */
    int exit_status;               /* what the command should exit with so far */
    bool with_moments;             /* of a store: its samples keep their time and instance */
    bool copied;                   /* into a trace that says of itself what this one does */
    enum trace_growth growth;      /* of any of them, when they were opened */
    struct stat opened;            /* of a single file that nobody seemed to write; else zeroed */
    bool leaves_out;            /* a file of its folder, which is called like a trace and is none */
    bool lacks_a_part;          /* recording ended early, or dropped samples; once closed */
    bool quiet;                 /* trace_input_close keeps its remarks to itself */
    bool is_known;              /* ... and trace_input_end what ended the trace */
    struct heaptap_error error; /* what ended the trace before its end */
};

/* Opens a trace by its file descriptor, which is closed with it; `path` is what messages call it.  False, with a message and
 * exit_status set, when it can't be opened.  cli/trace_open.h has the way from a path. */
bool trace_input_open_fd(struct trace_input *input, const char *path, int fd,
                         const struct heaptap_reader_options *options);

/* For trace_input_next: says what is wrong where the status isn't HEAPTAP_END. */
void trace_input_end(struct trace_input *input, enum heaptap_status status);

/* False at the end, also when that is where the trace is cut or damaged: exit_status tells. */
static inline bool trace_input_next(struct trace_input *input, struct heaptap_event *event)
{
    enum heaptap_status status = heaptap_reader_next(input->reader, event, &input->error);
    if (__builtin_expect(status == HEAPTAP_OK, 1))
        return true;
    trace_input_end(input, status);
    return false;
}

/* The same for many events at once, with stacks skipped: how many there are, 0 at the end. */
static inline size_t trace_input_next_many(struct trace_input *input, struct heaptap_event *events,
                                           size_t max)
{
    size_t count;
    enum heaptap_status status =
        heaptap_reader_next_many(input->reader, events, max, &count, &input->error);
    if (__builtin_expect(status == HEAPTAP_OK, 1))
        return count;
    trace_input_end(input, status);
    return 0;
}

/* Tells what the reader had to put up with (trace_input.c lists it), and closes. */
void trace_input_close(struct trace_input *input);

/* The record of the recording's end before the program's; NULL for none.  The input is open and has
 * been read. */
const struct heaptap_metadata *trace_input_stop(const struct trace_input *input);

/* Whether all that the program did is in the file: it was read to its end, and recording went on to the
 * program's. */
bool trace_input_has_all(const struct trace_input *input);

/* The same, and nothing has been said so far that the answer lacks (cli/lack.h). */
bool trace_input_is_whole(const struct trace_input *input);

/* The file's name without its folder; "standard input" for -. */
const char *trace_input_name(const struct trace_input *input);

/* What messages call it: the path as given; "standard input" for -. */
const char *trace_input_subject(const struct trace_input *input);

#endif
