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
 * differs, and the check stops there. The words are known beforehand: each frame keeps where its
 * return address lies, and a witness: where the frame pointer had been saved.  Comparing them needs
 * neither rules nor a chain of dependent loads, so it costs a fraction of a nanosecond a frame
 * against two or more for a step, and it stays a comparison of every frame: a shorter check would
 * be a guess.
 *
 * Most witnesses need no look.  A saved rbp matters if a step further out goes by rbp before
 * another frame has restored it; in code that uses rbp as one register among others none does.
 * Which frames' rbp is `live` in this sense follows from their rules, from the outermost inwards.
 * What is not live is not kept up to date: it is loaded again where a walk goes on from such a
 * frame (take_over).
 *
 * A return address that differs may well have the rule of the one before: the caller is another
 * place of the same function, or another one with the same frame.  Then all further frames lie
 * where they did, and only this one is set right (correct).
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
           round_up(max_frames * sizeof(struct unwind_check)) +
           round_up(max_frames * sizeof(struct unwind_needed)) +
           round_up((1 + max_frames) * sizeof(uint64_t));
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
    thread->checks = (struct unwind_check *)after;
    after += round_up(max_frames * sizeof(struct unwind_check));
    thread->needed = (struct unwind_needed *)after;
    after += round_up(max_frames * sizeof(struct unwind_needed));
    thread->addresses = (uint64_t *)after + 1;
    return thread;
}

void unwind_thread_set_mark(struct unwind_thread *thread, uint64_t mark)
{
    thread->addresses[-1] = mark;
}

void unwind_thread_forget(struct unwind_thread *thread)
{
    thread->reusable = 0;
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

/* Whether a walk in the state of `here` goes on as the previous one did from `frame`. */
static bool same_state(const struct unwind_frame *frame, const struct unwind_frame *here)
{
    return frame->sp == here->sp && frame->pc == here->pc &&
           (frame->fp == here->fp || !frame->live);
}

READS_STACKS static inline bool holds(const struct unwind_check *check)
{
    return *(const uint64_t *)check->slot == check->word;
}

/* The outermost frame such that it and the others before frame `n` have the return addresses that
 * they had. */
READS_STACKS static inline uint32_t same_addresses(const struct unwind_thread *thread, uint32_t n)
{
    const struct unwind_check *check = thread->checks + n;
    for (; n >= 4; n -= 4, check -= 4)
        if (!holds(check - 1) || !holds(check - 2) || !holds(check - 3) || !holds(check - 4))
            break;
    for (; n > 0 && holds(check - 1); n--)
        check--;
    return n;
}

/* The same for the witnesses that matter; n if all that belong to frames from `from` on hold. */
READS_STACKS static inline uint32_t wrong_witness(const struct unwind_thread *thread, uint32_t from,
                                                  uint32_t n)
{
    for (uint32_t i = thread->frames[n].first_needed; i > 0; i--) {
        const struct unwind_needed *needed = &thread->needed[i - 1];
        if (needed->frame < from)
            break;
        if (!holds(&needed->check))
            return (uint32_t)needed->frame;
    }
    return n;
}

/* The outermost of the previous frames to which the walk from frame `n`, in the same state, still
 * leads. */
static uint32_t still_holds(const struct unwind_thread *thread, uint32_t n)
{
    uint32_t outermost = same_addresses(thread, n);
    uint32_t wrong = wrong_witness(thread, outermost, n);
    return wrong < n ? wrong + 1 : outermost;
}

/* Whether the fresh frames but the last, and the previous frames up to `n`, are the stack. */
static bool completes(const struct unwind_thread *thread, uint32_t n)
{
    uint64_t length = (uint64_t)thread->fresh_length + n;
    return length <= thread->max_frames && (!thread->limited || length == thread->max_frames);
}

/* Copies the previous frames below `n` down to `outermost` behind the fresh ones, as far as they
 * fit; what they say of the frame pointer is read again. */
READS_STACKS static void take_over(struct unwind_thread *thread, uint32_t n, uint32_t outermost)
{
    uint64_t fp = thread->fresh[thread->fresh_length - 1].fp;
    while (n > outermost && thread->fresh_length < thread->max_frames) {
        struct unwind_frame *frame = &thread->fresh[thread->fresh_length++];
        *frame = thread->frames[--n];
        if (frame->witness_slot != frame->sp - 8)
            fp = frame->witness = stack_load(frame->witness_slot);
        frame->fp = fp;
    }
}

/* Walks from the last fresh frame, to meet one of the first `left` previous ones.  *shared: how
 * many previous frames, from the outermost, belong to this stack too (the last fresh frame is then
 * one of them). */
static enum walk_end walk(struct unwind_thread *thread, uint32_t left, uint32_t *shared)
{
    *shared = 0;
    for (;;) {
        const struct unwind_frame *here = &thread->fresh[thread->fresh_length - 1];
        while (left && thread->frames[left - 1].sp < here->sp)
            left--;
        if (left && same_state(&thread->frames[left - 1], here)) {
            if (!walk_confirm(thread, thread->frames[left - 1].transients))
                return WALK_STALE;
            thread->fresh[thread->fresh_length - 1].rule = thread->frames[left - 1].rule;
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

/* ---- In place -------------------------------------------------------------------------------- */

/* Frame `n` has another return address: sets it right where all further frames stay in place. */
static bool correct_frame(struct unwind_thread *thread, uint32_t n, uint64_t pc)
{
    if (!walk_has_rule(thread, pc, &thread->frames[n].rule))
        return false;
    thread->frames[n].pc = thread->checks[n].word = pc;
    thread->addresses[n] = backend_code_address(pc) - 1;
    return true;
}

/* Sets the previous stack right where it lies, from the site outwards, as far as that goes: true if
 * it then is the stack from `start`, which must lie where the previous one did.  *same: addresses
 * before this one are as they were. */
READS_STACKS static inline bool correct(struct unwind_thread *thread,
                                        const struct unwind_start *start, uint32_t *same)
{
    const uint32_t last = thread->length - 1;
    struct unwind_frame *site = &thread->frames[last];
    *same = last + 1;
    if (site->live && site->fp != start->fp)
        return false;
    if (site->pc != start->pc) {
        if (!correct_frame(thread, last, start->pc))
            return false;
        *same = last;
    }
    site->fp = start->fp;
    for (uint32_t n = last; (n = same_addresses(thread, n)) > 0;) {
        if (!correct_frame(thread, n - 1, stack_load(thread->checks[n - 1].slot)))
            return false;
        *same = --n;
    }
    return wrong_witness(thread, 0, last) == last;
}

/* Whether `correct` may be tried. */
static inline bool lies_as_before(struct unwind_thread *thread, const struct unwind_start *start)
{
    if (!thread->reusable || thread->epoch != module_epoch())
        return false;
    const struct unwind_frame *site = &thread->frames[thread->length - 1];
    thread->transients_checked = 0;
    return site->sp == start->sp && thread->low <= start->sp && start->sp < thread->high &&
           walk_confirm(thread, site->transients);
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
    thread->uncacheable = false;
    thread->fresh_limited = false;
    thread->fresh[0] = (struct unwind_frame){.pc = start->pc, .sp = start->sp, .fp = start->fp};
    thread->fresh_length = 1;
}

/* Makes `frame` the previous one number `n`, the innermost so far. */
static inline void keep_frame(struct unwind_thread *thread, uint32_t n,
                              const struct unwind_frame *frame)
{
    struct unwind_frame *kept = &thread->frames[n];
    const struct unwind_frame *outer = n ? kept - 1 : NULL;
    uint32_t transient = 1u << backend_transient(&frame->rule) >> 1;
    *kept = *frame;
    kept->live =
        backend_uses_fp(&frame->rule) || (outer && outer->live && backend_keeps_fp(&frame->rule));
    kept->transients = (uint16_t)((outer ? outer->transients : 0) | transient);
    kept->first_needed = thread->needed_count;
    bool restored = frame->witness_slot != frame->sp - 8;
    if (frame->witness_slot && (restored ? kept->live : frame->witness != frame->pc))
        thread->needed[thread->needed_count++] =
            (struct unwind_needed){{frame->witness_slot, frame->witness}, n};
    thread->checks[n] = (struct unwind_check){frame->sp - 8, frame->pc};
    thread->addresses[n] = backend_code_address(frame->pc) - 1;
}

/* Makes the fresh frames, behind `shared` previous ones, the previous stack. */
static void keep(struct unwind_thread *thread, uint32_t shared)
{
    uint32_t fresh = thread->fresh_length, n = shared;
    thread->needed_count = 0;
    /* Where the stacks meet, the state is the same but it may have been read from other places. */
    if (shared) {
        n = shared - 1;
        thread->needed_count = thread->frames[n].first_needed;
    }
    while (fresh > 0)
        keep_frame(thread, n++, &thread->fresh[--fresh]);
    thread->length = n;
}

/* `same`: what has become of the previous stack's addresses (see correct). */
static __attribute__((noinline)) uint32_t capture(struct unwind_thread *thread,
                                                  const struct unwind_start *start, uint32_t same)
{
    uint32_t shared = 0;
    enum walk_end end;
    unsigned attempts = 0;
    prepare(thread, start);
    while ((end = walk(thread, thread->reusable, &shared)) == WALK_STALE && attempts++ < 3) {
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
    return shared < same ? shared : same;
}

void unwind_capture(struct unwind_thread *thread, const struct unwind_start *start,
                    struct unwind_stack *stack)
{
    if (__builtin_expect(thread->busy, 0)) {
        *stack = (struct unwind_stack){.truncated = true};
        return;
    }
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t same = UINT32_MAX;
    stack->shared = lies_as_before(thread, start) && correct(thread, start, &same)
                        ? same
                        : capture(thread, start, same);
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
