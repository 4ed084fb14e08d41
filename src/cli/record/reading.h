/* Reads what a recording left into what its answer is made of (report/info/recording.h). */
#ifndef CLI_RECORD_READING_H
#define CLI_RECORD_READING_H

#include <stdbool.h>

#include "cli/record/trace_name.h"
#include "report/info/recording.h"

struct expectation;

/* Adds the process of a finished trace or profile; one that is still running is only named.  `is_named`: names may be looked up;
 * `is_raw`: they could not be written into it.  Without memory the process is left out. */
void reading_add(struct recording *recording, const struct written_trace *trace, bool is_named,
                 bool is_running, bool is_raw);

/* What all processes that have ended allocated together, and the highest peak of one.  False where nothing was recorded. */
bool reading_sum(const struct recording *recording, struct expectation *sum);

#endif
