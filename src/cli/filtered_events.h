/* A trace's events, those of blocks that pass a filter.  Which blocks do is known when all of the
 * trace has been read, so with a filter it is read several times (profile/passing_blocks.h); without one, once. */
#ifndef CLI_FILTERED_EVENTS_H
#define CLI_FILTERED_EVENTS_H

#include "cli/input_files.h"
#include "cli/trace_input.h"
#include "profile/model.h"
#include "profile/passing_blocks.h"

struct filtered_events {
    struct trace_input input;
    bool is_filtered;
    struct passing_blocks blocks;
    uint32_t *shared; /* by domain: frames that allocations held back since the last one given have
                         all shared; UINT32_MAX for none held back */
    int64_t
        end_us; /* by filtered_events_next_many, with a filter: when the latest event was, passing or not */
};

/* `how` says what is asked of the events.  `model`: of the same trace, to say which clause nothing matches; NULL for none.  False with a message, the exit status in `*status`, and
 * nothing to close. */
bool filtered_events_open(struct filtered_events *events, const struct input_names *files,
                          const struct filter *filter, const struct heaptap_reader_options *how,
                          const struct model *model, int *status);
void filtered_events_close(struct filtered_events *events);

/* The same of a trace that is open, in true order and with stacks where there is a filter, else as `how` says; nothing of it has been
 * read.  It is taken over, and closed where this fails. */
bool filtered_events_begin(struct filtered_events *events, const struct trace_input *input,
                           const struct filter *filter, const struct heaptap_reader_options *how,
                           const struct model *model, int *status);

/* All events have been read: the same from the first on, of a file that can be read again.  False with a message and the status;
 * it is to be closed in either case. */
bool filtered_events_again(struct filtered_events *events, const struct heaptap_reader_options *how,
                           int *status);

/* As trace_input_next, without HEAPTAP_EXIT.  stack_shared and common_prefix tell of the domain's previous allocation
 * among those given. */
bool filtered_events_next(struct filtered_events *events, struct heaptap_event *event);

/* Of the next `max` events, those that pass, where some do; 0 at the end. */
size_t filtered_events_choose_many(struct filtered_events *events, struct heaptap_event *passing,
                                   size_t max);

/* As trace_input_next_many, where stacks are skipped. */
static inline size_t filtered_events_next_many(struct filtered_events *events,
                                               struct heaptap_event *passing, size_t max)
{
    return events->is_filtered ? filtered_events_choose_many(events, passing, max)
                               : trace_input_next_many(&events->input, passing, max);
}

#endif
