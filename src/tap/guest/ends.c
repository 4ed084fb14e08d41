/* For adapters that are preloaded: the ends of a process that run no destructor.  What traces have
 * in hand is written before another program takes this one's place, and before _exit, with the time of the end. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap/guest/state.h"

#define INTERPOSED __attribute__((visibility("default")))

void (*guest_before_end)(void);

static void *next_of(const char *name)
{
    if (guest_before_end)
        guest_before_end();
    guest_ends();
    return dlsym(RTLD_NEXT, name);
}

INTERPOSED int execv(const char *path, char *const *arguments)
{
    int (*next)(const char *path, char *const *arguments);
    void *found = next_of("execv");
    memcpy(&next, &found, sizeof next);
    return next(path, arguments);
}

INTERPOSED int execve(const char *path, char *const *arguments, char *const *environment)
{
    int (*next)(const char *path, char *const *arguments, char *const *environment);
    void *found = next_of("execve");
    memcpy(&next, &found, sizeof next);
    return next(path, arguments, environment);
}

INTERPOSED int execvp(const char *file, char *const *arguments)
{
    int (*next)(const char *file, char *const *arguments);
    void *found = next_of("execvp");
    memcpy(&next, &found, sizeof next);
    return next(file, arguments);
}

INTERPOSED int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    int (*next)(const char *file, char *const *arguments, char *const *environment);
    void *found = next_of("execvpe");
    memcpy(&next, &found, sizeof next);
    return next(file, arguments, environment);
}

INTERPOSED int fexecve(int fd, char *const *arguments, char *const *environment)
{
    int (*next)(int fd, char *const *arguments, char *const *environment);
    void *found = next_of("fexecve");
    memcpy(&next, &found, sizeof next);
    return next(fd, arguments, environment);
}

INTERPOSED __attribute__((noreturn)) void _exit(int status)
{
    __attribute__((noreturn)) void (*next)(int status);
    void *found = next_of("_exit");
    memcpy(&next, &found, sizeof next);
    next(status);
}

INTERPOSED __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}

INTERPOSED __attribute__((noreturn)) void abort(void)
{
    __attribute__((noreturn)) void (*next)(void);
    void *found = next_of("abort");
    memcpy(&next, &found, sizeof next);
    next();
}
