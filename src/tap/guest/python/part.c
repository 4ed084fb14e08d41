/* Recording a part of a run, a test: a program that loads the adapter itself, as heaptap's pytest plugin does, says from where
 * to where.  Each part has a trace of its own, which has the blocks that were allocated in it.
 *
 * These are called through ctypes, with the interpreter's lock held. */
#include <stddef.h>
#include <stdint.h>

#include "tap/guest/python/announced.h"
#include "tap/guest/python/hooks.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/seen.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *heaptap_python_prepare(void);
EXPORTED const char *heaptap_python_begin(const char *trace);
EXPORTED void heaptap_python_stop(void);
EXPORTED uint64_t heaptap_python_left(void);
EXPORTED void heaptap_python_end(const char *name, const char *limits);

/* To be called early: extensions that are loaded later announce their memory to us.  NULL, or a sentence why nothing can be
 * recorded. */
const char *heaptap_python_prepare(void)
{
    const char *why;
    if (!python_find(&why))
        return why ? why : "there is no CPython in this process";
    if (heaptap_guest_is_watched(&tap.heap))
        return "it is being recorded already";
    tap.over = true;
    announced_replace();
    return NULL;
}

/* Begins a part, with every block and whole stacks, and a trace as the file.  NULL, or a sentence why nothing is
 * recorded. */
const char *heaptap_python_begin(const char *trace)
{
    const struct heaptap_guest_request request = {.trace = trace, .rate = 1, .stacks = true};
    const char *why;
    return hooks_begin_part(&request, &why) ? NULL : why;
}

/* The part allocates nothing more; what it has left may be collected. */
void heaptap_python_stop(void)
{
    hooks_stop_part();
}

/* How many bytes of the part are alive. */
uint64_t heaptap_python_left(void)
{
    return hooks_part_left();
}

/* Ends the part: its trace is whole, and says that it is that of a test with these limits (heaptap/test.h). */
void heaptap_python_end(const char *name, const char *limits)
{
    hooks_end_part(name, limits);
}
