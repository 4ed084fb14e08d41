/* One recording at a time into a file. */
#ifndef CLI_RECORD_CLAIM_H
#define CLI_RECORD_CLAIM_H

#include <stdbool.h>

/* Claims the file that an absolute pattern (trace_name.h) names, until this process ends.  False
 * where another process has claimed it.  A pattern with %p or %t is free for all: its names differ.
 * Where claiming is not possible, nothing is claimed, and the answer is true. */
bool claim_output(const char *pattern);

#endif
