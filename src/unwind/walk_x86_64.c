/* The quick walk on x86-64: stack pointer, rbp and return address, by compiled rules.
 *
 * One step needs the rule of the return address, from the thread's cache (direct mapped, by return
 * address; the rule is that of the byte before it), then two loads from the stack: the return
 * address at CFA - 8 and rbp's place, which is the return address's again where rbp was kept, so
 * that the step has no branch on it.
 *
 * Every step must lead upwards: CFA above the stack pointer, both places between them.  So a walk
 * ends, and all it reads lies between the hook's frame and the top of the stack. */
#include "unwind/thread.h"

#include <string.h>

#include "unwind/module.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static const struct table_rule rule_none = {.cfa = TABLE_NONE};
static const struct table_rule rule_stale = {.cfa = TABLE_STALE};

/* ---- Rules by return address
 * ---------------------------------------------------------------------------- */

static inline uint32_t cache_index(uint64_t pc)
{
    return (uint32_t)(pc ^ pc >> 9 ^ pc >> 18) & (THREAD_CACHE_ENTRIES - 1);
}

enum { NO_ROOM = -1, SUPERSEDES = -2 };

/* The number of `module` among the thread's transients, noted there if there is room.  SUPERSEDES:
 * another one of them was at its place. */
static int note_transient(struct unwind_thread *thread, const struct module *module)
{
    for (uint32_t i = 0; i < thread->transient_count; i++) {
        const struct module *noted = thread->transients[i];
        if (noted == module)
            return (int)i;
        if (noted->start < module->end && module->start < noted->end)
            return SUPERSEDES;
    }
    if (thread->transient_count == THREAD_TRANSIENTS)
        return NO_ROOM;
    thread->transients[thread->transient_count] = module;
    return (int)thread->transient_count++;
}

static bool check_transient(struct unwind_thread *thread, uint32_t number, uint64_t address)
{
    if (thread->transients_checked >> number & 1)
        return true;
    if (!module_is_current(thread->transients[number], address))
        return false;
    thread->transients_checked |= 1u << number;
    return true;
}

/* A hit on a rule from a module that may be unloaded: is it still the one? */
static struct table_rule confirm(struct unwind_thread *thread, uint64_t address,
                                 struct table_rule rule)
{
    for (uint32_t i = 0; i < thread->transient_count; i++) {
        const struct module *module = thread->transients[i];
        if (address < module->start || address >= module->end)
            continue;
        if (!check_transient(thread, i, address))
            return rule_stale;
        thread->transients_used |= 1u << i;
        return rule;
    }
    return rule_stale;
}

static struct table_rule look_up(struct unwind_thread *thread, struct cache_entry *entry,
                                 uint64_t pc)
{
    struct module *module = module_find(pc - 1);
    if (thread->epoch != module_epoch())
        return rule_stale;
    if (!module || !module->header)
        return rule_none;
    struct table_rule rule = table_lookup(&module->table, pc - 1, &thread->scratch);
    if (!module->permanent) {
        int number = note_transient(thread, module);
        if (number == SUPERSEDES)
            return rule_stale;
        if (number == NO_ROOM) {
            thread->uncacheable = true;
            return rule;
        }
        thread->transients_checked |= 1u << number;
        thread->transients_used |= 1u << number;
        rule.transient = 1;
    }
    *entry = (struct cache_entry){pc, rule};
    return rule;
}

static __attribute__((noinline)) struct table_rule rule_slowly(struct unwind_thread *thread,
                                                               uint64_t pc)
{
    struct cache_entry *entry = &thread->cache[cache_index(pc)];
    if (entry->pc == pc)
        return confirm(thread, pc - 1, entry->rule);
    return look_up(thread, entry, pc);
}

static inline struct table_rule rule_of(struct unwind_thread *thread, uint64_t pc)
{
    const struct cache_entry *entry = &thread->cache[cache_index(pc)];
    if (LIKELY(entry->pc == pc && !entry->rule.transient))
        return entry->rule;
    return rule_slowly(thread, pc);
}

bool walk_previous_is_valid(struct unwind_thread *thread)
{
    for (uint32_t i = 0; i < thread->transient_count; i++)
        if ((thread->transients_previous >> i & 1) &&
            !check_transient(thread, i, thread->transients[i]->start))
            return false;
    thread->transients_used |= thread->transients_previous;
    return true;
}

/* ---- Steps
 * ---------------------------------------------------------------------------------------------- */

/* Whether a rule that is not a plain sum ends the walk; else sets *cfa. */
static __attribute__((noinline)) enum walk_end
unusual(struct unwind_thread *thread, struct table_rule rule, uint64_t fp, uint64_t *cfa)
{
    switch (rule.cfa) {
    case TABLE_AT_FP:
        return stack_read(thread, fp + (uint64_t)(int64_t)rule.cfa_offset, cfa) ? WALK_ON
                                                                                : WALK_TRUNCATED;
    case TABLE_OUTERMOST:
        return WALK_COMPLETE;
    case TABLE_HARD:
        return WALK_HARD;
    case TABLE_STALE:
        return WALK_STALE;
    default:
        return WALK_TRUNCATED;
    }
}

READS_STACKS enum walk_end walk_until(struct unwind_thread *thread, uint64_t limit)
{
    struct unwind_frame *frame = &thread->fresh[thread->fresh_length - 1];
    const struct unwind_frame *last = &thread->fresh[thread->max_frames - 1];
    const uint64_t base = thread->base, span = thread->span;
    uint64_t pc = frame->pc, sp = frame->sp, fp = frame->fp;
    enum walk_end end = WALK_ON;
    do {
        struct table_rule rule = rule_of(thread, pc);
        uint64_t cfa = (rule.cfa == TABLE_FP ? fp : sp) + (uint64_t)(int64_t)rule.cfa_offset;
        if (UNLIKELY(rule.cfa > TABLE_FP) && (end = unusual(thread, rule, fp, &cfa)) != WALK_ON)
            break;
        uint64_t slot =
            (UNLIKELY(rule.fp == TABLE_LINKED) ? fp : cfa) + (uint64_t)((int64_t)rule.fp_words * 8);
        if (UNLIKELY(cfa <= sp || (cfa & 7) || (slot & 7) || slot < sp || slot >= cfa)) {
            end = WALK_TRUNCATED;
            break;
        }
        uint64_t witness;
        if (LIKELY(cfa - base <= span)) {
            pc = stack_load(cfa - 8);
            witness = stack_load(slot);
        } else if (!stack_read(thread, cfa - 8, &pc) || !stack_read(thread, slot, &witness)) {
            end = WALK_TRUNCATED;
            break;
        }
        if (UNLIKELY(pc == 0)) {
            end = WALK_COMPLETE;
            break;
        }
        if (UNLIKELY(frame == last)) {
            thread->fresh_limited = true;
            end = WALK_TRUNCATED;
            break;
        }
        sp = cfa;
        fp = rule.fp == TABLE_KEPT ? fp : witness;
        frame++;
        /* A CFA read from memory is a third word: such a frame is walked anew each time. */
        bool checkable = rule.cfa != TABLE_AT_FP;
        *frame = (struct unwind_frame){pc, sp, fp, slot, checkable ? witness : ~witness};
    } while (sp < limit);
    thread->fresh_length = (uint32_t)(frame - thread->fresh) + 1;
    return end;
}
