/* Reads what a recording left into what its answer is made of (report/info/recording.h). */
#ifndef CLI_RECORD_READING_H
#define CLI_RECORD_READING_H

#include <stdbool.h>

#include "cli/record/written_traces.h"
#include "report/info/recording.h"
#include "report/report.h"

struct expectation;

/* Adds the process of a finished trace or profile; one that is still running is only named.  `is_named`: names may be looked up;
 * `is_raw`: they could not be written into it.  Without memory the process is left out. */
void reading_add(struct recording *recording, const struct written_trace *trace, bool is_named,
                 bool is_running, bool is_raw);

/* The module to which a notable part of what a report selected belongs, and whose functions have no names.  NULL for none; borrowed from the
 * report. */
const char *reading_nameless(const struct report *report);

/* What all processes that have ended allocated together, and the highest peak of one.  False where nothing was recorded. */
bool reading_sum(const struct recording *recording, struct expectation *sum);

#endif
