/* The folder into which watched processes put their reports, and what is found there afterwards. */
#ifndef CLI_MEMTRACER_RESULTS_H
#define CLI_MEMTRACER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profile/guest_profile.h"

/* Makes the folder: in memory where that is to be had, unless there will be traces in it, which can be large.  NULL, with
 * a message; to be freed. */
char *results_folder_make(bool has_traces);

/* Removes it with all that is in it, or all but the traces. */
void results_folder_remove(const char *folder, bool keep_traces);

struct results {
    struct guest_profile *processes; /* that of `first` before the others, which come by start */
    size_t count;
};

/* Reads all reports.  Prints what can't be read, and the notes that processes left, on stderr, unless
 * `quiet`.  False, with a message, when there is no memory.  To be released. */
bool results_read(struct results *results, const char *folder, pid_t first, bool quiet);
void results_release(struct results *results);

#endif
