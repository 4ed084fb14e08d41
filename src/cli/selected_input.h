/* Stacks with values for reports that can do without a model: of a trace that nothing is filtered
 * out of, they are summed up while it is read, in memory bounded by its stacks; in all other cases
 * they are a report's selection. */
#ifndef CLI_SELECTED_INPUT_H
#define CLI_SELECTED_INPUT_H

#include "cli/report.h"

struct selected_input {
    struct trace_input trace;              /* its path and exit status, in either case */
    const struct heaptap_trace_info *info; /* NULL where there are values, not objects */
    bool is_values;                        /* of a pprof profile or its like: WEIGHT_VALUE */
    struct stack_profile profile;
    struct frame_source frames;
    struct frame_source all_frames; /* what `frames` stands on */
    struct library_frames shortened;
    struct wrappers wrappers; /* of a trace without a report */
    bool hides_libraries;
    struct library_hidden hidden; /* what that leaves out */
    enum stack_weight weight;     /* what the options' sample type is about */
    const char *quantity;         /* "alloc_space", ... */
    bool has_report;
    struct report report;
};

/* False with a message, the exit status in `*status`, and nothing to close.  `input` must stay
 * where it is while it is open. */
bool selected_input_open(struct selected_input *input, const struct question *options, int *status);
void selected_input_close(struct selected_input *input);

#endif
