/* Traces that their process still writes, while a command reads them. */
#ifndef CLI_GROWING_H
#define CLI_GROWING_H

#include "heaptap/trace.h"

enum trace_growth {
    TRACE_STAYS,
    TRACE_UNFINISHED, /* nobody writes it, and nobody has finished it: so far as is known when it is opened */
    TRACE_MAY_GROW, /* another user's process can't be asked */
    TRACE_GROWS
};

/* Asked as the trace at `path`, "-" for standard input, is opened: its process may end while it is read. */
enum trace_growth trace_growth(const struct heaptap_reader *reader, const char *path);

/* A reader that has come to its end of a trace that grew, or is unfinished, gets a record of HEAPTAP_STOPPED, so that copies have it, too;
 * unless it has met the end of its recording. */
void growing_end(struct heaptap_reader *reader, enum trace_growth growth);

#endif
