/* A snapshot: which block holds the address of which, and which words outside of blocks do.
 *
 * The process is copied by the kernel's clone alone: no handler of pthread_atfork runs, the program gets no SIGCHLD when the copy
 * ends, and its wait() finds no child.  The program goes on as soon as the copy is made.  The copy closes the program's descriptors,
 * looks at its memory and ends; it writes to nothing that it shares with the program.
 *
 * Sizes of blocks are taken from the headers of glibc's malloc: for programs that use another one there is none. */
#ifndef TAP_HOLDERS_SNAPSHOT_H
#define TAP_HOLDERS_SNAPSHOT_H

#include <stdbool.h>

#include "tap/holders/snapshot_options.h"

/* Where a function is that the program has called: its stack pointer, all registers that calls preserve being saved in its frame, and
 * where its caller goes on.  `place` is a struct snapshot_place. */
#ifdef __x86_64__
#define SNAPSHOT_READ_STACK "movq %%rsp, %0"
#else
#define SNAPSHOT_READ_STACK "mov %0, sp"
#endif
#define SNAPSHOT_PLACE(place)                                                                      \
    do {                                                                                           \
        __builtin_unwind_init();                                                                   \
        __asm__ volatile(SNAPSHOT_READ_STACK : "=r"((place).stack));                               \
        (place).start = unwind_start_at_caller();                                                  \
    } while (0)

/* How a snapshot goes on: its process, while that may still be at it. */
struct snapshot {
    int pid; /* 0: none */
};

/* Takes one.  False, with a line said, where the system doesn't let us.  The thread that calls has all signals held meanwhile. */
bool snapshot_take(struct snapshot *snapshot, const struct snapshot_options *options);

/* Whether it has ended; what is left of its process is taken away then. */
bool snapshot_has_ended(struct snapshot *snapshot);

#endif
