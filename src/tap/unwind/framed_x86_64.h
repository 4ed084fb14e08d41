/* Code without unwinding tables, on x86-64. */
#ifndef TAP_UNWIND_FRAMED_X86_64_H
#define TAP_UNWIND_FRAMED_X86_64_H

#include "tap/unwind/thread.h"

/* Whether the step by rbp from a frame in such code (its pc, sp and fp) can be relied upon. */
bool framed_can_step(struct unwind_thread *thread, const struct unwind_frame *frame);

#endif
