/* Processes that a command has left running. */
#ifndef CLI_RECORD_DESCENDANTS_H
#define CLI_RECORD_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct descendants {
    pid_t *pids;
    size_t count, capacity;
};

/* Finds the processes that were started with the trace's name in their environment, or are forks of
 * such: `output` as the recorder was told it.  None where /proc is not to be read.  To be
 * released. */
void descendants_find(struct descendants *descendants, const char *output);
void descendants_release(struct descendants *descendants);

#endif
