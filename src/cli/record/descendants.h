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

/* Finds the processes that are being recorded, those of other recordings included.  None where /proc
 * can't be read.  To be released. */
void descendants_find(struct descendants *descendants);
void descendants_release(struct descendants *descendants);

#endif
