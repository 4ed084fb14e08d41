/* The quick walk on x86-64: stack pointer, rbp and return address, by compiled rules.
 *
 * One step needs the rule of the return address, from the thread's cache (by return address; the
 * rule is that of the byte before it), then two loads from the stack: the return
 * address at CFA - 8 and rbp's place, which is the return address's again where rbp was kept, so
 * that the step has no branch on it.  Each entry of the cache remembers which one came next the
 * last time; where that is right, as it mostly is, the next rule is there before the return address
 * is.
 *
 * Every step must lead upwards: CFA above the stack pointer, both places between them.  So a walk
 * ends, and all it reads lies between the hook's frame and the top of the stack. */
#include "tap/unwind/thread.h"

#include <string.h>

#include "tap/unwind/framed_x86_64.h"
#include "tap/unwind/module.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Without a rule: by rbp, if that leads somewhere. */
static const struct table_rule rule_framed = {
    .cfa = TABLE_FRAMED, .cfa_offset = 16, .fp = TABLE_SAVED, .fp_words = -2};
static const struct table_rule rule_stale = {.cfa = TABLE_STALE};

/* ---- Rules by return address ----------------------------------------------------------------- */

/* A rule is in the first place for its return address, or in one of the others of a group of
 * CACHE_PLACES, to which newcomers drive it: callers on one stack whose addresses clash all stay.
 * Looking at the others costs about 5 ns, a miss 60. */
enum { CACHE_PLACES = 4 };

/* The first place. */
static inline struct cache_entry *entry_of(struct unwind_thread *thread, uint64_t pc)
{
    enum { BITS = 11 };
    _Static_assert(THREAD_CACHE_ENTRIES == 1 << BITS, "the upper bits of the product");
    const uint64_t golden = 0x9e3779b97f4a7c15; /* functions start at multiples of 16: mix well */
    return &thread->cache[pc * golden >> (64 - BITS)];
}

/* Where the caller was last time: a guess that costs no more than a load, and none of what the
 * step from here waits for. */
static inline struct cache_entry *entry_guessed(struct unwind_thread *thread,
                                                const struct cache_entry *entry)
{
    return (struct cache_entry *)((char *)thread->cache + entry->caller);
}

enum { NO_ROOM = -1, SUPERSEDES = -2 };

/* The number of `module` among the thread's transients, noted there if there is room.  SUPERSEDES:
 * another one of them was at its place. */
static int note_transient(struct unwind_thread *thread, const struct module *module)
{
    for (uint32_t i = 0; i < thread->transient_count; i++) {
        const struct module *noted = thread->transients[i].module;
        if (noted == module)
            return (int)i;
        if (noted->start < module->end && module->start < noted->end)
            return SUPERSEDES;
    }
    if (thread->transient_count == THREAD_TRANSIENTS)
        return NO_ROOM;
    thread->transients[thread->transient_count] = (struct unwind_transient){.module = module};
    return (int)thread->transient_count++;
}

static inline bool check_transient(struct unwind_thread *thread, uint32_t number)
{
    struct unwind_transient *transient = &thread->transients[number];
    if (thread->transients_checked >> number & 1)
        return true;
    if (UNLIKELY(!module_is_watched(&transient->watch)) &&
        !module_watch(transient->module, &transient->watch))
        return false;
    thread->transients_checked |= 1u << number;
    return true;
}

static inline bool is_confirmed(const struct unwind_thread *thread, const struct table_rule *rule)
{
    return LIKELY(!rule->transient) || (thread->transients_checked << 1 >> rule->transient & 1);
}

static struct table_rule look_up(struct unwind_thread *thread, uint64_t pc, bool *lasts)
{
    *lasts = false;
    struct module *module = module_find(pc - 1);
    if (thread->epoch != module_epoch())
        return rule_stale;
    if (!module || !module->header)
        return rule_framed;
    struct table_rule rule = table_lookup(&module->table, pc - 1, &thread->scratch);
    if (rule.cfa == TABLE_NONE)
        rule = rule_framed;
    if (!module->permanent) {
        int number = note_transient(thread, module);
        if (number == SUPERSEDES)
            return rule_stale;
        if (number == NO_ROOM) {
            thread->uncacheable = true;
            return rule;
        }
        thread->transients_checked |= 1u << number;
        rule.transient = (uint8_t)(number + 1);
    }
    *lasts = true;
    return rule;
}

static struct cache_entry *odd_entry(struct unwind_thread *thread, uint64_t pc,
                                     struct table_rule rule)
{
    thread->odd = (struct cache_entry){.pc = pc, .rule = rule};
    return &thread->odd;
}

static __attribute__((noinline)) struct cache_entry *entry_slowly(struct unwind_thread *thread,
                                                                  uint64_t pc)
{
    struct cache_entry *first = entry_of(thread, pc);
    uint32_t index = (uint32_t)(first - thread->cache);
    for (uint32_t n = 0; n < CACHE_PLACES; n++) {
        struct cache_entry *entry = &thread->cache[index ^ n];
        if (entry->pc != pc)
            continue;
        if (is_confirmed(thread, &entry->rule) ||
            check_transient(thread, entry->rule.transient - 1u))
            return entry;
        return odd_entry(thread, pc, rule_stale);
    }
    bool lasts;
    struct table_rule rule = look_up(thread, pc, &lasts);
    if (!lasts)
        return odd_entry(thread, pc, rule);
    if (first->pc)
        thread->cache[index ^ (1 + thread->evictions++ % (CACHE_PLACES - 1))] = *first;
    *first = (struct cache_entry){.pc = pc, .rule = rule};
    return first;
}

/* What is known of the call that returns to `pc`; valid until the next one is asked for. */
static inline struct cache_entry *entry_find(struct unwind_thread *thread, uint64_t pc)
{
    struct cache_entry *entry = entry_of(thread, pc);
    return LIKELY(entry->pc == pc && is_confirmed(thread, &entry->rule)) ? entry
                                                                         : entry_slowly(thread, pc);
}

/* The same for the caller of the frame whose entry is `entry`. */
static inline struct cache_entry *entry_next(struct unwind_thread *thread,
                                             struct cache_entry *entry, uint64_t pc)
{
    struct cache_entry *guess = entry_guessed(thread, entry);
    if (LIKELY(guess->pc == pc && is_confirmed(thread, &guess->rule)))
        return guess;
    struct cache_entry *caller = entry_find(thread, pc);
    if (caller != &thread->odd)
        entry->caller = (uint32_t)((char *)caller - (char *)thread->cache);
    return caller;
}

bool walk_confirm(struct unwind_thread *thread, uint32_t set)
{
    for (; UNLIKELY(set); set &= set - 1)
        if (!check_transient(thread, (uint32_t)__builtin_ctz(set)))
            return false;
    return true;
}

bool walk_has_rule(struct unwind_thread *thread, uint64_t pc, const struct table_rule *rule)
{
    const struct cache_entry *entry = entry_of(thread, pc);
    return pc != 0 && entry->pc == pc && is_confirmed(thread, rule) &&
           memcmp(&entry->rule, rule, sizeof *rule) == 0;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* What a step reads: the return address below `cfa`, and the word at `slot`. */
struct places {
    uint64_t cfa, slot;
};

/* Finds the places where the CFA is no plain sum, or says why there are none. */
static __attribute__((noinline)) enum walk_end
unusual(struct unwind_thread *thread, const struct unwind_frame *frame, struct places *places)
{
    const struct table_rule *rule = &frame->rule;
    const uint64_t fp = frame->fp;
    switch (rule->cfa) {
    case TABLE_AT_FP:
        if (!stack_read(thread, fp + (uint64_t)(int64_t)rule->cfa_offset, &places->cfa))
            return WALK_TRUNCATED;
        places->slot =
            (rule->fp == TABLE_LINKED ? fp : places->cfa) + (uint64_t)(rule->fp_words * 8);
        return (places->slot & 7) || places->slot >= places->cfa ? WALK_TRUNCATED : WALK_ON;
    case TABLE_FRAMED:
        *places = (struct places){.cfa = fp + 16, .slot = fp};
        return framed_can_step(thread, frame) ? WALK_ON : WALK_TRUNCATED;
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

static __attribute__((noinline)) bool read_foreign(struct unwind_thread *thread,
                                                   const struct places *places, uint64_t words[2])
{
    return stack_read(thread, places->cfa - 8, &words[0]) &&
           stack_read(thread, places->slot, &words[1]);
}

READS_STACKS enum walk_end walk_until(struct unwind_thread *thread, uint64_t limit)
{
    struct unwind_frame *frame = &thread->fresh[thread->fresh_length - 1];
    const struct unwind_frame *last = &thread->fresh[thread->max_frames - 1];
    const uint64_t base = thread->base, span = thread->span;
    uint64_t pc = frame->pc, sp = frame->sp, fp = frame->fp;
    enum walk_end end = WALK_ON;
    struct cache_entry *entry = entry_find(thread, pc);
    for (;;) {
        const struct table_rule *rule = &entry->rule;
        frame->rule = *rule;
        uint64_t cfa = (rule->cfa == TABLE_FP ? fp : sp) + (uint64_t)(int64_t)rule->cfa_offset;
        uint64_t slot = cfa + (uint64_t)(rule->fp_words * 8);
        /* A CFA read from memory is a third word: such a frame is walked anew each time. */
        bool unchecked = false;
        if (UNLIKELY(rule->cfa > TABLE_FP)) {
            struct places places;
            end = unusual(thread, frame, &places);
            if (end != WALK_ON)
                break;
            cfa = places.cfa;
            slot = places.slot;
            unchecked = true;
        }
        /* slot < cfa, as all rules have it, so this also says that cfa > sp. */
        if (UNLIKELY(slot < sp || (cfa & 7))) {
            end = WALK_TRUNCATED;
            break;
        }
        uint64_t witness;
        if (LIKELY(cfa - base <= span)) {
            pc = stack_load(cfa - 8);
            witness = stack_load(slot);
        } else {
            uint64_t words[2];
            if (!read_foreign(thread, &(struct places){cfa, slot}, words)) {
                end = WALK_TRUNCATED;
                break;
            }
            pc = words[0];
            witness = words[1];
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
        fp = rule->fp == TABLE_KEPT ? fp : witness;
        frame++;
        frame->pc = pc;
        frame->sp = sp;
        frame->fp = fp;
        frame->witness_slot = slot;
        frame->witness = witness;
        frame->unchecked = unchecked;
        if (sp >= limit)
            break;
        entry = entry_next(thread, entry, pc);
    }
    thread->fresh_length = (uint32_t)(frame - thread->fresh) + 1;
    return end;
}
