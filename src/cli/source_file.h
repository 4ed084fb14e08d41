/* A source file, line by line.  Which file it is says the trace, which anybody may have written: so it
 * is one below the folders that the user named, or below the present one, and no other. */
#ifndef CLI_SOURCE_FILE_H
#define CLI_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct source_file {
    char *path; /* where it was found */
    char *bytes;
    char **lines; /* without their ends */
    size_t count, capacity;
};

/* Looks for `name`: an absolute one where it says; then below each folder of `list` (separated by
 * colons) and, unless `is_strict`, below the present one, first the whole name, then its ends, the longest first.  What
 * links and ".." lead to has to be a regular file below one of these folders, of 64 MB at most.
 * False when there is none, or it cannot be read. */
bool source_file_open(struct source_file *file, const char *name, const char *list, bool is_strict);

void source_file_release(struct source_file *file);

#endif
