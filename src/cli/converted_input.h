/* Recordings of other profilers, opened as if they were traces. */
#ifndef CLI_CONVERTED_INPUT_H
#define CLI_CONVERTED_INPUT_H

#include "cli/trace_input.h"
#include "import/file_format.h"

/* Makes a trace of `file`, whose format has a `convert`, in a temporary file that is gone with the
 * reader; `file` stays the caller's.  Addresses of a raw recording are looked up where the binaries
 * are there.  A damaged file gives what stands before the damage, with a message, and
 * input->exit_status set.  False, with a message, when there is nothing to read. */
bool converted_input_open(struct trace_input *input, struct input *file,
                          const struct file_format *format,
                          const struct heaptap_reader_options *options);

#endif
