/* A trace's blocks, or some of them, written to another one under new numbers, with all metadata. */
#ifndef CLI_COPY_BLOCKS_H
#define CLI_COPY_BLOCKS_H

#include "cli/trace_input.h"
#include "cli/trace_output.h"

/* Which blocks are kept. */
struct copy_choice {
    /* How many samples of an allocation; with 0 the block is left out. */
    uint64_t (*samples_left)(void *context, const struct heaptap_event *event);
    /* Writes what there is to say of the whole, behind the metadata. */
    void (*tell)(void *context, struct trace_output *output, const struct heaptap_reader *reader);
    void *context;
};

/* Writes all events of `input`, which is in true order, that are of blocks which are chosen; NULL: of all.  The input has the exit
 * status. */
void copy_blocks(struct trace_input *input, const struct trace_output_options *where,
                 const struct copy_choice *choice);

#endif
