/* The walk on aarch64: frame records.
 *
 * The procedure call standard makes x29 point to a record of two words, the caller's x29 and the
 * return address, and every distribution compiles so.  A frame's `sp` here is the end of the record
 * its pc came from, which grows outwards as a stack pointer does, and puts the return address at sp
 * - 8 and the saved x29 at sp - 16.
 *
 * Code that uses x29 for something else would lead astray.  So a record must be aligned to 16, lie
 * above the previous one, and hold a return address in a known module's mapping; else the stack
 * ends, truncated. A chain ends regularly with x29 = 0 or a return address of 0.
 *
 * A signal handler's record links to the interrupted function's x29: the chain goes on through the
 * kernel's frame by itself, without the interrupted function's own address where that had no record
 * yet. */
#include "tap/unwind/thread.h"

#include "tap/unwind/module.h"

static bool is_code(struct unwind_thread *thread, uint64_t pc)
{
    uint64_t address = backend_code_address(pc) - 1;
    struct cache_entry *entry = &thread->cache[(address >> 12) & (THREAD_CACHE_ENTRIES - 1)];
    if (entry->pc == address >> 12)
        return true;
    const struct module *module = module_find(address);
    if (module && module->permanent)
        entry->pc = address >> 12;
    return module != NULL;
}

READS_STACKS enum walk_end walk_until(struct unwind_thread *thread, uint64_t limit)
{
    struct unwind_frame *frame = &thread->fresh[thread->fresh_length - 1];
    const struct unwind_frame *last = &thread->fresh[thread->max_frames - 1];
    enum walk_end end = WALK_ON;
    while (frame->sp < limit || frame == &thread->fresh[thread->fresh_length - 1]) {
        uint64_t record = frame->fp, fp, pc;
        if (record == 0) {
            end = WALK_COMPLETE;
            break;
        }
        if ((record & 15) || record < frame->sp || !stack_read(thread, record, &fp) ||
            !stack_read(thread, record + 8, &pc)) {
            end = WALK_TRUNCATED;
            break;
        }
        if (pc == 0) {
            end = WALK_COMPLETE;
            break;
        }
        if (!is_code(thread, pc)) {
            end = WALK_TRUNCATED;
            break;
        }
        if (frame == last) {
            thread->fresh_limited = true;
            end = WALK_TRUNCATED;
            break;
        }
        *++frame = (struct unwind_frame){
            .pc = pc, .sp = record + 16, .fp = fp, .witness_slot = record, .witness = fp};
    }
    thread->fresh_length = (uint32_t)(frame - thread->fresh) + 1;
    return end;
}

enum walk_end walk_slowly(struct unwind_thread *thread, const struct unwind_start *start)
{
    return WALK_TRUNCATED; /* walk_until never asks for it */
}

/* Frame records need no rules, so nothing of a module is remembered that could be stale. */
bool walk_confirm(struct unwind_thread *thread, uint32_t set)
{
    return true;
}

bool walk_has_rule(struct unwind_thread *thread, uint64_t pc, const struct backend_rule *rule)
{
    return false; /* whether `pc` is code is asked by the walk */
}
