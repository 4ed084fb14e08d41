/* How the adapter comes into a Python: it is preloaded, and before the program's main it finds the
 * interpreter in it and puts its hooks in.  Programs without one are left alone.
 *
 * When Python reads its settings, it can choose other allocators than those that stand there
 * (PYTHONMALLOC, PYTHONDEVMODE, -X dev), which drops the hooks.  The next thing that it does then
 * is to set the locale, so that setlocale is the place to put them in again. */
#include <dlfcn.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "guest/python/hooks.h"
#include "guest/python/interpreter.h"
#include "guest/state.h"

#define INTERPOSED __attribute__((visibility("default")))

static bool attached;

static __attribute__((constructor)) void attach(void)
{
    const char *why;
    attached = python_find(&why);
    if (attached)
        hooks_install();
    else if (why)
        guest_tell_failure(why);
}

static __attribute__((destructor)) void detach(void)
{
    if (attached)
        hooks_finish();
}

INTERPOSED char *setlocale(int category, const char *locale)
{
    static char *(*next)(int category, const char *locale);
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "setlocale");
        memcpy(&next, &found, sizeof next);
    }
    if (attached)
        hooks_put_in_again();
    return next(category, locale);
}

/* Another program takes the place of this one, and its memory. */
static void finish(void)
{
    if (attached && trace_is_ours()) {
        hooks_finish();
        guest_flush();
    }
}

INTERPOSED int execv(const char *path, char *const *arguments)
{
    int (*next)(const char *path, char *const *arguments);
    void *found = dlsym(RTLD_NEXT, "execv");
    memcpy(&next, &found, sizeof next);
    finish();
    return next(path, arguments);
}

INTERPOSED int execve(const char *path, char *const *arguments, char *const *environment)
{
    int (*next)(const char *path, char *const *arguments, char *const *environment);
    void *found = dlsym(RTLD_NEXT, "execve");
    memcpy(&next, &found, sizeof next);
    finish();
    return next(path, arguments, environment);
}

/* os._exit, with which the children of multiprocessing end, runs no destructor. */
INTERPOSED __attribute__((noreturn)) void _exit(int status)
{
    static __attribute__((noreturn)) void (*next)(int status);
    void *found = dlsym(RTLD_NEXT, "_exit");
    memcpy(&next, &found, sizeof next);
    if (attached) {
        hooks_finish();
        guest_flush();
    }
    next(status);
}
