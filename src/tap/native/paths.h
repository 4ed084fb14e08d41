/* Where this process is, as the kernel says; without /proc too, as in many a chroot. */
#ifndef TAP_NATIVE_PATHS_H
#define TAP_NATIVE_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* The program's path: of the link, where it was called by one of another name; false and "" where it can't be told. */
bool paths_program(char path[PATH_MAX]);

/* The present folder, likewise. */
bool paths_folder(char path[PATH_MAX]);

#endif
