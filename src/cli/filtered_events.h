/* A trace's events, those of blocks that pass a filter.  Which blocks do is known when all of the
 * trace has been read, so with a filter it is read several times (profile/passing_blocks.h); without one, once. */
#ifndef CLI_FILTERED_EVENTS_H
#define CLI_FILTERED_EVENTS_H

#include "cli/trace_input.h"
#include "profile/passing_blocks.h"

struct filtered_events {
    struct trace_input input;
    bool is_filtered;
    struct passing_blocks blocks;
    uint32_t *shared; /* by domain: frames that allocations held back since the last one given have
                         all shared; UINT32_MAX for none held back */
};

/* `how` says what is asked of the events.  False with a message, the exit status in `*status`, and
 * nothing to close. */
bool filtered_events_open(struct filtered_events *events, const char *path,
                          const struct filter *filter, const struct heaptap_reader_options *how,
                          int *status);
void filtered_events_close(struct filtered_events *events);

/* As trace_input_next.  stack_shared and common_prefix tell of the domain's previous allocation
 * among those given. */
bool filtered_events_next(struct filtered_events *events, struct heaptap_event *event);

#endif
