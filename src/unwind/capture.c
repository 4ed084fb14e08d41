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
           round_up(2 * max_frames * sizeof(struct unwind_check)) +
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
    thread->checks = (struct unwind_check *)after;
    after += round_up(2 * max_frames * sizeof(struct unwind_check));
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

/* ---- In place -------------------------------------------------------------------------------- */

/* Whether the words of this frame, which is not the site, are what they were. */
READS_STACKS static inline bool holds(const struct unwind_frame *frame)
{
    return *(const uint64_t *)(frame->sp - 8) == frame->pc &&
           *(const uint64_t *)frame->witness_slot == frame->witness;
}

/* Lists the words that the stack came from. */
static void make_checks(struct unwind_thread *thread)
{
    struct unwind_check *check = thread->checks;
    for (uint32_t i = 0; i < thread->length; i++) {
        struct unwind_frame *frame = &thread->frames[i];
        frame->first_check = (uint64_t)(check - thread->checks);
        *check++ = (struct unwind_check){frame->sp - 8, frame->pc};
        if (frame->witness_slot != frame->sp - 8)
            *check++ = (struct unwind_check){frame->witness_slot, frame->witness};
    }
    struct walk_places places;
    thread->site_ignores_fp =
        walk_find_places(thread, &thread->frames[thread->length - 1], &places) &&
        !places.keeps_fp && !places.uses_fp;
    thread->checks_ready = true;
}

/* Whether the words of the `n` outermost frames, which are not all, are what they were.  Most of
 * the time of a capture goes by here. */
READS_STACKS static bool all_hold(const struct unwind_thread *thread, uint32_t n)
{
    const struct unwind_check *check = thread->checks;
    const struct unwind_check *end = check + thread->frames[n].first_check;
    if (__builtin_expect(!thread->checks_ready, 0)) {
        for (uint32_t i = 0; i < n; i++)
            if (!holds(&thread->frames[i]))
                return false;
        return true;
    }
    for (; end - check >= 4; check += 4)
        if (*(const uint64_t *)check[0].slot != check[0].word ||
            *(const uint64_t *)check[1].slot != check[1].word ||
            *(const uint64_t *)check[2].slot != check[2].word ||
            *(const uint64_t *)check[3].slot != check[3].word)
            return false;
    for (; check < end; check++)
        if (*(const uint64_t *)check->slot != check->word)
            return false;
    return true;
}

/* How far the previous stack could be made the present one where it lies. */
struct in_place {
    uint32_t known;  /* frames from here on are the present ones, those before are the previous */
    uint32_t shared; /* addresses before this are as they were */
    bool done;       /* all are */
};

/* Goes outwards from the site, whose state is set, and `is_new` if it was another; as long as
 * frames lie where those of the previous stack did, only their words are new. */
READS_STACKS static void follow_in_place(struct unwind_thread *thread, bool is_new,
                                         struct in_place *place)
{
    struct unwind_frame *frames = thread->frames;
    uint32_t i = thread->length - 1;
    bool was_new = true;
    for (; i > 0; i--) {
        struct unwind_frame *outer = &frames[i - 1];
        uint64_t pc = stack_load(outer->sp - 8), witness = stack_load(outer->witness_slot);
        struct walk_places places;
        if (!is_new) {
            if (was_new && all_hold(thread, i)) {
                i = 0;
                break;
            }
            was_new = false;
            if (pc == outer->pc && witness == outer->witness)
                continue;
        }
        was_new = true;
        if (!walk_find_places(thread, &frames[i], &places) || places.sp != outer->sp ||
            places.witness_slot != outer->witness_slot || pc == 0)
            break;
        thread->checks_ready &= pc == outer->pc && witness == outer->witness;
        uint64_t fp = places.keeps_fp ? frames[i].fp : witness;
        is_new = pc != outer->pc || fp != outer->fp;
        if (pc != outer->pc) {
            place->shared = i - 1;
            thread->addresses[i - 1] = backend_code_address(pc) - 1;
        }
        outer->pc = pc;
        outer->fp = fp;
        outer->witness = witness;
    }
    place->known = i;
    place->done = i == 0 && !is_new;
    if (place->done && !thread->checks_ready && place->shared == thread->length)
        make_checks(thread);
}

/* The site lies where the last one did: most often the callers are the same too, or others in the
 * same places. */
static struct in_place capture_in_place(struct unwind_thread *thread,
                                        const struct unwind_start *start)
{
    struct unwind_frame *site = &thread->frames[thread->length - 1];
    struct in_place place = {.known = thread->length, .shared = thread->length};
    if (thread->reusable != thread->length || site->sp != start->sp ||
        !walk_previous_is_valid(thread))
        return place;
    bool is_new = site->pc != start->pc || site->fp != start->fp;
    if (site->pc != start->pc) {
        place.shared = thread->length - 1;
        thread->addresses[place.shared] = backend_code_address(start->pc) - 1;
    }
    site->pc = start->pc;
    site->fp = start->fp;
    follow_in_place(thread, is_new, &place);
    return place;
}

/* What was not done in place goes on as a walk: the frames that are known are the first fresh ones.
 */
static void go_on_from(struct unwind_thread *thread, uint32_t known)
{
    if (known == thread->length)
        return;
    thread->fresh_length = 0;
    for (uint32_t i = thread->length; i > known; i--)
        thread->fresh[thread->fresh_length++] = thread->frames[i - 1];
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
    thread->checks_ready = false;
}

static uint32_t capture(struct unwind_thread *thread, const struct unwind_start *start)
{
    uint32_t shared = 0;
    enum walk_end end;
    unsigned attempts = 0;
    prepare(thread, start);
    struct in_place place = {0};
    if (thread->reusable) {
        place = capture_in_place(thread, start);
        if (place.done) {
            thread->reusable = thread->uncacheable ? 0 : thread->length;
            thread->transients_previous = thread->uncacheable ? 0 : thread->transients_used;
            return place.shared;
        }
        go_on_from(thread, place.known);
    }
    while ((end = walk(thread, place.known, &shared)) == WALK_STALE && attempts++ < 3) {
        forget_modules(thread);
        prepare(thread, start);
        place.known = 0;
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

/* The previous stack once more: what a loop that allocates gives.  False where that has to be
 * looked at more closely. */
static inline bool is_same(const struct unwind_thread *thread, const struct unwind_start *start)
{
    if (!thread->checks_ready || thread->reusable != thread->length || thread->transient_count ||
        thread->epoch != module_epoch())
        return false;
    const struct unwind_frame *site = &thread->frames[thread->length - 1];
    return site->sp == start->sp && site->pc == start->pc &&
           (site->fp == start->fp || thread->site_ignores_fp) && thread->low <= start->sp &&
           start->sp < thread->high && all_hold(thread, thread->length - 1);
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
    stack->shared = is_same(thread, start) ? thread->length : capture(thread, start);
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
