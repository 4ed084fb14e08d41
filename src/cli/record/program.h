/* The program that is to be run. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

/* The file that a shell would run for `name`, to be freed; NULL with errno when there is none.
 * ENOENT: not found; otherwise what kept the file from being run. */
char *program_find(const char *name);

/* The file that is executed for the one at `path`: itself without links, or if it is a script, its interpreter, or the one that
 * env(1) finds for it.  To be freed; NULL where there is none. */
char *program_behind(const char *path);

#endif
