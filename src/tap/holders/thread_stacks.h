/* Stacks that libpthread has made, as they lie in memory: at the end of a stack's mapping are the thread's own data (struct pthread),
 * which its thread pointer points to.  Known on x86-64 alone. */
#ifndef TAP_HOLDERS_THREAD_STACKS_H
#define TAP_HOLDERS_THREAD_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "tap/holders/present.h"
#include "tap/holders/snapshot_options.h"

/* The thread pointer of whose stack lies in [stack, end), which is the rest of a mapping; 0 where there is none. */
uint64_t thread_stacks_pointer(struct present *present, uint64_t stack, uint64_t end);

/* Where the thread's own data have its number, counted from the thread pointer: as those of a thread have it whose number is known.
 * 0 where none is found. */
size_t thread_stacks_id_offset(uint64_t pointer, uint64_t id);

#endif
