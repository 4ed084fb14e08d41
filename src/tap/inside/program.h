/* What a file is that is about to be executed: whether a library can be preloaded into it.
 *
 * Runs in programs that start others, in the child of a vfork even: no memory is allocated, no lock
 * taken, nothing kept. */
#ifndef TAP_INSIDE_PROGRAM_H
#define TAP_INSIDE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum program_kind {
    PROGRAM_REACHABLE, /* nothing is known that keeps a library out */
    PROGRAM_STATIC,    /* it has no loader */
    PROGRAM_FOREIGN,   /* of another architecture or C library: its loader would fail or complain */
    PROGRAM_SECURE,    /* set-user-ID and the like: its loader ignores preloaded libraries */
    PROGRAM_SANITIZED, /* it has a sanitizer's runtime, which wants to come first */
    PROGRAM_CRAMPED,   /* under this process's limits it would lack what recording takes */
};

struct program_verdict {
    enum program_kind kind;
    char why[768]; /* where not reachable: a clause with the program as its subject */
};

/* The file that a shell would run for `name`, looked for in the folders of `search` (the value of
 * PATH; NULL: the usual ones) if it has no slash.  False with errno where there is none: ENOENT,
 * not found; otherwise what kept the file from being run. */
bool program_search(const char *name, const char *search, char path[PATH_MAX]);

/* Looks at the file, or its interpreter's where it is a script.  `search` as above, for what env(1)
 * is to find.  One that can't be read is taken as reachable. */
void program_judge(const char *path, const char *search, struct program_verdict *verdict);

/* The same for an open file, which `path` names in the verdict. */
void program_judge_fd(int fd, const char *path, const char *search,
                      struct program_verdict *verdict);

/* Whether a program that has this process's limits would lack the memory that recording takes: a clause with the program as
 * its subject, and a blank before it; NULL: no. */
const char *program_lacks_room(bool every_block);

/* Whether a value of LD_PRELOAD names a sanitizer's runtime, which wants to come first. */
bool program_preloads_sanitizer(const char *preload);

#endif
