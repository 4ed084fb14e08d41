/* From paths to the events of their files: traces, or what can be made one.  Several are read as one (trace/join.h). */
#ifndef CLI_TRACE_OPEN_H
#define CLI_TRACE_OPEN_H

#include <stdbool.h>

#include "cli/input_files.h"
#include "cli/profile_input.h"
#include "cli/trace_input.h"

/* False, with a message and exit_status set, when a trace can't be opened, or they can't be read as one.  The names are borrowed for the
 * call, the paths in them for as long as the input is open. */
bool trace_input_open(struct trace_input *input, const struct input_names *names,
                      const struct heaptap_reader_options *options);

/* The same of what may also be profiles: then input->reader is NULL, and `*profile` the first, for the caller to close;
 * pprof_input_read_many reads all.  Of traces it is not open. */
bool trace_input_open_any(struct trace_input *input, const struct input_names *names,
                          const struct heaptap_reader_options *options,
                          struct profile_input *profile);

#endif
