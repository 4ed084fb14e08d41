/* Reads profiles: files of any format that is made one, and what is chosen of a store. */
#ifndef CLI_PPROF_INPUT_H
#define CLI_PPROF_INPUT_H

#include "cli/input_files.h"
#include "cli/profile_input.h"
#include "cli/trace_input.h"
#include "pprof/read/profile.h"

/* The model of what is open, the caller's; NULL with a message, and the exit status set.  To be asked for once. */
struct model *pprof_input_read(struct trace_input *input, struct profile_input *profile);

/* The same, and what has addresses only gets names, as far as the binaries are there. */
struct model *pprof_input_read_named(struct trace_input *input, struct profile_input *profile);

/* The same of all that a question names, merged; `first` is the first (trace_input_open_any). */
struct model *pprof_input_read_many(struct trace_input *input, struct profile_input *first,
                                    const struct input_names *names);

#endif
