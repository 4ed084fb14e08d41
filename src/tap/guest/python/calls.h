/* The calls of a Python program that are under way.
 *
 * Used while the interpreter's lock is held. */
#ifndef TAP_GUEST_PYTHON_CALLS_H
#define TAP_GUEST_PYTHON_CALLS_H

#include "tap/guest/python/places.h"
#include "heaptap/guest.h"

/* Makes `self`, which nobody else touches, equal to the calls under way; returns the location. */
uint32_t calls_walk(struct places *places, struct heaptap_guest_thread *self);

/* The same for another `self`, which is walked seldom: all calls are looked at. */
uint32_t calls_walk_all(struct places *places, struct heaptap_guest_thread *self);

/* The stack that was walked last is that of another recording. */
void calls_forget(void);

#endif
