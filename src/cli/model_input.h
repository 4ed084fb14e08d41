/* A model of whatever file is named: a trace, or a pprof profile, told apart by their first bytes.
 */
#ifndef CLI_MODEL_INPUT_H
#define CLI_MODEL_INPUT_H

#include "cli/input_files.h"
#include "cli/trace_input.h"
#include "profile/list/label_frames.h"
#include "profile/model_trace.h"

struct model_input {
    struct trace_input trace; /* its path and exit status, in either case */
    struct input_names files; /* that it was read of */
    struct model *model;
};

/* What a model is read of, and for. */
struct model_wanted {
    struct input_names files;
    const struct profile_label_frames
        *label_frames; /* of a profile; a trace is refused then.  NULL for none */
    const struct folded_question *question; /* the only one that a trace will be asked; NULL: any */
    bool only_sums;    /* of a trace, what was allocated by stack is enough, ... */
    bool in_any_order; /* ... and its stacks need not be in the order of their first allocation */
    const struct model_watch *watch; /* is told how far the reading of a trace is; NULL for none */
};

/* Opens and reads all.  False with a message: then input->trace.exit_status is set, and there is
 * nothing to close.  A trace that is cut gives a model of what stands before that, a message, and
 * the exit status. */
bool model_input_open(struct model_input *input, const struct model_wanted *wanted);

/* The model of a trace that is open, in true order, and of which nothing has been read.  NULL with a message and the exit status; a trace that is
 * cut gives one of what stands before that, a message, and the exit status.  The input stays open, perhaps with another reader. */
struct model *model_input_read(struct trace_input *input, const struct folded_question *question);

/* Turns a profile's values into bytes and nanoseconds (model_to_base_units).  False with a message and the exit status; then the
 * input is closed. */
bool model_input_to_base_units(struct model_input *input);

void model_input_close(struct model_input *input);

#endif
