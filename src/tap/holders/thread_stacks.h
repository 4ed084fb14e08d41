/* Stacks that libpthread has made, as they lie in memory: at the end of a stack's mapping are the thread's own data (struct pthread),
 * which its thread pointer points to.  Known on x86-64 alone. */
#ifndef TAP_HOLDERS_THREAD_STACKS_H
#define TAP_HOLDERS_THREAD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap/holders/present.h"

/* Where a thread's own data have something, counted from the thread pointer; 0: unknown.  Most of it glibc tells debuggers. */
struct thread_layout {
    uint32_t id; /* int32_t: the thread's number; 0 when it has ended, -1 when it was joined */
    uint32_t is_given; /* bool: the program has given the stack */
    uint32_t result;   /* what the thread returned */
    uint32_t joiner;   /* its own pointer where nobody may join it */
};

/* Whether these are a thread's data: they begin with their own address, and have it again two words on. */
bool thread_stacks_is_pointer(uint64_t at);

/* The thread pointer of whose stack lies in [stack, end), which is the rest of a mapping; 0 where there is none. */
uint64_t thread_stacks_pointer(struct present *present, uint64_t stack, uint64_t end);

/* Where the thread's own data have its number, counted from the thread pointer: as those of a thread have it whose number is known.
 * 0 where none is found. */
uint32_t thread_stacks_id_offset(uint64_t pointer, uint64_t id);

#endif
