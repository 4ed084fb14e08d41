/* Whether two names, or a name and an open file, lead to one file. */
#ifndef BASE_SAME_FILE_H
#define BASE_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

static inline bool same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

#endif
