/* A trace's blocks, or some of them, written to another one under new numbers. */
#ifndef CLI_COPY_BLOCKS_H
#define CLI_COPY_BLOCKS_H

#include "cli/trace_input.h"
#include "cli/trace_output.h"

/* Copies all events of `input`, which is in true order, that are of blocks which `samples_left`
 * gives samples; NULL: of all.  False when there is no memory. */
bool copy_blocks(struct trace_input *input, struct trace_output *output,
                 uint64_t (*samples_left)(void *context, const struct heaptap_event *event),
                 void *context);

#endif
