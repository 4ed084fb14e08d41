/* A trace's block groups under a filter, for which all of it is read into a model. */
#ifndef CLI_FILTERED_GROUPS_H
#define CLI_FILTERED_GROUPS_H

#include "pprof/write/block_choice.h"
#include "cli/trace_input.h"

struct filtered_groups {
    struct model *model;
    struct selection selection;
    struct frame_source frames; /* what the filter leaves of them */
    struct block_groups groups;
};

/* Reads `input`, opened in true order, to its end.  False with a message, the exit status in
 * `*status`, and nothing to release.  `filtered` must stay where it is. */
bool filtered_groups_read(struct filtered_groups *filtered, struct trace_input *input,
                          const struct filter *filter, int *status);
void filtered_groups_release(struct filtered_groups *filtered);

#endif
