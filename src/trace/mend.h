/* Turns a trace with regions (docs/trace-format.md, section 4.4) into one without, which every reader of
 * the format takes. */
#ifndef TRACE_MEND_H
#define TRACE_MEND_H

#include "heaptap/status.h"

/* No process may write the trace at `path` any more.  A trace without regions, one that is
 * compressed, or one whose rate was halved is left alone.  On failure, HEAPTAP_BAD_INPUT for a damaged one included, it stays as it was. */
enum heaptap_status trace_mend(const char *path, struct heaptap_error *error);

#endif
