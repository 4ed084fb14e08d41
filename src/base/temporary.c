#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

int temporary_named(char name[PATH_MAX])
{
    if (snprintf(name, PATH_MAX, "%s/heaptap-XXXXXX", folder()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkostemp(name, O_CLOEXEC);
}

/* Not every file system can make a file without a name. */
int temporary_nameless(void)
{
    char name[PATH_MAX];
    int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    fd = temporary_named(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}
