/* Graphviz's dot, as a program of its own: lays out graphs and draws them. */
#ifndef CLI_DOT_PROGRAM_H
#define CLI_DOT_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

/* Writes what `print` prints to `path` (NULL or "-": standard output), drawn by dot as `kind`
 * ("svg", "png"), or as it is where that is NULL.  `print` returns false when there is no memory.
 * Returns an exit status, after a message for a failure. */
int dot_program_write(const char *path, const char *kind, bool (*print)(void *context, FILE *file),
                      void *context);

#endif
