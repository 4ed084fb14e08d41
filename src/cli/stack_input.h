/* Stacks with values, from whatever holds them: a trace, or a pprof profile, told apart by their
 * first bytes.  What reports that need nothing else read. */
#ifndef CLI_STACK_INPUT_H
#define CLI_STACK_INPUT_H

#include "cli/trace_input.h"
#include "pprof/read/profile.h"
#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct stack_input {
    struct trace_input trace;              /* its path and exit status, in either case */
    const struct heaptap_trace_info *info; /* NULL for a pprof profile */
    struct pprof *pprof;                   /* NULL for a trace */
    struct stack_profile profile;          /* of a pprof profile, of values: WEIGHT_VALUE */
    struct frame_source frames;
};

/* Opens and reads all.  `sample_type` names the values of a pprof profile that are meant; NULL for
 * those that the file prefers.  `named`: addresses in it get names, as far as the binaries are there.  False with a message: then input->trace.exit_status is set, and
 * there is nothing to close. */
bool stack_input_open(struct stack_input *input, const char *path, const char *sample_type,
                      bool named);
void stack_input_close(struct stack_input *input);

/* Reads a pprof profile from `file`, which stays the caller's; NULL with a message, and the exit
 * status set. */
struct pprof *stack_input_read_pprof(struct trace_input *input, struct input *file);

/* The same of several files, merged and with names; `input` becomes that of the first. */
struct pprof *stack_input_read_many(struct trace_input *input, const char *path,
                                    const char *const *more, size_t more_count);

/* The same, and what has addresses only gets names, as far as the binaries are there. */
struct pprof *stack_input_read_named(struct trace_input *input, struct input *file);

#endif
