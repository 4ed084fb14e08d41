/* A source file, found where it was compiled or below other folders, line by line. */
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

/* Looks for `name`: an absolute one where it says, a relative one below each folder of `folders`
 * (separated by colons) and below their parents; then for its ends, the longest first, below the
 * folders.  False when it is nowhere, or cannot be read. */
bool source_file_open(struct source_file *file, const char *name, const char *folders);
void source_file_release(struct source_file *file);

#endif
