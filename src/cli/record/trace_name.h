/* Names of the traces that a recording writes: a pattern in which the recorder puts the process's
 * pid for %p, its executable's name for %e, its start time for %t, and % for %%.  A followed
 * process gets `.PID` before the extension where the pattern has no %p, and `-2`, `-3`, ... where
 * the name is taken. */
#ifndef CLI_RECORD_TRACE_NAME_H
#define CLI_RECORD_TRACE_NAME_H

#include <stdbool.h>

#define TRACE_NAME_DEFAULT "heaptap.%e.%p.ctf"

/* What is wrong with a pattern, as a clause; NULL when nothing is. */
const char *trace_name_fault(const char *pattern);

/* The pattern with an absolute folder, since the program may change its own; to be freed.  NULL
 * with errno. */
char *trace_name_absolute(const char *pattern);

/* The folder of a pattern, with its slash; to be freed.  Empty for a pattern without one, NULL without
 * memory. */
char *trace_name_folder(const char *pattern);

/* Could the recorder have made the last part of a path, `name`, out of `pattern`'s? */
bool trace_name_matches(const char *pattern, const char *name);

/* Do files of this name hold a pprof profile instead of a trace? */
bool trace_name_is_profile(const char *name);

#endif
