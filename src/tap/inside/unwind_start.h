/* Where the walk of a stack begins: src/unwind takes it, and what notes it stands further down (the engine, hooks). */
#ifndef TAP_INSIDE_UNWIND_START_H
#define TAP_INSIDE_UNWIND_START_H

#include <stdint.h>

/* The machine as the first reported frame will see it once the hook has returned. */
struct unwind_start {
    uint64_t pc; /* return address of the hook */
    uint64_t sp; /* x86-64: after the return; aarch64: end of the hook's frame record */
    uint64_t fp; /* rbp or x29 after the return; it need not point to a frame */
};

/* The start for the caller of the function that has this frame address, while that function runs. */
static inline __attribute__((always_inline)) struct unwind_start
unwind_start_above(const void *frame_address)
{
    const uint64_t *record = (const uint64_t *)frame_address;
    return (struct unwind_start){.pc = record[1], .sp = (uint64_t)(record + 2), .fp = record[0]};
}

/* The start for the caller of the function in which this is written.  That function must keep a
 * frame pointer, must not be inlined and must not realign its stack; nothing it calls is in the
 * stack.  It and all between it and unwind_capture need unwinding tables
 * (-fasynchronous-unwind-tables): where a stack runs through a signal handler, it is walked from
 * unwind_capture outwards. */
static inline __attribute__((always_inline)) struct unwind_start unwind_start_at_caller(void)
{
    return unwind_start_above(__builtin_frame_address(0));
}

#endif
