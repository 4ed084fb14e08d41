/* Code without unwinding tables, on x86-64. */
#ifndef UNWIND_FRAMED_X86_64_H
#define UNWIND_FRAMED_X86_64_H

#include "unwind/thread.h"

/* Whether the step by rbp from a frame in such code (its pc, sp and fp) can be relied upon. */
bool framed_can_step(struct unwind_thread *thread, const struct unwind_frame *frame);

#endif
