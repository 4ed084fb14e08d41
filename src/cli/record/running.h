#ifndef CLI_RECORD_RUNNING_H
#define CLI_RECORD_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

/* Is there such a process? */
bool process_is_running(pid_t pid);

/* Is there a process that has this number, which can be that of a namespace of its own, and writes the file at `path`; NULL:
 * that is recorded?  Where it can't be told, as of another user's, there is; if `is_ours`, only where it began after this
 * process. */
bool process_is_writing(pid_t pid, const char *path, bool is_ours);

/* Has the process the file at `path` open to write it?  So tracers have it that don't map theirs. */
bool process_has_open(pid_t pid, const char *path);

#endif
