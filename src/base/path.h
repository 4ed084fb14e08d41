/* Names of files, as texts. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <string.h>

/* The part of a path behind its last slash; borrowed from it. */
static inline const char *path_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
