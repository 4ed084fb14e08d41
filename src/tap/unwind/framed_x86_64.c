/* Code without tables: what a compiler makes while the program runs, and assembly that says nothing
 * of its frames.
 *
 * Most of it keeps rbp as in the old days: there lies the caller's rbp, and above that the return
 * address.  But nothing says so.  In code that leaves rbp as it found it, or uses it otherwise (as
 * Java's compiled methods do), rbp may well lead to a frame further out, and those between would
 * be missed: a stack that is wrong and looks right.
 *
 * The true return address lies somewhere above the stack pointer, wherever that is, and it can be
 * known when it is seen: it is an address of code, right behind a call.  So rbp is believed if the
 * word that it leads to is of that kind, and no word below it is.  Or if some are, as places that
 * were never set can hold return addresses of old, but the code itself says that it keeps rbp:
 * going back from where it is, the first beginning of a function that is met is "push rbp; mov rbp,
 * rsp", and not one by which rbp is saved for other uses.
 *
 * The code can be replaced by other code at any time, so nothing of this is remembered beyond the
 * capture, and a stack with such a frame is never used again (thread->uncacheable). */
#include "tap/unwind/framed_x86_64.h"

#include "tap/unwind/module.h"

enum {
    PAGE_BYTES = 4096,
    LARGEST_FRAME = 32768,
    FARTHEST_BEGINNING = 8192,
    NEAR = 1 << 28, /* compilers put their code into one area, which is smaller */
};

/* Whether the bytes before `end` are an indirect call of that length: ff /2, whose operand takes a
 * further byte, a displacement, both or neither. */
READS_STACKS static bool is_indirect_call(const uint8_t *end, int length)
{
    static const uint8_t displacement[] = {0, 1, 4, 0}; /* by mod */
    uint8_t form = end[1 - length], mod = form >> 6, rm = form & 7;
    if (end[-length] != 0xff || (form >> 3 & 7) != 2)
        return false;
    bool has_sib = mod != 3 && rm == 4;
    bool absolute = mod == 0 && (rm == 5 || (has_sib && (end[2 - length] & 7) == 5));
    return length == 2 + has_sib + (absolute ? 4 : displacement[mod]);
}

READS_STACKS static bool is_behind_call(struct unwind_thread *thread, uint64_t pc)
{
    enum { LONGEST = 7, SHORTEST = 2, RELATIVE = 5 };
    uint64_t word, longest = LONGEST;
    if (pc < PAGE_BYTES || !stack_read(thread, (pc - 1) & ~(uint64_t)7, &word))
        return false;
    if (!stack_read(thread, (pc - LONGEST) & ~(uint64_t)7, &word))
        longest = pc % PAGE_BYTES; /* the first code of its area */
    const uint8_t *end = (const uint8_t *)pc;
    if (longest >= RELATIVE && end[-RELATIVE] == 0xe8)
        return true;
    for (uint64_t length = SHORTEST; length <= longest; length++)
        if (is_indirect_call(end, (int)length))
            return true;
    return false;
}

/* The ways in which functions begin; OTHER stands for their ends, too. */
enum beginning { NOT_FOUND, FRAMED, OTHER };

/* Whether a function ends here: ret, and what fills the room before the next one. */
READS_STACKS static bool is_end(const uint8_t *code)
{
    if (code[0] == 0xcc && code[1] == 0xcc)
        return true;
    return code[0] == 0xc3 && (code[1] == 0xcc || code[1] == 0x90 || code[1] == 0xf4 ||
                               code[1] == 0x66 || (code[1] == 0x0f && code[2] == 0x1f));
}

/* What the four bytes at `code` begin. */
READS_STACKS static enum beginning beginning_at(const uint8_t *code)
{
    if (code[0] == 0x55 && code[1] == 0x48) { /* push rbp, and */
        if ((code[2] == 0x89 && code[3] == 0xe5) || (code[2] == 0x8b && code[3] == 0xec))
            return FRAMED; /* mov rbp, rsp */
        bool makes_room = (code[2] == 0x81 || code[2] == 0x83) && code[3] == 0xec;
        return makes_room ? OTHER : NOT_FOUND; /* sub rsp, n */
    }
    bool saves_rbp = code[0] == 0x48 && code[1] == 0x89 && (code[2] == 0x6c || code[2] == 0xac) &&
                     code[3] == 0x24; /* mov [rsp + n], rbp */
    return saves_rbp || is_end(code) ? OTHER : NOT_FOUND;
}

static bool begins_framed(struct unwind_thread *thread, uint64_t pc)
{
    enum { AND_A_CALL = 6 };
    uint64_t word, page = 0;
    for (uint64_t at = pc - AND_A_CALL; at > PAGE_BYTES && pc - at < FARTHEST_BEGINNING; at--) {
        if (at / PAGE_BYTES != page && !stack_read(thread, at & ~(uint64_t)7, &word))
            return false;
        page = at / PAGE_BYTES;
        enum beginning beginning = beginning_at((const uint8_t *)at);
        if (beginning != NOT_FOUND)
            return beginning == FRAMED;
    }
    return false;
}

static bool is_near(uint64_t a, uint64_t b)
{
    return a - b < NEAR || b - a < NEAR;
}

/* Whether `word` may be the return address of code at `pc`, which was perhaps called from code
 * around `caller`. */
static bool may_return(struct unwind_thread *thread, uint64_t word, uint64_t pc, uint64_t caller)
{
    bool may_be_code = is_near(word, pc) || is_near(word, caller) || module_find(word - 1);
    return may_be_code && is_behind_call(thread, word);
}

/* Whether a word from sp up to fp may be the return address of the frame. */
READS_STACKS static bool has_other_return(struct unwind_thread *thread,
                                          const struct unwind_frame *frame, uint64_t caller)
{
    for (uint64_t at = frame->sp; at <= frame->fp; at += 8)
        if (may_return(thread, stack_load(at), frame->pc, caller))
            return true;
    return false;
}

READS_STACKS bool framed_can_step(struct unwind_thread *thread, const struct unwind_frame *frame)
{
    uint64_t offset = frame->fp - thread->base;
    thread->uncacheable = true;
    if ((frame->fp & 7) || frame->fp - frame->sp > LARGEST_FRAME || thread->span < 16 ||
        offset > thread->span - 16)
        return false;
    uint64_t caller = stack_load(frame->fp + 8);
    return is_behind_call(thread, caller) &&
           (!has_other_return(thread, frame, caller) || begins_framed(thread, frame->pc));
}
