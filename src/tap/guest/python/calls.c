/* Which calls are under way, without looking at all of them for each block.
 *
 * From one allocation to the next most of a deep stack is as it was.  To know how much of it, a
 * mark is left in frames, which can be there later only if the frame has not run since.  The walk
 * goes from the innermost frame outwards to the first with a mark: what is outside of that can't
 * have run either, and is what it was when the mark was found or made.
 *
 * A frame has slots for its locals, then for its evaluation stack.  While it waits for a Python
 * function that it has called by itself (not by way of C code), its stack top is saved in it, and
 * the slot there is free: the interpreter doesn't read it before it writes it, neither the
 * collector nor a copy of the frame goes so far.  There the mark is.
 *
 * Why is a mark that is found there a true one?  Say that we find one in the free slot of a frame
 * that waits in this way.  The instruction that made the call has taken at least one operand from
 * the stack, and the undermost of these was in this very slot: so this call of this function has
 * written the slot, before it began to wait.  The mark was made after that, as before it would be
 * overwritten; and we make none in a slot that is in use.  So it was made while the frame was
 * waiting for what it waits for now.  (If it had run on, the result of the call would be in the
 * slot.) It does not matter whose the memory was before, nor what marks were left in it.
 *
 * A mark says at which depth the frame is, and the stack that was walked last knows which frame was
 * there.  If it is this one, then that stack, of whichever thread, is the one around it, as it was
 * waiting then.  If not, as after another thread, or a greenlet, had its turn, it is not taken.
 *
 * Frames that wait in another way bear no mark and are looked at each time: those that called C
 * code which calls back (a sort with a key), whose stack top nobody knows; those that wait for a
 * generator, as a loop over one needs no operand for it; those that are being traced; and in 3.12
 * those that call a property for its value to be called, which leave a NULL below the slot in place
 * of what they took.  */
#include "tap/guest/python/calls.h"

#include "tap/guest/python/interpreter.h"
#include "tap/inside/pages.h"

enum {
    CALLS_MAX = 1 << 20,
    SLOTS_MAX = 4096, /* of a frame, to have a mark */
};

/* No pointer: it is odd, and outside of the address space. */
#define MARK ((uint64_t)0x5EE1000000000001)
#define MARK_DEPTH_SHIFT 1
#define MARK_DEPTHS ((uint64_t)(CALLS_MAX - 1) << MARK_DEPTH_SHIFT)

static struct {
    const char **known; /* the frames that were walked last, outermost first, without those that
                           stand for no place */
    uint32_t known_count;
    const char **seen; /* what this walk looks at, innermost first */
} calls;

static uint64_t *free_slot(const char *frame)
{
    int32_t top;
    memcpy(&top, frame + FRAME_STACK_TOP, sizeof top);
    return (uint64_t *)(uintptr_t)(frame + FRAME_SLOTS) + top;
}

/* Whether the frame, which is right outside of `inner`, waits for it in the way that is said above.
 */
static inline bool waits(const char *frame, const char *inner)
{
    if (!inner || python_word(inner, FRAME_STACK_TOP) & python.layout.frame_by_c)
        return false;
    return python.minor != 12 || free_slot(frame)[-1] != 0;
}

/* Once for each frame that gets a mark: that this is a frame as we know them. */
static bool has_room(const char *frame)
{
    const char *code = python_pointer(frame, python.layout.frame_code);
    int32_t locals, stack, top;
    memcpy(&top, frame + FRAME_STACK_TOP, sizeof top);
    memcpy(&locals, code + python.layout.code_locals, sizeof locals);
    memcpy(&stack, code + python.layout.code_stack_size, sizeof stack);
    return top >= locals && top < locals + stack;
}

static inline bool is_known(const char *frame, uint32_t *depth)
{
    uint64_t mark = *free_slot(frame);
    *depth = (uint32_t)((mark & MARK_DEPTHS) >> MARK_DEPTH_SHIFT);
    return (mark & ~MARK_DEPTHS) == MARK && *depth < calls.known_count &&
           calls.known[*depth] == frame;
}

/* Gathers frames into calls.seen, innermost first, up to one that is known: its depth is then in
 * *depth, else 0.  Returns how many; beyond CALLS_MAX the outermost are left out. */
static uint32_t gather(uint32_t *depth)
{
    uint32_t count = 0;
    const char *inner = NULL;
    for (const char *frame = python_frame(); frame && count < CALLS_MAX;
         inner = frame, frame = python_previous(frame)) {
        calls.seen[count++] = frame;
        if (waits(frame, inner) && is_known(frame, depth))
            return count;
    }
    *depth = 0;
    return count;
}

static bool make_room(void)
{
    if (!calls.known)
        calls.known = pages_map(CALLS_MAX * sizeof *calls.known);
    if (!calls.seen)
        calls.seen = pages_map(CALLS_MAX * sizeof *calls.seen);
    return calls.known && calls.seen;
}

/* Takes the frame for the one at this depth. */
static void keep(const char *frame, const char *inner, uint32_t depth)
{
    calls.known[depth] = frame;
    if (waits(frame, inner) && has_room(frame))
        *free_slot(frame) = MARK | (uint64_t)depth << MARK_DEPTH_SHIFT;
}

void calls_forget(void)
{
    calls.known_count = 0;
}

uint32_t calls_walk(struct places *places, struct heaptap_guest_thread *self)
{
    if (!make_room())
        return places_now(places);
    uint32_t outside, count = gather(&outside), depth = outside;
    uint32_t location = HEAPTAP_GUEST_UNKNOWN;
    heaptap_guest_cut(self, outside);
    for (uint32_t i = count; i-- > 0 && depth < CALLS_MAX;) {
        uint64_t number = places_number(places, calls.seen[i]);
        if (number == PLACE_NONE)
            continue;
        if (depth > outside)
            heaptap_guest_push(self, location);
        location = (uint32_t)number;
        keep(calls.seen[i], i ? calls.seen[i - 1] : NULL, depth++);
    }
    bool is_whole = count < CALLS_MAX && depth < CALLS_MAX && !self->excess;
    calls.known_count = is_whole ? depth : 0;
    return location;
}

uint32_t calls_walk_all(struct places *places, struct heaptap_guest_thread *self)
{
    uint32_t count = 0, location = HEAPTAP_GUEST_UNKNOWN;
    bool has_caller = false;
    if (!make_room())
        return places_now(places);
    for (const char *frame = python_frame(); frame && count < CALLS_MAX;
         frame = python_previous(frame))
        calls.seen[count++] = frame;
    heaptap_guest_cut(self, 0);
    while (count-- > 0) {
        uint64_t number = places_number(places, calls.seen[count]);
        if (number == PLACE_NONE)
            continue;
        if (has_caller)
            heaptap_guest_push(self, location);
        location = (uint32_t)number;
        has_caller = true;
    }
    return location;
}
