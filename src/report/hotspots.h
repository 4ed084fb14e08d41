/* The places that allocate most, and the callers that they allocate for.  It needs no model: what it reads is summed up
 * while a trace streams by. */
#ifndef REPORT_HOTSPOTS_H
#define REPORT_HOTSPOTS_H

#include "analyze/hotspots.h"
#include "answer/answer.h"

struct hotspots_question {
    const struct hotspots_options *how;
    const struct estimate *estimate;
    const struct heaptap_trace_info *info; /* NULL for a profile of values */
    const char *trace;                     /* the file's name */
    const char *sample;                    /* of a trace: "alloc_space", ... */
    const char *filter;                    /* "" for none */
    size_t top;                            /* sites at most */
    size_t callers;                        /* below each site at most */
    bool all_callers;                      /* also those that say little */
    bool is_whole;                         /* the trace could be read to its end */
    bool hides_allocators;
};

extern const struct answer_table *const hotspots_tables[]; /* ended by NULL */

/* False when there is no memory. */
bool hotspots_put(struct answer *answer, const struct hotspots *hotspots,
                  const struct hotspots_question *question);

#endif
