/* For adapters that are preloaded: the ends of a process that run no destructor.  What traces have
 * in hand is written before another program takes this one's place, and before _exit, with the time of the end. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap/guest/find.h"
#include "tap/guest/state.h"

#define INTERPOSED __attribute__((visibility("default")))

void (*guest_before_end)(void);

/* The functions that these stand in front of: found when the adapter is loaded.  dlsym may free memory, which in a process that is
 * recorded, too, can't be done any more within its _exit. */
static struct {
    int (*execv)(const char *path, char *const *arguments);
    int (*execve)(const char *path, char *const *arguments, char *const *environment);
    int (*execvp)(const char *file, char *const *arguments);
    int (*execvpe)(const char *file, char *const *arguments, char *const *environment);
    int (*fexecve)(int fd, char *const *arguments, char *const *environment);
    void (*abort)(void) __attribute__((noreturn));
    void (*exit_now)(int status) __attribute__((noreturn));
} next;

static void find(const char *name, void *member)
{
    guest_find(member, RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_all(void)
{
    if (next.exit_now)
        return;
    find("execv", &next.execv);
    find("execve", &next.execve);
    find("execvp", &next.execvp);
    find("execvpe", &next.execvpe);
    find("fexecve", &next.fexecve);
    find("abort", &next.abort);
    find("_exit", &next.exit_now);
}

static void before_end(void)
{
    if (guest_before_end)
        guest_before_end();
    guest_ends();
    find_all();
}

INTERPOSED int execv(const char *path, char *const *arguments)
{
    before_end();
    return next.execv(path, arguments);
}

INTERPOSED int execve(const char *path, char *const *arguments, char *const *environment)
{
    before_end();
    return next.execve(path, arguments, environment);
}

INTERPOSED int execvp(const char *file, char *const *arguments)
{
    before_end();
    return next.execvp(file, arguments);
}

INTERPOSED int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    before_end();
    return next.execvpe(file, arguments, environment);
}

INTERPOSED int fexecve(int fd, char *const *arguments, char *const *environment)
{
    before_end();
    return next.fexecve(fd, arguments, environment);
}

INTERPOSED __attribute__((noreturn)) void _exit(int status)
{
    before_end();
    next.exit_now(status);
}

INTERPOSED __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}

INTERPOSED __attribute__((noreturn)) void abort(void)
{
    before_end();
    next.abort();
}
