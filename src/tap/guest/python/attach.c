/* How the adapter comes into a Python: it is preloaded, and before the program's main it finds the
 * interpreter in it and puts its hooks in.  Programs without one are left alone.
 *
 * When Python reads its settings, it can choose other allocators than those that stand there
 * (PYTHONMALLOC, PYTHONDEVMODE, -X dev), which drops the hooks.  The next thing that it does then
 * is to set the locale, so that setlocale is the place to put them in again. */
#include <dlfcn.h>
#include <locale.h>
#include <stdbool.h>

#include "tap/guest/find.h"
#include "tap/guest/python/hooks.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/state.h"

#define INTERPOSED __attribute__((visibility("default")))

static bool attached;

static __attribute__((constructor)) void attach(void)
{
    const char *why;
    attached = python_find(&why);
    if (attached) {
        hooks_install();
        guest_before_end = hooks_finish;
    } else if (why)
        guest_tell_failure(why);
}

static __attribute__((destructor)) void detach(void)
{
    if (attached)
        hooks_finish();
}

static char *(*next_setlocale)(int category, const char *locale);

static __attribute__((noinline)) void before_setlocale(void)
{
    if (!next_setlocale)
        guest_find(&next_setlocale, RTLD_NEXT, "setlocale");
    if (attached)
        hooks_put_in_again();
}

/* It is left by a jump, so that what libc's allocates is called for by the program, and not by us. */
INTERPOSED char *setlocale(int category, const char *locale)
{
    before_setlocale();
    return next_setlocale(category, locale);
}
