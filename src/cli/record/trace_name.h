/* Names of the traces that a recording writes: a pattern in which the recorder puts the process's
 * pid for %p, its executable's name for %e, its start time for %t, and % for %%.  A followed
 * process gets `.PID` before the extension where the pattern has no %p, and `-2`, `-3`, ... where
 * the name is taken. */
#ifndef CLI_RECORD_TRACE_NAME_H
#define CLI_RECORD_TRACE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* One trace that was found. */
struct written_trace {
    char *path; /* as short as the user's pattern was */
    int64_t start_us;
    uint64_t pid;
    char *executable;
    bool is_profile; /* a pprof profile */
    bool is_empty;   /* nothing was recorded; of profiles only */
};

struct written_traces {
    struct written_trace *items; /* that of process `first` before others; then by start */
    size_t count, capacity;
};

/* Finds the traces of a recording that began at `since_us` (since the epoch) and whose first
 * process was `first`.  False without memory.  Release them in either case. */
bool written_traces_find(struct written_traces *traces, const char *pattern, int64_t since_us,
                         pid_t first);
void written_traces_release(struct written_traces *traces);

#endif
