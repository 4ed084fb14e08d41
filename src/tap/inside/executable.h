/* The file of the program that runs. */
#ifndef TAP_INSIDE_EXECUTABLE_H
#define TAP_INSIDE_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Its path in `size` bytes, cut where it is longer; false, with "" there, where /proc does not say it. */
static inline bool executable_path(char *path, size_t size)
{
    ssize_t got = readlink("/proc/self/exe", path, size - 1);
    path[got > 0 ? got : 0] = 0;
    return got > 0;
}

#endif
