/* Where the stack of the block that is being sampled begins, for capture functions of heaptap's own. */
#ifndef TAP_ENGINE_CALLER_H
#define TAP_ENGINE_CALLER_H

#include "heaptap/engine.h"
#include "tap/inside/unwind_start.h"

/* The caller of the hook in which `thread` samples a block; false outside of one. */
bool engine_caller(const struct heaptap_thread *thread, struct unwind_start *caller);

#endif
