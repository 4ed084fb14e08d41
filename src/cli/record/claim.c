/* The claim is a socket's name without a file, which the kernel forgets with the process: no file
 * is left behind, not even by SIGKILL, and none is made where the program then writes none. */
#include "cli/record/claim.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/record/trace_name.h"

enum { NAME_END = 48 };

static bool differs_by_process(const char *pattern)
{
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%'))
        if (at[1] == 'p' || at[1] == 't')
            return true;
    return false;
}

/* The folder by its number and the last part of the name by its length and end: a folder has many
 * paths, and a socket's name has little room. */
static bool name_claim(struct sockaddr_un *name, socklen_t *size, const char *pattern)
{
    struct stat folder;
    const char *last = strrchr(pattern, '/') + 1;
    size_t length = strlen(last);
    char *path = trace_name_folder(pattern);
    bool known = path && stat(path, &folder) == 0;
    free(path);
    if (!known)
        return false;
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int used = snprintf(name->sun_path + 1, sizeof name->sun_path - 1,
                        "heaptap %" PRIx64 " %" PRIx64 " %zx %s", (uint64_t)folder.st_dev,
                        (uint64_t)folder.st_ino, length,
                        length > NAME_END ? last + length - NAME_END : last);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used);
    return *size <= sizeof *name;
}

bool claim_output(const char *pattern)
{
    struct sockaddr_un name;
    socklen_t size;
    if (differs_by_process(pattern))
        return true;
    char *target = realpath(pattern, NULL); /* a link's */
    bool known = name_claim(&name, &size, target ? target : pattern);
    free(target);
    if (!known)
        return true;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, size) == 0)
        return true; /* a bound one stays open */
    bool is_free = errno != EADDRINUSE;
    close(fd);
    return is_free;
}
