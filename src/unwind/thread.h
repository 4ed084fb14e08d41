/* The state of a thread's unwinder, shared by the parts of src/unwind. */
#ifndef UNWIND_THREAD_H
#define UNWIND_THREAD_H

#include "unwind/unwind.h"
#include "unwind/backend.h"

struct module;

/* The machine in one frame of a stack, and how it was found: to check later that it still is so. */
struct unwind_frame {
    uint64_t pc; /* return address, read from sp - 8 (site: given); where a signal interrupted, one
                    byte further */
    uint64_t sp; /* stack pointer after the return to pc */
    uint64_t fp; /* frame pointer register there */
    /* The other word of the stack this frame was derived from, and what it held: the saved frame
     * pointer, or the return address again where that register was untouched.  A frame that cannot
     * be checked has a witness that never agrees. */
    uint64_t witness_slot;
    uint64_t witness;
    uint64_t first_check; /* the number of its first word in `checks` of the thread */
};

/* A word of the stack, and what it held. */
struct unwind_check {
    uint64_t slot, word;
};

enum {
    THREAD_CACHE_ENTRIES = 512, /* a power of two */
    THREAD_TRANSIENTS = 16,
};

struct cache_entry {
    uint64_t pc; /* 0: empty */
    struct backend_rule rule;
};

struct unwind_thread {
    /* The previous stack, caller first. */
    uint32_t max_frames;
    uint32_t length;             /* of addresses */
    uint32_t reusable;           /* of frames: length, or 0 where they must not be used again */
    bool truncated;              /* it had further callers */
    bool limited;                /* because of max_frames */
    uint64_t *addresses;         /* as reported */
    struct unwind_frame *frames; /* what they came from */
    /* The words that `frames` came from, the site's excepted, each once, in the same order.  Made
     * when a stack comes a second time. */
    struct unwind_check *checks;
    bool checks_ready;
    bool site_ignores_fp; /* then: the step out of the site does not depend on its frame pointer */

    /* The capture under way. */
    bool busy;
    bool fresh_limited; /* max_frames was reached */
    uint32_t fresh_length;
    struct unwind_frame *fresh; /* site first */
    uint64_t base, span;        /* stack memory that may be read directly: span bytes from base */

    /* Modules that might be unloaded and occur in the cache or the previous stack. */
    const struct module *transients[THREAD_TRANSIENTS];
    uint32_t transient_count;
    uint32_t transients_checked;  /* bit n: transients[n] is known to be loaded in this capture */
    uint32_t transients_used;     /* bit n: the capture has a frame in it */
    uint32_t transients_previous; /* bit n: the previous stack has */
    bool uncacheable;             /* the capture has a frame in a module that is not among them */
    uint64_t epoch;               /* of the modules when the cache was last empty */

    /* This thread's stack; low == high while unknown. */
    uint64_t low, high;
    uint32_t captures;

    uint64_t readable_page; /* elsewhere: the last page found readable in this capture; or 0 */

    struct backend_scratch scratch;
    uint32_t evictions;
    struct backend_rule rule; /* the last one that did not come from the cache as it was */
    struct cache_entry cache[THREAD_CACHE_ENTRIES];
};

/* ---- Reading stack memory (stack.c) ---------------------------------------------------------- */

/* Functions that read other functions' stack frames, redzones included. */
#define READS_STACKS __attribute__((no_sanitize("address")))

/* Decides what may be read directly by a walk whose lowest frame is at `sp`. */
void stack_prepare(struct unwind_thread *thread, uint64_t sp);

/* Reads the word at `address` wherever it is, without a risk; false where there is none. */
bool stack_read(struct unwind_thread *thread, uint64_t address, uint64_t *word);

READS_STACKS static inline uint64_t stack_load(uint64_t address)
{
    return *(const volatile uint64_t *)address;
}

/* ---- Walking (the back end) ------------------------------------------------------------------ */

enum walk_end {
    WALK_ON,        /* stopped at the asked stack pointer */
    WALK_COMPLETE,  /* the last fresh frame is the outermost */
    WALK_TRUNCATED, /* further callers cannot be found, or don't fit */
    WALK_STALE, /* a remembered rule came from a module that is gone: forget everything, begin again
                 */
    WALK_HARD,  /* needs registers that a quick walk doesn't follow: use walk_slowly */
};

/* Appends to thread->fresh (which has at least one frame) the callers of its last frame: at least
 * one, until one's sp is >= `sp`. */
enum walk_end walk_until(struct unwind_thread *thread, uint64_t sp);

/* How the step out of `frame` reads the stack: the stack pointer behind the call, the second word
 * that it looks at, and whether the frame pointer stays as it is.  False where that is no plain
 * matter. */
struct walk_places {
    uint64_t sp, witness_slot;
    bool keeps_fp;
    bool uses_fp; /* to find the places */
};
bool walk_find_places(struct unwind_thread *thread, const struct unwind_frame *frame,
                      struct walk_places *places);

/* Walks again from the present function outwards with all registers, and fills thread->fresh with
 * the frames from `start` on.  Its frames have no witnesses.  WALK_COMPLETE or WALK_TRUNCATED. */
enum walk_end walk_slowly(struct unwind_thread *thread, const struct unwind_start *start);

/* False where some module the previous stack runs through is no longer what it was. */
bool walk_previous_is_valid(struct unwind_thread *thread);

#endif
