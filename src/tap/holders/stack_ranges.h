/* Stacks of threads in mappings, of which the kernel makes one where several have no guard between them.
 *
 * libpthread keeps a stack for the next thread when its own has ended.  What lies there is nobody's: not what functions have left, nor
 * what the thread's data still have, such as the argument that it was begun with; but for what it returned, which may yet be asked for
 * where nobody has joined it.  A stack that the program has given is the program's own memory. */
#ifndef TAP_HOLDERS_STACK_RANGES_H
#define TAP_HOLDERS_STACK_RANGES_H

#include "tap/holders/maps.h"
#include "tap/holders/present.h"
#include "tap/holders/thread_stacks.h"

/* Each stack gets a mapping of its own; those of threads that have ended are left out of what is a root.  To be called after
 * maps_sort, which is to be called again. */
void stack_ranges_tell_apart(struct maps *maps, struct present *present,
                             const struct thread_layout *layout);

#endif
