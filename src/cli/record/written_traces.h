/* The files that the processes of a recording have written. */
#ifndef CLI_RECORD_WRITTEN_TRACES_H
#define CLI_RECORD_WRITTEN_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Finds the traces of this process's recording, which began at `since_us` (since the epoch), and whose first process was `first`: another may
 * write files of such names into the folder at the same time.  False without memory.  Release them in either case. */
bool written_traces_find(struct written_traces *traces, const char *pattern, int64_t since_us,
                         pid_t first);
void written_traces_release(struct written_traces *traces);

#endif
