/* Which of a recording's traces gets the name that was asked for. */
#ifndef CLI_RECORD_NAMING_H
#define CLI_RECORD_NAMING_H

#include "cli/record/written_traces.h"

/* The one in which process `first` ended, or the only one there is; NULL where it left none. */
struct written_trace *naming_last(struct written_traces *traces, pid_t first);

/* Gives one of them this name, and puts it before the others.  Another of them that has the name gets its name instead; a file
 * that is none of them keeps it. */
void naming_give(struct written_traces *traces, struct written_trace *trace, const char *name);

#endif
