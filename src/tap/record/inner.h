/* Blocks that come by two hooks.
 *
 * The function behind a hook may be another library's, which gets its block by a hook of ours: calloc by malloc, realloc of
 * nothing by malloc.  The inner hook has counted the block down or recorded it then, and the outer one is not to do that again.
 * The recorder keeps the address that it was last given by this thread: where that is the outer hook's block, it is done.
 *
 * A sampled block is given to the recorder where one of the two finds the countdown over, and both count it down, so that it
 * would be sampled twice as often.  Once a function has been seen to do so, its hook calls it first, and counts down only
 * what nobody did meanwhile.  malloc's hook, the one that is called most, does not look for that. */
#ifndef TAP_RECORD_INNER_H
#define TAP_RECORD_INNER_H

#include "tap/record/recorder.h"

/* What has a hook and may lead to another. */
enum outer {
    OUTER_MALLOC,
    OUTER_CALLOC,
    OUTER_REALLOC,
    OUTER_ALIGNED_ALLOC,
    OUTER_MEMALIGN,
    OUTER_POSIX_MEMALIGN,
    OUTER_VALLOC,
    OUTER_PVALLOC,
    OUTER_FUNCTIONS
};

/* A call of the real function. */
struct outer_call {
    uint64_t countdown;
    bool is_counted; /* the block has been counted down, and was found to be due */
};

/* Whether a function was seen to lead to another hook. */
extern uint8_t outer_leads_on[OUTER_FUNCTIONS];

static inline bool outer_leads_on_now(enum outer function)
{
    return __atomic_load_n(&outer_leads_on[function], __ATOMIC_RELAXED);
}

/* Must the hook go its slow path? */
static inline bool outer_tick(enum outer function, uint64_t size)
{
    return __builtin_expect(outer_leads_on_now(function), 0) || recorder_tick(size);
}

/* Right before the real function is called. */
static inline struct outer_call outer_begin(enum outer function)
{
    record_self.seen = 0;
    return (struct outer_call){record_self.engine.countdown, !outer_leads_on_now(function)};
}

/* Was the block counted down meanwhile?  A countdown that has grown was over, and is a new one. */
static inline bool outer_was_counted(const struct outer_call *call, uint64_t size)
{
    uint64_t now = record_self.engine.countdown;
    return now > call->countdown || call->countdown - now >= recorder_trials(size);
}

/* After it: gives the block to the recorder, unless that has it, or it isn't due. */
static inline void outer_end(const struct outer_call *call, enum outer function, void *block,
                             uint64_t size, const struct unwind_start *start)
{
    if (__builtin_expect(block && record_self.seen == (uint64_t)block, 0)) {
        __atomic_store_n(&outer_leads_on[function], 1, __ATOMIC_RELAXED);
        return;
    }
    bool is_due = call->is_counted || (!outer_was_counted(call, size) && recorder_tick(size));
    if (is_due)
        recorder_allocated(block, size, start);
}

#endif
