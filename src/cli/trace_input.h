/* A trace as a command reads it: whatever is wrong with it is told on stderr, once. */
#ifndef CLI_TRACE_INPUT_H
#define CLI_TRACE_INPUT_H

#include <stdbool.h>

#include "heaptap/trace.h"
#include "trace/file/input.h"

struct trace_input {
    const char *path;              /* borrowed */
    struct heaptap_reader *reader; /* NULL when it couldn't be opened */
    int exit_status;               /* what the command should exit with so far */
};

/* False, with a message and exit_status set, when the trace can't be opened. */
bool trace_input_open(struct trace_input *input, const char *path,
                      const struct heaptap_reader_options *options);

/* The same of a file that may also be something else than a trace: then input->reader is NULL, and
 * `*other` the file, of which nothing has been read yet, for the caller to close. */
bool trace_input_open_any(struct trace_input *input, const char *path,
                          const struct heaptap_reader_options *options, struct input **other);

/* False at the end, also when that is where the trace is cut or damaged: exit_status tells. */
bool trace_input_next(struct trace_input *input, struct heaptap_event *event);

/* Tells what the reader had to put up with (trace_input.c lists it), and closes. */
void trace_input_close(struct trace_input *input);

/* The file's name without its folder; "standard input" for -. */
const char *trace_input_name(const struct trace_input *input);

#endif
