/* The profiles of intervals that recorders leave in a folder: taken away as they come, in their
 * order, with the process that each is of.
 *
 * A process has the file PID.pb (PID-2.pb after an exec), which is empty, and leaves PID.pb.1,
 * PID.pb.2, ... beside it (src/tap/record/profile.h).  What it was gathering when it ended, however that
 * was, becomes a last one. */
#ifndef CLI_RECORD_INTERVALS_H
#define CLI_RECORD_INTERVALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/record/known_lines.h"

enum { INTERVAL_NAME_MAX = 63 };

struct interval_process {
    char name[INTERVAL_NAME_MAX + 1]; /* "1234.pb" */
    pid_t pid;
    unsigned number;    /* the lowest that no other process had when this one began, from 1 on */
    bool has_profiles;  /* one at least has come */
    unsigned long last; /* the number of the last one */
    struct known_lines lines;
};

struct interval {
    const struct interval_process *process; /* NULL: only `error` counts */
    struct model *model;                    /* with names; borrowed */
    const char *program;                    /* its path, or that of the script that it runs */
    unsigned long number;                   /* of the process's, from 1 on */
    struct heaptap_error error;             /* HEAPTAP_OK, or the profile could not be read */
};

struct intervals {
    char *folder;
    const struct symbolizer_options *symbols; /* NULL: addresses stay */
    void (*take)(void *context, const struct interval *interval);
    void *context;
    struct interval_process **processes;
    size_t count, capacity;
    bool are_unnamed; /* names could not be looked up, which was said */
    size_t met;       /* processes that profiles have come of */
};

/* Makes the folder; all else is set by the caller.  HEAPTAP_SYSTEM where that fails. */
enum heaptap_status intervals_begin(struct intervals *intervals,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The pattern of names for recorders; malloc'ed, NULL when there is no memory. */
char *intervals_pattern(const struct intervals *intervals);

/* Takes what has come, and of processes that are known and have ended, the rest.  False when there is no memory. */
bool intervals_collect(struct intervals *intervals);

/* Removes the folder.  Returns how many processes besides `ended` are still running: they are
 * recorded no more. */
size_t intervals_end(struct intervals *intervals, pid_t ended);

#endif
