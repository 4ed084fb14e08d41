/* The files that a command is given to read: what it writes does not replace them. */
#ifndef CLI_GIVEN_FILES_H
#define CLI_GIVEN_FILES_H

#include <stdbool.h>

/* An argument of the command line, which lives as long as the command.  It may be no file: a clause of a filter. */
void given_files_add(const char *path);

/* Is it one of them, whatever it is called, or one that is read of a folder among them? */
bool given_files_have(const char *path);

#endif
