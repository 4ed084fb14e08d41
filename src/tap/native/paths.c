/* By system calls: libc's getcwd may allocate. */
#include "tap/native/paths.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/same_file.h"
#include "tap/inside/executable.h"
#include "tap/inside/text.h"

bool paths_folder(char path[PATH_MAX])
{
    long got = syscall(SYS_getcwd, path, PATH_MAX);
    if (got > 0 && path[0] == '/')
        return true;
    path[0] = 0; /* it was removed, or lies outside of the root */
    return false;
}

static bool is_same_file(const char *left, const char *right)
{
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && same_file(&a, &b);
}

/* Was the program called by a link to it, by which it may go (redis-server, busybox)?  A script is
 * no such link, and a descriptor, as fexecve names it, is no name. */
static bool is_called_otherwise(const char *path, const char *given)
{
    return given && !begins_with(given, "/dev/fd/") && !begins_with(given, "/proc/") &&
           strcmp(path_file(path), path_file(given)) != 0 && is_same_file(path, given);
}

bool paths_program(char path[PATH_MAX])
{
    bool found = executable_path(path, PATH_MAX);
    const char *given = (const char *)getauxval(AT_EXECFN); /* what execve was told */
    if (!given || (found && !is_called_otherwise(path, given)))
        return found;
    char folder[PATH_MAX] = "";
    struct text text;
    text_init(&text, path, PATH_MAX);
    if (given[0] != '/' && paths_folder(folder)) {
        text_add(&text, folder);
        text_add(&text, "/");
    }
    text_add(&text, given);
    return !text.cut;
}
