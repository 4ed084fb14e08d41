/* Where the stack of the block that is being sampled begins, for capture functions of heaptap's own. */
#ifndef ENGINE_CALLER_H
#define ENGINE_CALLER_H

#include "heaptap/engine.h"
#include "inside/unwind_start.h"

/* The caller of the hook in which `thread` samples a block; false outside of one. */
bool engine_caller(const struct heaptap_thread *thread, struct unwind_start *caller);

#endif
