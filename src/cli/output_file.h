/* A file that appears in its place only when it is complete. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>

struct output_file {
    int fd;          /* to write to; -1 when closed */
    char *target;    /* where a complete file goes, symbolic links resolved; NULL where it is
                        written in place */
    char *temporary; /* its name until then */
};

/* Opens `path`, "-" for standard output.  A regular file, or one that isn't there yet, is written
 * beside its place, with the permissions of the one that it replaces; anything else (a pipe, what
 * is under /dev) in place.  A terminal is refused with ENOTTY, a fleet's store with EMEDIUMTYPE, a file that the command is given
 * to read with ENOTUNIQ, a trace, which what is no trace would replace, with EEXIST.  0, or an errno; then there is nothing
 * to release. */
int output_file_open(struct output_file *file, const char *path);

/* The same for traces, and for what may take the place of the file that it is made of. */
int output_file_open_over(struct output_file *file, const char *path);

/* ENOTUNIQ or EEXIST where the file at `path` is one that output_file_open doesn't replace; else 0. */
int output_file_spares(const char *path);

/* Whether a file could be opened or made at `path`, which nothing is done to: 0, or an errno.  For
 * commands that first run a program, whose results would be lost. */
int output_file_check(const char *path);

/* Says why `path` can't be written to; ENOTTY: that `what` ("a trace") is not for the terminal.
 * Returns the exit status for that. */
int output_file_fail(const char *path, const char *what, int code);

/* Moves the file into its place.  0, or an errno.  Release it in either case. */
int output_file_commit(struct output_file *file);

/* Closes it; what has not been committed is removed. */
void output_file_release(struct output_file *file);

/* Would committing replace the file at `path`? */
bool output_file_replaces(const struct output_file *file, const char *path);

#endif
