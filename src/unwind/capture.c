/* Taking a stack, and using the previous one again.
 *
 * A stack is walked from the site outwards.  The state of the walk in a frame is (return address,
 * stack pointer, frame pointer); the next state follows from it, the rule for that return address,
 * and the words of the stack that the step reads.  Nothing else enters.  Therefore, if a walk comes
 * to a state that the previous walk of this thread was in, and all words that the previous walk
 * read from there outwards still hold what they held, and the rules are the same, then this walk
 * would go on exactly as the previous one did.
 *
 * That is the whole condition, and it is checked in full; nothing is assumed about what the program
 * did in between.  It may have returned from any of these frames and called again: a frame that was
 * left and entered anew, with the same return address at the same place under the same callers, is
 * the same frame as far as a stack of addresses goes, and if any caller differs, a word in its slot
 * differs, and the check stops there. The words are known beforehand: each frame keeps the two it
 * came from (the return address just below its stack pointer, and a witness: where the frame
 * pointer had been saved).  Comparing them needs neither rules nor a chain of dependent loads, so
 * it costs about a nanosecond a frame against five for a step, and it stays a comparison of every
 * frame: a shorter check would be a guess.
 *
 * The words are safe to read: the walk is in a frame that lies on the thread's own stack, all
 * further ones lie between it and the stack's top (frames on other stacks are never used again).
 * The rules are the same: where a module may have been unloaded since, walk_previous_is_valid has
 * asked.
 *
 * Where the check fails half way, the frames before the failure hold; they are taken over, and the
 * walk goes on from there, perhaps to meet the previous stack further out again.
 *
 *     previous   main  run  parse  item  string          fresh: what the walk finds, site first
 *     now        main  run  parse  list  item  number     1. number  2. item  3. list  4. parse:
 * known state
 *                ^^^^ ^^^^ ^^^^^^  shared: 3
 *
 * Frames beyond the limit.  Only the innermost max_frames are kept.  A stack that is cut at the
 * limit shares its outer part with the previous one only if both cuts fall on the same frame; else
 * the frames are copied. */
#include "unwind/thread.h"

#include <stdatomic.h>
#include <string.h>

#include "unwind/module.h"

/* ---- The state ------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

size_t unwind_thread_size(uint32_t max_frames)
{
    return round_up(sizeof(struct unwind_thread)) +
           2 * round_up(max_frames * sizeof(struct unwind_frame)) +
           round_up(max_frames * sizeof(uint64_t));
}

struct unwind_thread *unwind_thread_init(void *memory, uint32_t max_frames)
{
    struct unwind_thread *thread = memory;
    char *after = (char *)memory + round_up(sizeof *thread);
    memset(thread, 0, sizeof *thread);
    thread->max_frames = max_frames;
    thread->frames = (struct unwind_frame *)after;
    after += round_up(max_frames * sizeof(struct unwind_frame));
    thread->fresh = (struct unwind_frame *)after;
    after += round_up(max_frames * sizeof(struct unwind_frame));
    thread->addresses = (uint64_t *)after;
    return thread;
}

void unwind_thread_forget(struct unwind_thread *thread)
{
    thread->reusable = 0;
    thread->transients_previous = 0;
}

/* Forgets everything that came from modules. */
static void forget_modules(struct unwind_thread *thread)
{
    thread->epoch = module_epoch();
    memset(thread->cache, 0, sizeof thread->cache);
    thread->transient_count = 0;
    unwind_thread_forget(thread);
}

/* ---- Meeting the previous stack -------------------------------------------------------------- */

static bool same_state(const struct unwind_frame *a, const struct unwind_frame *b)
{
    return a->sp == b->sp && a->pc == b->pc && a->fp == b->fp;
}

/* The outermost of the previous frames to which the walk from frame `n`, in the same state, still
 * leads. */
READS_STACKS static uint32_t still_holds(const struct unwind_thread *thread, uint32_t n)
{
    const struct unwind_frame *frames = thread->frames;
    while (n > 0) {
        const struct unwind_frame *outer = &frames[n - 1];
        if (stack_load(outer->sp - 8) != outer->pc ||
            stack_load(outer->witness_slot) != outer->witness)
            break;
        n--;
    }
    return n;
}

/* Whether the fresh frames but the last, and the previous frames up to `n`, are the stack. */
static bool completes(const struct unwind_thread *thread, uint32_t n)
{
    uint64_t length = (uint64_t)thread->fresh_length + n;
    return length <= thread->max_frames && (!thread->limited || length == thread->max_frames);
}

/* Copies the previous frames below `n` down to `outermost` behind the fresh ones, as far as they
 * fit. */
static void take_over(struct unwind_thread *thread, uint32_t n, uint32_t outermost)
{
    while (n > outermost && thread->fresh_length < thread->max_frames)
        thread->fresh[thread->fresh_length++] = thread->frames[--n];
}

/* Walks from the last fresh frame.  *shared: how many previous frames, from the outermost, belong
 * to this stack too (the last fresh frame is then one of them). */
static enum walk_end walk(struct unwind_thread *thread, uint32_t *shared)
{
    uint32_t left = thread->reusable; /* previous frames that can still be met */
    *shared = 0;
    for (;;) {
        const struct unwind_frame *here = &thread->fresh[thread->fresh_length - 1];
        while (left && thread->frames[left - 1].sp < here->sp)
            left--;
        if (left && same_state(&thread->frames[left - 1], here)) {
            if (!walk_previous_is_valid(thread))
                return WALK_STALE;
            uint32_t outermost = still_holds(thread, left - 1);
            if (outermost == 0 && completes(thread, left - 1)) {
                *shared = left;
                return thread->truncated ? WALK_TRUNCATED : WALK_COMPLETE;
            }
            take_over(thread, left - 1, outermost);
            left = outermost;
        }
        uint64_t limit = left ? thread->frames[left - 1].sp : UINT64_MAX;
        enum walk_end end = walk_until(thread, limit);
        if (end != WALK_ON)
            return end;
    }
}

/* ---- Capturing ------------------------------------------------------------------------------- */

static void prepare(struct unwind_thread *thread, const struct unwind_start *start)
{
    if (thread->epoch != module_epoch())
        forget_modules(thread);
    stack_prepare(thread, start->sp);
    if (thread->span == 0)
        unwind_thread_forget(thread);
    thread->transients_checked = 0;
    thread->transients_used = 0;
    thread->uncacheable = false;
    thread->fresh_limited = false;
    thread->fresh[0] = (struct unwind_frame){.pc = start->pc, .sp = start->sp, .fp = start->fp};
    thread->fresh_length = 1;
}

/* Makes the fresh frames, behind `shared` previous ones, the previous stack. */
static void keep(struct unwind_thread *thread, uint32_t shared)
{
    uint32_t n = thread->fresh_length;
    uint32_t length = shared;
    /* Where the stacks meet, the state is the same but it may have been read from other places. */
    if (shared)
        thread->frames[shared - 1] = thread->fresh[--n];
    while (n > 0) {
        const struct unwind_frame *frame = &thread->fresh[--n];
        thread->frames[length] = *frame;
        thread->addresses[length++] = backend_code_address(frame->pc) - 1;
    }
    thread->length = length;
}

static uint32_t capture(struct unwind_thread *thread, const struct unwind_start *start)
{
    uint32_t shared = 0;
    enum walk_end end;
    unsigned attempts = 0;
    prepare(thread, start);
    while ((end = walk(thread, &shared)) == WALK_STALE && attempts++ < 3) {
        forget_modules(thread);
        prepare(thread, start);
    }
    bool again = thread->span > 0 && !thread->uncacheable && end != WALK_STALE;
    if (end == WALK_HARD) {
        end = walk_slowly(thread, start);
        again = false;
    }
    keep(thread, shared);
    thread->truncated = end != WALK_COMPLETE;
    thread->limited = shared ? thread->limited : thread->fresh_limited;
    thread->reusable = again ? thread->length : 0;
    thread->transients_previous = again ? thread->transients_used : 0;
    return shared;
}

void unwind_capture(struct unwind_thread *thread, const struct unwind_start *start,
                    struct unwind_stack *stack)
{
    *stack = (struct unwind_stack){.truncated = true};
    if (thread->busy)
        return;
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    stack->shared = capture(thread, start);
    stack->addresses = thread->addresses;
    stack->length = thread->length;
    stack->truncated = thread->truncated;
    atomic_signal_fence(memory_order_seq_cst);
    thread->busy = false;
}

uint32_t unwind_stack_site_first(const struct unwind_stack *stack, uint64_t *addresses,
                                 uint32_t max)
{
    uint32_t count = stack->length < max ? stack->length : max;
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = stack->addresses[stack->length - 1 - i];
    return count;
}
