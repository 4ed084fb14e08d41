/* A model of whatever file is named: a trace, or a pprof profile, told apart by their first bytes.
 */
#ifndef CLI_MODEL_INPUT_H
#define CLI_MODEL_INPUT_H

#include "cli/trace_input.h"
#include "pprof/read/label_frames.h"
#include "profile/model_trace.h"

struct model_input {
    struct trace_input trace; /* its path and exit status, in either case */
    struct model *model;
};

/* Opens and reads all.  False with a message: then input->trace.exit_status is set, and there is
 * nothing to close.  A trace that is cut gives a model of what stands before that, a message, and
 * the exit status. */
bool model_input_open(struct model_input *input, const char *path);

/* The same of several profiles, which are merged; `more` are the paths after the first.  `frames`, NULL for none, are added to
 * stacks of a profile; a trace is refused then.  Where the model of a trace will be asked one question only, `question` is that, else
 * NULL. */
bool model_input_open_many(struct model_input *input, const char *path, const char *const *more,
                           size_t more_count, const struct pprof_label_frames *frames,
                           const struct folded_question *question);

/* The model of a trace that is open, in true order, and of which nothing has been read.  NULL with a message and the exit status; a trace that is
 * cut gives one of what stands before that, a message, and the exit status.  The input stays open, perhaps with another reader. */
struct model *model_input_read(struct trace_input *input, const struct folded_question *question);

/* The same, telling how far it is; `watch` may be NULL. */
bool model_input_open_watched(struct model_input *input, const char *path,
                              const struct model_watch *watch);

/* The same of a file that has been opened, as `trace` tells, and found to be no trace.  It is
 * closed in either case. */
bool model_input_open_other(struct model_input *input, const struct trace_input *trace,
                            struct input *file, const struct pprof_label_frames *frames);

/* Turns a profile's values into bytes and nanoseconds (model_to_base_units).  False with a message and the exit status; then the
 * input is closed. */
bool model_input_to_base_units(struct model_input *input);

void model_input_close(struct model_input *input);

#endif
