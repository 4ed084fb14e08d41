/* From a path to the events of a file: a trace, or what can be made one. */
#ifndef CLI_TRACE_OPEN_H
#define CLI_TRACE_OPEN_H

#include <stdbool.h>

#include "cli/trace_input.h"
#include "trace/input.h"

/* False, with a message and exit_status set, when the trace can't be opened. */
bool trace_input_open(struct trace_input *input, const char *path,
                      const struct heaptap_reader_options *options);

/* The same of a file that may also be something else than a trace: then input->reader is NULL, and
 * `*other` the file, of which nothing has been read yet, for the caller to close. */
bool trace_input_open_any(struct trace_input *input, const char *path,
                          const struct heaptap_reader_options *options, struct input **other);

#endif
