/* The call stack of the running thread, taken from inside a malloc hook.
 *
 * Nothing here allocates with malloc, takes a lock, prints or changes errno; every function but
 * unwind_modules_init and unwind_modules_changed may be called anywhere, signal handlers included.
 * Where the next caller can't be known, the stack ends there and says so; in code without tables
 * (framed_x86_64.c) it is known where the words above the stack pointer bear out what rbp says.
 *
 * What is reported.  Stacks are caller first: addresses[0] belongs to the outermost function, the
 * last one to the function that called the hook.  Each address lies inside an instruction of the
 * frame's function and is to be looked up as it is: for a call it is the return address minus 1
 * (the last byte of the call), where a signal interrupted it is that instruction, and for the
 * signal trampoline it is the address the handler returns to.
 *
 * Back ends, one chosen by the build: x86_64 follows the tables of .eh_frame, compiled page by page
 * (walk_x86_64.c); aarch64 follows frame records (walk_aarch64.c). */
#ifndef TAP_UNWIND_UNWIND_H
#define TAP_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap/inside/unwind_start.h"

/* ---- Modules --------------------------------------------------------------------------------- */

/* To be called once, early, at a moment at which the caller holds no lock (a library's
 * constructor): the modules present now are taken never to be unloaded unless
 * unwind_modules_changed says so.  Without this call stacks are the same, and a little slower. */
void unwind_modules_init(void);

/* To be called around the program's dlopen and dlclose: `closing` before dlclose, `changed` after
 * either, holding no lock. With glibc 2.35 or newer every change is noticed without them too (at a
 * cost per capture for the modules concerned, which stays); with an older libc stacks end at
 * modules opened since, and these calls are needed. */
void unwind_modules_closing(void);
void unwind_modules_changed(void);

/* A word that changes, at the latest, when the block of malloc's at `block` is freed, and never is
 * what it was again; 0 or NULL where there is none, or no such block any more.  Once there is a
 * word it stays readable. */
typedef const uint64_t *unwind_block_word(const void *block);

/* To be called once, before any stack is taken: says which function knows such words.  Modules that may be unloaded
 * then cost a load where they cost a look at their headers else. */
void unwind_modules_watch(unwind_block_word *word_of);

/* Some block was freed whose word did not change. */
void unwind_modules_unwatched(void);

/* ---- A thread's state ------------------------------------------------------------------------ */

/* Belongs to one thread.  It remembers the previous stack and the unwinding rules of recent
 * addresses. */
struct unwind_thread;

/* Bytes needed for stacks of at most `max_frames` frames. */
size_t unwind_thread_size(uint32_t max_frames);

/* Makes a state in `memory`, which holds unwind_thread_size(max_frames) bytes, aligned to 16.  It
 * needs no release; the memory is the caller's.  `max_frames` is at least 1.  To be called on the
 * thread itself or before it runs.  In a forked child the state of the thread that forked goes on
 * being valid; it should be kept. */
struct unwind_thread *unwind_thread_init(void *memory, uint32_t max_frames);

/* Forgets the previous stack: the next one is taken from scratch and shares nothing. */
void unwind_thread_forget(struct unwind_thread *thread);

/* What stands in memory before the first address of each of the thread's stacks. */
void unwind_thread_set_mark(struct unwind_thread *thread, uint64_t mark);

/* ---- Taking a stack -------------------------------------------------------------------------- */

struct unwind_stack {
    const uint64_t *addresses; /* caller first; borrowed until the next capture of this thread */
    uint32_t length;
    uint32_t shared; /* this many of the outermost addresses, at least, equal those of this thread's
                        previous capture */
    bool truncated;  /* there are further callers: more than max_frames, or not to be found out */
};

/* Takes the stack that begins at `start`; where it has more than max_frames frames, the innermost
 * ones.  A call from a signal handler that interrupted a capture of the same thread gets an empty,
 * truncated stack. */
void unwind_capture(struct unwind_thread *thread, const struct unwind_start *start,
                    struct unwind_stack *stack);

/* Where a frame of a stack lies. */
struct unwind_place {
    uint64_t
        slot; /* the word of the stack that has its return address: what is below is its callee's, what is above its own */
    uint64_t pc; /* that address */
};

/* The places of the frames of the thread's last stack, which was the first since unwind_thread_forget: the innermost first, at most
 * `most`; returns how many.  With frame records (aarch64) they are those of these. */
uint32_t unwind_places(const struct unwind_thread *thread, struct unwind_place *places,
                       uint32_t most);

/* Copies the innermost min(max, length) addresses, allocation site first, and returns how many. */
uint32_t unwind_stack_site_first(const struct unwind_stack *stack, uint64_t *addresses,
                                 uint32_t max);

#endif
