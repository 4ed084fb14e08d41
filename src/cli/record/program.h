/* The program that is to be recorded: where it is, and whether a preload library can reach it. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* The file that a shell would run for `name`, to be freed; NULL with errno when there is none.
 * ENOENT: not found; otherwise what kept the file from being run. */
char *program_find(const char *name);

struct program_verdict {
    bool reachable; /* nothing is known that keeps the recorder out */
    bool disturbed; /* LD_PRELOAD would break the program, or make its loader complain */
    char why[512];  /* where not reachable: a clause with the program as its subject */
};

/* Looks at the program's file, or its interpreter's where it is a script: header, loader, mode,
 * capabilities.  `library` is the file that would be preloaded. */
void program_judge(const char *path, const char *library, struct program_verdict *verdict);

#endif
