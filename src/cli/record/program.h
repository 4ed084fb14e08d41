/* The program that is to be run. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

/* The file that a shell would run for `name`, to be freed; NULL with errno when there is none.
 * ENOENT: not found; otherwise what kept the file from being run. */
char *program_find(const char *name);

#endif
