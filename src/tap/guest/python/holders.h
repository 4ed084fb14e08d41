/* A snapshot of through what Python's objects are held (tap/holders/snapshot.h), by the interpreter's own means: what each object
 * refers to, as the garbage collector sees it, from the variables of modules on. */
#ifndef TAP_GUEST_PYTHON_HOLDERS_H
#define TAP_GUEST_PYTHON_HOLDERS_H

#include "heaptap/guest.h"

/* Takes it where it is asked for.  The interpreter's lock is held, the recording has ended, and all modules are still there. */
void holders_take(const struct heaptap_guest *heap);

#endif
