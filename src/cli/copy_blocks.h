/* A trace's blocks, or some of them, written to another one under new numbers, with all metadata. */
#ifndef CLI_COPY_BLOCKS_H
#define CLI_COPY_BLOCKS_H

#include "cli/trace_input.h"
#include "cli/trace_output.h"

/* Writes all events of `input`, which is in true order, that are of blocks which `samples_left`
 * gives samples; NULL: of all.  The input has the exit status. */
void copy_blocks(struct trace_input *input, const struct trace_output_options *where,
                 uint64_t (*samples_left)(void *context, const struct heaptap_event *event),
                 void *context);

#endif
