/* The state of a thread's unwinder, shared by the parts of src/unwind. */
#ifndef TAP_UNWIND_THREAD_H
#define TAP_UNWIND_THREAD_H

#include "tap/unwind/unwind.h"
#include "tap/unwind/backend.h"
#include "tap/unwind/module.h"

/* The machine in one frame of a stack that is being walked, and how it was found: to check later
 * that it still is so. */
struct unwind_frame {
    uint64_t pc; /* return address, read from sp - 8 (site: given); where a signal interrupted, one
                    byte further */
    uint64_t sp; /* stack pointer after the return to pc */
    uint64_t fp; /* frame pointer register there */
    /* The other word of the stack this frame was derived from, and what it held: the saved frame
     * pointer, or the return address again where that register was untouched. */
    uint64_t witness_slot;
    uint64_t witness;
    struct backend_rule rule; /* of the step to its caller */
    bool unchecked;           /* it was derived from a third word, and has to be walked to anew */
};

/* What else is kept of a frame, besides the place of its return address and that. */
struct unwind_kept_frame {
    uint64_t fp; /* where it is `live` */
    uint64_t witness_slot;
    struct backend_rule rule;
    uint32_t first_needed; /* how many of `needed` belong to frames further out */
    uint16_t transients;   /* bit n: this frame or one further out is in transients[n] */
    bool live;             /* some step from here outwards depends on fp */
    bool unchecked;
};

/* A word of the stack, and what it held. */
struct unwind_check {
    uint64_t slot, word;
};

/* A witness on which further steps depend. */
struct unwind_needed {
    struct unwind_check check;
    uint64_t frame;
};

enum {
    THREAD_CACHE_ENTRIES = 2048, /* a power of two */
    THREAD_TRANSIENTS = 16,
    THREAD_KEPT_BITS = 6,
    THREAD_KEPT = 1 << THREAD_KEPT_BITS,
};

/* A stack that was taken, caller first. */
struct unwind_kept {
    uint32_t length;             /* of addresses */
    uint32_t reusable;           /* of frames: length, or 0 where they must not be used again */
    bool truncated;              /* it had further callers */
    bool limited;                /* because of max_frames */
    uint32_t needed_count;       /* witnesses that matter */
    uint64_t *addresses;         /* as reported; the word before is the caller's */
    struct unwind_check *checks; /* the place of each frame's return address: sp - 8, pc */
    struct unwind_kept_frame *frames;
    struct unwind_needed *needed; /* outermost first */
};

struct cache_entry {
    uint64_t pc; /* 0: empty */
    struct backend_rule rule;
    uint32_t
        caller; /* place in the cache, in bytes, of the return address met next the last time */
};

/* A module that might be unloaded. */
struct unwind_transient {
    const struct module *module;
    struct module_watch watch;
};

/* What each capture looks at comes first, so that it fills few cache lines. */
struct unwind_thread {
    struct unwind_kept *last;    /* the previous stack; NULL: none, or none that counts */
    bool busy;                   /* a capture is under way */
    uint32_t transients_checked; /* bit n: transients[n] is known to be loaded in this capture */
    uint64_t epoch;              /* of the modules when the cache was last empty */
    uint64_t low, high;          /* this thread's stack; low == high while unknown */

    /* The capture under way. */
    uint32_t fresh_length;
    struct unwind_frame *fresh; /* site first */
    uint64_t base, span;        /* stack memory that may be read directly: span bytes from base */
    uint32_t max_frames;
    uint32_t captures;
    uint64_t readable_page; /* elsewhere: the last page found readable in this capture; or 0 */
    bool fresh_limited;     /* max_frames was reached */
    bool uncacheable; /* the capture has a frame in a module that is not among the transients */

    /* Modules that might be unloaded and occur in the cache or the kept stacks. */
    uint32_t transient_count;
    struct unwind_transient transients[THREAD_TRANSIENTS];

    struct unwind_kept kept[THREAD_KEPT]; /* by the site and where its frame lies */

    struct backend_scratch scratch;
    uint32_t evictions;
    struct cache_entry odd; /* a rule that must not be remembered */
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

/* Whether a frame with the return address `pc` is left by just this rule. */
bool walk_has_rule(struct unwind_thread *thread, uint64_t pc, const struct backend_rule *rule);

/* Walks again from the present function outwards with all registers, and fills thread->fresh with
 * the frames from `start` on.  Its frames have no witnesses.  WALK_COMPLETE or WALK_TRUNCATED. */
enum walk_end walk_slowly(struct unwind_thread *thread, const struct unwind_start *start);

/* False where some module among the transients in `set` is no longer what it was. */
bool walk_confirm(struct unwind_thread *thread, uint32_t set);

#endif
