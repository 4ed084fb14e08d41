#include "cli/record/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

enum { ENVIRONMENT_BYTES = 1 << 18 };

/* What stands in the environment of the command and of its children: the name up to where the
 * children's have a pid.  NULL when there is no memory. */
static char *mark_of(const char *output)
{
    const char *slash = strrchr(output, '/'), *dot = strchr(slash ? slash : output, '.');
    char *mark;
    int size = dot ? (int)(dot - output) : (int)strlen(output);
    return asprintf(&mark, "=%.*s", size, output) < 0 ? NULL : mark;
}

static bool has_mark(const char *pid, const char *mark, char *buffer)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    ssize_t got = fd >= 0 ? 1 : 0;
    while (got > 0 && size < ENVIRONMENT_BYTES) {
        got = read(fd, buffer + size, ENVIRONMENT_BYTES - size);
        size += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return size > 0 && memmem(buffer, size, mark, strlen(mark));
}

void descendants_find(struct descendants *descendants, const char *output)
{
    *descendants = (struct descendants){0};
    char *mark = mark_of(output), *buffer = malloc(ENVIRONMENT_BYTES);
    DIR *directory = mark && buffer ? opendir("/proc") : NULL;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid() || !has_mark(entry->d_name, mark, buffer))
            continue;
        if (!ARRAY_RESERVE(&descendants->pids, &descendants->capacity, descendants->count + 1))
            break;
        descendants->pids[descendants->count++] = pid;
    }
    if (directory)
        closedir(directory);
    free(buffer);
    free(mark);
}

void descendants_release(struct descendants *descendants)
{
    free(descendants->pids);
}
