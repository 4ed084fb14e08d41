/* How the adapter comes into a Python: it is preloaded, and before the program's main it finds the
 * interpreter in it and puts its hooks in.  Programs without one are left alone. */
#include "guest/python/hooks.h"
#include "guest/python/interpreter.h"

static __attribute__((constructor)) void attach(void)
{
    const char *why;
    if (python_find(&why))
        hooks_install();
}

static __attribute__((destructor)) void detach(void)
{
    hooks_finish();
}
