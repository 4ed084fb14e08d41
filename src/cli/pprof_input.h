/* Reads files that hold profiles, in any format that is made one. */
#ifndef CLI_PPROF_INPUT_H
#define CLI_PPROF_INPUT_H

#include "cli/input_files.h"
#include "cli/trace_input.h"
#include "pprof/read/profile.h"

/* Reads a profile from `file`, which stays the caller's; NULL with a message, and the exit status set. */
struct model *pprof_input_read(struct trace_input *input, struct input *file);

/* The same, and what has addresses only gets names, as far as the binaries are there. */
struct model *pprof_input_read_named(struct trace_input *input, struct input *file);

/* The same of all that a question names, merged; `file` is the first (trace_input_open_any). */
struct model *pprof_input_read_many(struct trace_input *input, struct input *file,
                                    const struct input_names *names);

#endif
