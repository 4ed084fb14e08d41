/* Memory that is never given back, for what all threads share: tables, module records. */
#ifndef TAP_UNWIND_ARENA_H
#define TAP_UNWIND_ARENA_H

#include <stddef.h>

/* Zeroed memory aligned to 16, or NULL.  Lock-free, and fit for signal handlers. */
void *arena_take(size_t bytes);

#endif
