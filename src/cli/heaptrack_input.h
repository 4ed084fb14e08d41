/* heaptrack's recordings, opened as if they were traces. */
#ifndef CLI_HEAPTRACK_INPUT_H
#define CLI_HEAPTRACK_INPUT_H

#include "cli/trace_input.h"

/* Makes a trace of `file`, which stays the caller's, in a temporary file that is gone with the
 * reader.  Addresses of a raw recording are looked up where the binaries are there.  A damaged file
 * gives what stands before the damage, with a message, and input->exit_status set.  False, with a
 * message, when there is nothing to read. */
bool heaptrack_input_open(struct trace_input *input, struct input *file,
                          const struct heaptap_reader_options *options);

#endif
