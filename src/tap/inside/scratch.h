/* A stack for what needs much of it.  Programs call malloc, fork and posix_spawn on stacks of 4 kB (coroutines, signal
 * handlers); names of files alone are as long. */
#ifndef TAP_INSIDE_SCRATCH_H
#define TAP_INSIDE_SCRATCH_H

#include <stdbool.h>

/* Calls `function` on a stack of its own, of 256 kB, with all signals held.  False, without a call, where there is no
 * memory for one.  Errno stays as it was.  Not for what may return in another way, or fork. */
bool scratch_run(void (*function)(void *context), void *context);

/* The same; without memory on the stack of the caller, which may be too small for it. */
void scratch_run_or_here(void (*function)(void *context), void *context);

#endif
