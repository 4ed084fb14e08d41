/* Taking a stack, and using those taken before again.
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
 * Kept stacks.  A loop that allocates here and there comes by the same few stacks in turn, so not
 * only the previous one is kept but the last one of each site and place, as far as a small table
 * tells these apart.  If the one that is kept for this site can be set right as it lies, nothing is
 * walked.  How many outermost addresses it has in common with the previous stack, which is what the
 * caller wants to know, is then found by comparing the two.
 *
 * Frames beyond the limit.  Only the innermost max_frames are kept.  A stack that is cut at the
 * limit shares its outer part with the previous one only if both cuts fall on the same frame; else
 * the frames are copied. */
#include "tap/unwind/thread.h"

#include <stdatomic.h>
#include <string.h>

#include "tap/unwind/module.h"

/* ---- The state ------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* Frames are copied so many at a time, so there is room for that. */
enum { FRAMES_AT_ONCE = 4 };

static size_t kept_room(uint32_t max_frames)
{
    return ((size_t)max_frames + FRAMES_AT_ONCE - 1) & ~(size_t)(FRAMES_AT_ONCE - 1);
}

static size_t kept_bytes(uint32_t max_frames)
{
    size_t room = kept_room(max_frames);
    return round_up((1 + room) * sizeof(uint64_t)) + room * sizeof(struct unwind_check) +
           room * sizeof(struct unwind_kept_frame) +
           round_up(max_frames * sizeof(struct unwind_needed));
}

size_t unwind_thread_size(uint32_t max_frames)
{
    return round_up(sizeof(struct unwind_thread)) +
           round_up(max_frames * sizeof(struct unwind_frame)) +
           THREAD_KEPT * kept_bytes(max_frames);
}

static void kept_init(struct unwind_kept *kept, char *memory, uint32_t max_frames)
{
    size_t room = kept_room(max_frames);
    kept->addresses = (uint64_t *)memory + 1;
    memory += round_up((1 + room) * sizeof(uint64_t));
    kept->checks = (struct unwind_check *)memory;
    memory += room * sizeof(struct unwind_check);
    kept->frames = (struct unwind_kept_frame *)memory;
    memory += room * sizeof(struct unwind_kept_frame);
    kept->needed = (struct unwind_needed *)memory;
}

struct unwind_thread *unwind_thread_init(void *memory, uint32_t max_frames)
{
    struct unwind_thread *thread = memory;
    char *after = (char *)memory + round_up(sizeof *thread);
    memset(thread, 0, sizeof *thread);
    thread->max_frames = max_frames;
    thread->fresh = (struct unwind_frame *)after;
    after += round_up(max_frames * sizeof(struct unwind_frame));
    for (unsigned i = 0; i < THREAD_KEPT; i++, after += kept_bytes(max_frames))
        kept_init(&thread->kept[i], after, max_frames);
    return thread;
}

void unwind_thread_set_mark(struct unwind_thread *thread, uint64_t mark)
{
    for (unsigned i = 0; i < THREAD_KEPT; i++)
        thread->kept[i].addresses[-1] = mark;
}

void unwind_thread_forget(struct unwind_thread *thread)
{
    for (unsigned i = 0; i < THREAD_KEPT; i++)
        thread->kept[i].reusable = 0;
    thread->last = NULL;
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

/* Whether a walk in the state of `here` goes on as the previous one did from frame `n`. */
static inline bool same_state(const struct unwind_kept *last, uint32_t n,
                              const struct unwind_frame *here)
{
    const struct unwind_kept_frame *frame = &last->frames[n];
    return last->checks[n].slot == here->sp - 8 && last->checks[n].word == here->pc &&
           (frame->fp == here->fp || !frame->live);
}

READS_STACKS static inline bool holds(const struct unwind_check *check)
{
    return *(const uint64_t *)check->slot == check->word;
}

/* The outermost frame such that it and the others before frame `n` have the return addresses that
 * they had. */
READS_STACKS static inline uint32_t same_addresses(const struct unwind_kept *kept, uint32_t n)
{
    const struct unwind_check *check = kept->checks + n;
    for (; n >= 4; n -= 4, check -= 4)
        if (!holds(check - 1) || !holds(check - 2) || !holds(check - 3) || !holds(check - 4))
            break;
    for (; n > 0 && holds(check - 1); n--)
        check--;
    return n;
}

/* The same for the witnesses that matter; n if all that belong to frames from `from` on hold. */
READS_STACKS static inline uint32_t wrong_witness(const struct unwind_kept *kept, uint32_t from,
                                                  uint32_t n)
{
    for (uint32_t i = kept->frames[n].first_needed; i > 0; i--) {
        const struct unwind_needed *needed = &kept->needed[i - 1];
        if (needed->frame < from)
            break;
        if (!holds(&needed->check))
            return (uint32_t)needed->frame;
    }
    return n;
}

/* The outermost of the previous frames to which the walk from frame `n`, in the same state, still
 * leads. */
static uint32_t still_holds(const struct unwind_kept *last, uint32_t n)
{
    uint32_t outermost = same_addresses(last, n);
    uint32_t wrong = wrong_witness(last, outermost, n);
    return wrong < n ? wrong + 1 : outermost;
}

/* Whether the fresh frames but the last, and the previous frames up to `n`, are the stack. */
static bool completes(const struct unwind_thread *thread, uint32_t n)
{
    uint64_t length = (uint64_t)thread->fresh_length + n;
    return length <= thread->max_frames && (!thread->last->limited || length == thread->max_frames);
}

/* Copies the previous frames below `n` down to `outermost` behind the fresh ones, as far as they
 * fit; what they say of the frame pointer is read again. */
READS_STACKS static void take_over(struct unwind_thread *thread, uint32_t n, uint32_t outermost)
{
    uint64_t fp = thread->fresh[thread->fresh_length - 1].fp;
    while (n > outermost && thread->fresh_length < thread->max_frames) {
        struct unwind_frame *frame = &thread->fresh[thread->fresh_length++];
        const struct unwind_check *check = &thread->last->checks[--n];
        const struct unwind_kept_frame *kept = &thread->last->frames[n];
        *frame = (struct unwind_frame){.pc = check->word,
                                       .sp = check->slot + 8,
                                       .witness_slot = kept->witness_slot,
                                       .witness = stack_load(kept->witness_slot),
                                       .rule = kept->rule,
                                       .unchecked = kept->unchecked};
        if (kept->witness_slot != check->slot)
            fp = frame->witness;
        frame->fp = fp;
    }
}

/* Walks from the last fresh frame, to meet one of the first `left` previous ones.  *shared: how
 * many previous frames, from the outermost, belong to this stack too (the last fresh frame is then
 * one of them). */
static enum walk_end walk(struct unwind_thread *thread, uint32_t left, uint32_t *shared)
{
    const struct unwind_kept *last = thread->last;
    *shared = 0;
    for (;;) {
        struct unwind_frame *here = &thread->fresh[thread->fresh_length - 1];
        while (left && last->checks[left - 1].slot < here->sp - 8)
            left--;
        if (left && same_state(last, left - 1, here)) {
            if (!walk_confirm(thread, last->frames[left - 1].transients))
                return WALK_STALE;
            here->rule = last->frames[left - 1].rule;
            uint32_t outermost = still_holds(last, left - 1);
            if (outermost == 0 && completes(thread, left - 1)) {
                *shared = left;
                return last->truncated ? WALK_TRUNCATED : WALK_COMPLETE;
            }
            take_over(thread, left - 1, outermost);
            left = outermost;
        }
        uint64_t limit = left ? last->checks[left - 1].slot + 8 : UINT64_MAX;
        enum walk_end end = walk_until(thread, limit);
        if (end != WALK_ON)
            return end;
    }
}

/* ---- In place -------------------------------------------------------------------------------- */

/* Frame `n` has another return address: sets it right where all further frames stay in place. */
static bool correct_frame(struct unwind_thread *thread, struct unwind_kept *kept, uint32_t n,
                          uint64_t pc)
{
    if (!walk_has_rule(thread, pc, &kept->frames[n].rule))
        return false;
    kept->checks[n].word = pc;
    kept->addresses[n] = backend_code_address(pc) - 1;
    return true;
}

/* Sets a stack that was taken right where it lies, from the site outwards, as far as that goes:
 * true if it then is the stack from `start`, which must lie where it did.  *same: addresses before
 * this one are as they were. */
READS_STACKS static inline bool correct(struct unwind_thread *thread, struct unwind_kept *kept,
                                        const struct unwind_start *start, uint32_t *same)
{
    const uint32_t last = kept->length - 1;
    struct unwind_kept_frame *site = &kept->frames[last];
    *same = last + 1;
    if (site->live && site->fp != start->fp)
        return false;
    if (kept->checks[last].word != start->pc) {
        if (!correct_frame(thread, kept, last, start->pc))
            return false;
        *same = last;
    }
    site->fp = start->fp;
    for (uint32_t n = last; (n = same_addresses(kept, n)) > 0;) {
        if (!correct_frame(thread, kept, n - 1, stack_load(kept->checks[n - 1].slot)))
            return false;
        *same = --n;
    }
    return wrong_witness(kept, 0, last) == last;
}

/* Whether `correct` may be tried. */
static inline bool lies_as_before(struct unwind_thread *thread, const struct unwind_kept *kept,
                                  const struct unwind_start *start)
{
    if (!kept->reusable || thread->epoch != module_epoch())
        return false;
    const uint32_t site = kept->length - 1;
    thread->transients_checked = 0;
    return kept->checks[site].slot == start->sp - 8 && thread->low <= start->sp &&
           start->sp < thread->high && walk_confirm(thread, kept->frames[site].transients);
}

/* Where a stack from `start` is kept. */
static inline struct unwind_kept *kept_for(struct unwind_thread *thread,
                                           const struct unwind_start *start)
{
    const uint64_t golden = 0x9e3779b97f4a7c15;
    return &thread->kept[(start->sp ^ start->pc << 16) * golden >> (64 - THREAD_KEPT_BITS)];
}

static inline bool addresses_differ(const uint64_t *a, const uint64_t *b)
{
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) != 0;
}

/* How many outermost addresses two stacks have in common. */
static uint32_t common_addresses(const struct unwind_kept *a, const struct unwind_kept *b)
{
    uint32_t most = a->length < b->length ? a->length : b->length, n = 0;
    while (n + FRAMES_AT_ONCE <= most && !addresses_differ(a->addresses + n, b->addresses + n))
        n += FRAMES_AT_ONCE;
    while (n < most && a->addresses[n] == b->addresses[n])
        n++;
    return n;
}

/* ---- Capturing ------------------------------------------------------------------------------- */

static void prepare(struct unwind_thread *thread, const struct unwind_start *start)
{
    if (thread->epoch != module_epoch())
        forget_modules(thread);
    stack_prepare(thread, start->sp);
    thread->transients_checked = 0;
    thread->uncacheable = false;
    thread->fresh_limited = false;
    thread->fresh[0] = (struct unwind_frame){.pc = start->pc, .sp = start->sp, .fp = start->fp};
    thread->fresh_length = 1;
}

/* What a frame that cannot be checked is checked by. */
static const uint64_t never[] = {0};

/* Makes `frame` number `n` of a stack, the innermost so far. */
static inline void keep_frame(struct unwind_kept *kept, uint32_t n,
                              const struct unwind_frame *frame)
{
    struct unwind_kept_frame *own = &kept->frames[n];
    const struct unwind_kept_frame *outer = n ? own - 1 : NULL;
    uint32_t transient = 1u << backend_transient(&frame->rule) >> 1;
    own->fp = frame->fp;
    own->witness_slot = frame->witness_slot;
    own->rule = frame->rule;
    own->live =
        backend_uses_fp(&frame->rule) || (outer && outer->live && backend_keeps_fp(&frame->rule));
    own->transients = (uint16_t)((outer ? outer->transients : 0) | transient);
    own->first_needed = kept->needed_count;
    own->unchecked = frame->unchecked;
    bool restored = frame->witness_slot && frame->witness_slot != frame->sp - 8;
    if (frame->unchecked)
        kept->needed[kept->needed_count++] = (struct unwind_needed){{(uint64_t)never, 1}, n};
    else if (restored && own->live)
        kept->needed[kept->needed_count++] =
            (struct unwind_needed){{frame->witness_slot, frame->witness}, n};
    kept->checks[n] = (struct unwind_check){frame->sp - 8, frame->pc};
    kept->addresses[n] = backend_code_address(frame->pc) - 1;
}

/* Makes `kept` begin with the outermost `n` frames of `from`. */
static void keep_outer(struct unwind_kept *kept, const struct unwind_kept *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += FRAMES_AT_ONCE) {
        memcpy(kept->addresses + i, from->addresses + i, FRAMES_AT_ONCE * sizeof *kept->addresses);
        memcpy(kept->checks + i, from->checks + i, FRAMES_AT_ONCE * sizeof *kept->checks);
        memcpy(kept->frames + i, from->frames + i, FRAMES_AT_ONCE * sizeof *kept->frames);
    }
    for (uint32_t i = 0; i < kept->needed_count; i++)
        kept->needed[i] = from->needed[i];
}

/* Makes the fresh frames, behind `shared` of the previous stack, the one in `kept`. */
static void keep(struct unwind_thread *thread, struct unwind_kept *kept, uint32_t shared)
{
    uint32_t fresh = thread->fresh_length, n = 0;
    kept->needed_count = 0;
    /* Where the stacks meet, the state is the same but it may have been read from other places. */
    if (shared) {
        n = shared - 1;
        kept->needed_count = thread->last->frames[n].first_needed;
        kept->limited = thread->last->limited;
        if (kept != thread->last)
            keep_outer(kept, thread->last, n);
    } else {
        kept->limited = thread->fresh_limited;
    }
    while (fresh > 0)
        keep_frame(kept, n++, &thread->fresh[--fresh]);
    kept->length = n;
}

/* `same`: how many addresses of the previous stack still are what they were (see correct). */
static __attribute__((noinline)) uint32_t capture(struct unwind_thread *thread,
                                                  struct unwind_kept *kept,
                                                  const struct unwind_start *start, uint32_t same)
{
    uint32_t shared = 0, left;
    enum walk_end end;
    unsigned attempts = 0;
    do {
        if (attempts > 0)
            forget_modules(thread);
        prepare(thread, start);
        left = thread->last && thread->span ? thread->last->reusable : 0;
    } while ((end = walk(thread, left, &shared)) == WALK_STALE && attempts++ < 3);
    bool again = thread->span > 0 && !thread->uncacheable && end != WALK_STALE;
    if (end == WALK_HARD) {
        end = walk_slowly(thread, start);
        again = false;
    }
    keep(thread, kept, shared);
    kept->truncated = end != WALK_COMPLETE;
    kept->reusable = again ? kept->length : 0;
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
    struct unwind_kept *kept = kept_for(thread, start);
    uint32_t same = UINT32_MAX;
    if (!lies_as_before(thread, kept, start) || !correct(thread, kept, start, &same))
        stack->shared = capture(thread, kept, start, kept == thread->last ? same : UINT32_MAX);
    else if (kept == thread->last)
        stack->shared = same;
    else
        stack->shared = thread->last ? common_addresses(kept, thread->last) : 0;
    thread->last = kept;
    stack->addresses = kept->addresses;
    stack->length = kept->length;
    stack->truncated = kept->truncated;
    atomic_signal_fence(memory_order_seq_cst);
    thread->busy = false;
}

uint32_t unwind_places(const struct unwind_thread *thread, struct unwind_place *places,
                       uint32_t most)
{
    uint32_t count = thread->fresh_length < most ? thread->fresh_length : most;
    for (uint32_t i = 0; i < count; i++) {
        const struct unwind_frame *frame = &thread->fresh[i];
        places[i] = (struct unwind_place){frame->sp - sizeof(uint64_t), frame->pc};
    }
    return count;
}

uint32_t unwind_stack_site_first(const struct unwind_stack *stack, uint64_t *addresses,
                                 uint32_t max)
{
    uint32_t count = stack->length < max ? stack->length : max;
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = stack->addresses[stack->length - 1 - i];
    return count;
}
