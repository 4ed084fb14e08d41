#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

struct theirs {
    uint64_t start_pc;
    uint64_t addresses[PEERS_MOST_FRAMES]; /* site first, to be looked up as they are */
    uint32_t length, max;
    bool began, cut;
};

struct peers *peers_new(uint32_t max_frames)
{
    struct peers *peers = calloc(1, sizeof *peers);
    void *memory = aligned_alloc(64, (unwind_thread_size(max_frames) + 63) & ~(size_t)63);
    peers->thread = unwind_thread_init(memory, max_frames);
    peers->max_frames = max_frames;
    return peers;
}

void peers_free(struct peers *peers)
{
    free(peers->thread);
    free(peers);
}

static bool add(struct theirs *it, uint64_t pc, bool exact)
{
    if (!it->began && pc != it->start_pc)
        return true;
    it->began = true;
    if (pc == 0)
        return true;
    if (it->length == it->max) {
        it->cut = true;
        return false;
    }
    if (exact && it->length)
        it->addresses[it->length - 1]++; /* a trampoline's address is reported as it is */
    it->addresses[it->length++] = pc - !exact;
    return true;
}

static _Unwind_Reason_Code add_libgcc(struct _Unwind_Context *context, void *argument)
{
    int exact = 0;
    uint64_t pc = _Unwind_GetIPInfo(context, &exact);
    return add(argument, pc, exact) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

#ifdef HAVE_LIBUNWIND
static void take_libunwind(struct theirs *it)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    do {
        unw_word_t pc = 0;
        unw_get_reg(&cursor, UNW_REG_IP, &pc);
        if (!add(it, pc, false))
            break;
    } while (unw_step(&cursor) > 0);
}
#endif

/* Whether ours, turned site first, is theirs. */
static bool same(const struct unwind_stack *stack, const struct theirs *it, bool open_end)
{
    if (stack->length != it->length || (stack->truncated != it->cut && !open_end))
        return false;
    for (uint32_t i = 0; i < it->length; i++)
        if (stack->addresses[stack->length - 1 - i] != it->addresses[i])
            return false;
    return true;
}

static void print(const struct unwind_stack *stack, const struct theirs *it)
{
    printf("# ours %u%s, theirs %u\n", stack->length, stack->truncated ? " truncated" : "",
           it->length);
    for (uint32_t i = 0; i < 40 && (i < stack->length || i < it->length); i++)
        printf("# %3u %#18lx %#18lx\n", i,
               i < stack->length ? (unsigned long)stack->addresses[stack->length - 1 - i] : 0,
               i < it->length ? (unsigned long)it->addresses[i] : 0);
}

static void check_share(struct peers *peers, const struct unwind_stack *stack)
{
    uint32_t shared = stack->shared;
    peers->found.shared += shared;
    if (shared > stack->length || shared > peers->previous_length ||
        memcmp(peers->previous, stack->addresses, shared * sizeof *stack->addresses) != 0)
        peers->found.wrong_shares++;
    memcpy(peers->previous, stack->addresses, stack->length * sizeof *stack->addresses);
    peers->previous_length = stack->length;
}

void peers_compare(struct peers *peers, const struct unwind_start *start)
{
    struct unwind_stack *stack = &peers->stack;
    struct theirs libgcc = {.start_pc = start->pc, .max = peers->max_frames};
    unwind_capture(peers->thread, start, stack);
    _Unwind_Backtrace(add_libgcc, &libgcc);
    peers->found.captures++;
    peers->found.frames += stack->length;
    peers->found.truncated += stack->truncated;
    if (!same(stack, &libgcc, peers->open_end) && peers->found.differing++ == 0)
        print(stack, &libgcc);
    check_share(peers, stack);
#ifdef HAVE_LIBUNWIND
    if (peers->with_libunwind) {
        struct theirs libunwind = {.start_pc = start->pc, .max = peers->max_frames};
        take_libunwind(&libunwind);
        if (!same(stack, &libunwind, peers->open_end) && peers->found.libunwind_differing++ == 0)
            print(stack, &libunwind);
    }
#endif
}
