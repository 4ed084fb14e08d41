/* By system calls: libc's getcwd may allocate. */
#include "record/paths.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inside/text.h"

bool paths_folder(char path[PATH_MAX])
{
    long got = syscall(SYS_getcwd, path, PATH_MAX);
    if (got > 0 && path[0] == '/')
        return true;
    path[0] = 0; /* it was removed, or lies outside of the root */
    return false;
}

bool paths_program(char path[PATH_MAX])
{
    ssize_t got = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[got > 0 ? got : 0] = 0;
    const char *given = (const char *)getauxval(AT_EXECFN); /* what execve was told */
    if (got > 0 || !given)
        return got > 0;
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
