/* Files for what is read more than once, or doesn't fit the memory: in $TMPDIR, else in /tmp. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>

/* The folder that they are in. */
const char *temporary_place(void);

/* A new file, and its name; the caller unlinks it.  -1 with errno. */
int temporary_named(char name[PATH_MAX]);

/* One that vanishes when it is closed.  -1 with errno. */
int temporary_nameless(void);

/* A new folder, for the user alone, and its name.  False with errno. */
bool temporary_folder(char name[PATH_MAX]);

/* Removes it with the files in it, which is not done for folders in it. */
void temporary_folder_remove(const char *name);

#endif
