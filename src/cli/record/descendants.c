#include "cli/record/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

enum { MAPS_BYTES = 1 << 18 };

/* The recorder is mapped into what it records; the environment doesn't say so, as the recorder takes
 * itself out of it.  Processes of another recording are found as well. */
static bool is_recorded(const char *pid, char *buffer)
{
    static const char library[] = "/libheaptap-preload.so";
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    ssize_t got = fd >= 0 ? 1 : 0;
    while (got > 0 && size < MAPS_BYTES) {
        got = read(fd, buffer + size, MAPS_BYTES - size);
        size += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return size > 0 && memmem(buffer, size, library, sizeof library - 1);
}

void descendants_find(struct descendants *descendants)
{
    *descendants = (struct descendants){0};
    char *buffer = malloc(MAPS_BYTES);
    DIR *directory = buffer ? opendir("/proc") : NULL;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid() || !is_recorded(entry->d_name, buffer))
            continue;
        if (!ARRAY_RESERVE(&descendants->pids, &descendants->capacity, descendants->count + 1))
            break;
        descendants->pids[descendants->count++] = pid;
    }
    if (directory)
        closedir(directory);
    free(buffer);
}

void descendants_release(struct descendants *descendants)
{
    free(descendants->pids);
}
