#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *temporary_place(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static bool make_name(char name[PATH_MAX])
{
    if (snprintf(name, PATH_MAX, "%s/heaptap-XXXXXX", temporary_place()) < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

int temporary_named(char name[PATH_MAX])
{
    return make_name(name) ? mkostemp(name, O_CLOEXEC) : -1;
}

/* Not every file system can make a file without a name. */
int temporary_nameless(void)
{
    char name[PATH_MAX];
    int fd = open(temporary_place(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    fd = temporary_named(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

bool temporary_folder(char name[PATH_MAX])
{
    return make_name(name) && mkdtemp(name);
}

void temporary_folder_remove(const char *name)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(name);
}
