/* Where a Lua program is: which coroutine runs, what its calls are, and on which lines.
 *
 * Which coroutine runs, Lua tells nobody; but only the one that runs can have a Lua function on
 * top, as all others wait in a C function: in resume, or in yield.  So the one that ran last is
 * looked at, and from there the way is short: if it ended or yielded, the one that resumed it runs;
 * if it is in coroutine.resume, the one that it resumed.
 *
 * The calls of a coroutine are kept as they were seen last, and each seen call bears a mark in its
 * own record, which Lua wipes out when the record is used for another call.  The innermost call
 * with a mark has been under way ever since, and so have all around it, which haven't moved either:
 * they are not looked at again.  Only that one and those within it are. */
#include <string.h>

#include "tap/guest/lua/heap.h"
#include "tap/guest/lua/holders.h"
#include "tap/guest/state.h"
#include "tap/inside/pages.h"

enum { STATUS_OK = 0, STATUS_YIELD = 1, WATCHED_NO_MORE = 1 /* in place of an address */ };

/* ---- Coroutines ----------------------------------------------------------------------------- */

/* Has it begun, and neither ended nor yielded? */
static bool is_under_way(const struct lua_State *L)
{
    return L->status == STATUS_OK && L->ci->previous != NULL;
}

/* Lua moves stacks, and from 5.4.5 on has offsets in place of pointers while it does. */
static bool function_is_plausible(const struct lua_State *L, const struct call_info *call)
{
    return call->function >= L->stack && call->function < L->stack_last + STACK_MARGIN;
}

/* Does it wait for one that it has resumed? */
static bool is_waiting(const struct lua_heap *heap, const struct lua_State *L)
{
    bool waiting = L == heap->main;
    for (uint32_t i = 0; i < heap->resumer_count && !waiting; i++)
        waiting = heap->resumers[i] == L;
    return waiting;
}

/* The coroutine that runs because of the C function on top of `L`: coroutine.resume has it as its
 * first argument, what coroutine.wrap makes has it as its upvalue.  NULL if it has none that is
 * under way and doesn't wait itself. */
static struct lua_State *resumed_by(const struct lua_heap *heap, const struct lua_State *L)
{
    const struct lua_value *function = L->ci->function, *thread = NULL;
    if (!function_is_plausible(L, L->ci))
        return NULL;
    if (function->type == VALUE_LIGHT_FUNCTION && function + 1 < L->top)
        thread = function + 1;
    else if (function->type == VALUE_C_CLOSURE &&
             ((struct c_closure *)function->is.object)->nupvalues == 1)
        thread = &((struct c_closure *)function->is.object)->upvalues[0];
    if (!thread || thread->type != VALUE_THREAD)
        return NULL;
    struct lua_State *resumed = thread->is.object;
    return resumed != L && is_under_way(resumed) && !is_waiting(heap, resumed) ? resumed : NULL;
}

static struct lua_State *running(struct lua_heap *heap)
{
    struct lua_State *L = heap->current;
    for (;;) {
        if (L != heap->main && !is_under_way(L)) {
            L = heap->resumer_count ? heap->resumers[--heap->resumer_count] : heap->main;
            continue;
        }
        if (heap->block == L->stack || call_is_lua(L->ci))
            break;
        struct lua_State *resumed = resumed_by(heap, L);
        if (!resumed || heap->resumer_count == RESUMERS_MAX)
            break;
        heap->resumers[heap->resumer_count++] = L;
        L = resumed;
    }
    heap->current = L;
    return L;
}

void places_find_running(struct lua_heap *heap)
{
    running(heap);
}

/* ---- Blocks that are watched ------------------------------------------------------ */

/* Where blocks are drawn, the heap's own filter has to lead the end of this one to us. */
static void heap_filter_set(struct lua_heap *heap, const void *block, bool watch)
{
    if (heaptap_guest_is_watched(&heap->guest) && !heaptap_guest_is_exact(&heap->guest))
        drawn_watch(heap->guest.state, (uintptr_t)block, watch);
}

static void watch_filter_set(struct lua_heap *heap, const void *block, bool watch)
{
    uint8_t *slot = &heap->watch_filter[(uintptr_t)block >> 4 & 4095];
    if (*slot < UINT8_MAX)
        *slot += watch ? 1 : -1;
    heap_filter_set(heap, block, watch);
}

void places_watch_again(void *context, struct heaptap_guest *guest)
{
    struct lua_heap *heap = context;
    lua_holders_forked(heap);
    if (!heaptap_guest_is_watched(guest)) {
        guest_tell_lost(true);
        return;
    }
    for (uint32_t i = 0; i < 1u << WATCHED_BITS; i++)
        if (heap->watched[i] > WATCHED_NO_MORE)
            heap_filter_set(heap, (const void *)heap->watched[i], true);
}

static uint32_t watch_hash(const void *block)
{
    return (uint32_t)(((uintptr_t)block * 0x9E3779B97F4A7C15u) >> (64 - WATCHED_BITS));
}

static void forget_sites(struct lua_heap *heap)
{
    memset(heap->sites, 0, sizeof heap->sites);
    for (uint32_t i = 0; i < 1u << WATCHED_BITS; i++)
        if (heap->watched[i] > WATCHED_NO_MORE)
            watch_filter_set(heap, (const void *)heap->watched[i], false);
    memset(heap->watched, 0, sizeof heap->watched);
    memset(heap->watch_filter, 0, sizeof heap->watch_filter);
    heap->watched_count = 0;
    for (struct lua_calls *calls = heap->calls; calls; calls = calls->next)
        places_watch(heap, (const char *)calls->of - THREAD_MARGIN);
}

void places_watch(struct lua_heap *heap, const void *block)
{
    uint32_t at = watch_hash(block), mask = (1u << WATCHED_BITS) - 1;
    for (; heap->watched[at & mask]; at++)
        if (heap->watched[at & mask] == (uintptr_t)block)
            return;
    if (heap->watched_count >= mask / 2) {
        forget_sites(heap);
        at = watch_hash(block);
        while (heap->watched[at & mask])
            at++;
    }
    heap->watched[at & mask] = (uintptr_t)block;
    heap->watched_count++;
    watch_filter_set(heap, block, true);
}

static void calls_free(struct lua_calls *calls)
{
    heaptap_guest_thread_release(&calls->stack);
    pages_unmap(calls->seen, calls->capacity * sizeof *calls->seen);
    pages_unmap(calls, sizeof *calls);
}

static void forget_thread(struct lua_heap *heap, struct lua_State *L)
{
    struct lua_calls **at = &heap->calls;
    while (*at && (*at)->of != L)
        at = &(*at)->next;
    if (*at) {
        struct lua_calls *calls = *at;
        *at = calls->next;
        if (heap->current_calls == calls)
            heap->current_calls = NULL;
        calls_free(calls);
    }
    if (heap->current == L) {
        heap->current = heap->main;
        heap->resumer_count = 0;
    }
}

void places_forget(struct lua_heap *heap, void *block)
{
    uint32_t at = watch_hash(block), mask = (1u << WATCHED_BITS) - 1;
    while (heap->watched[at & mask] && heap->watched[at & mask] != (uintptr_t)block)
        at++;
    if (!heap->watched[at & mask])
        return;
    forget_thread(heap, (struct lua_State *)((char *)block + THREAD_MARGIN));
    /* The slot stays taken, by an address that no block has: others may lie behind it. */
    heap->watched[at & mask] = WATCHED_NO_MORE;
    watch_filter_set(heap, block, false);
    memset(heap->sites, 0, sizeof heap->sites);
}

/* ---- Lines ------------------------------------------------------------------------ */

/* The name of a function as its caller calls it; NULL for a main chunk. */
static const char *function_name(const struct lua_debug *debug)
{
    if (debug->what && strcmp(debug->what, "main") == 0)
        return NULL;
    return debug->name && *debug->name ? debug->name : "(anonymous)";
}

static const char *file_name(const struct lua_debug *debug)
{
    if (debug->source && (debug->source[0] == '@' || debug->source[0] == '='))
        return debug->source + 1;
    return debug->short_src;
}

static uint32_t look_up(struct lua_heap *heap, struct lua_State *L, struct call_info *call)
{
    struct lua_debug debug = {.ci = call};
    if (!lua.getinfo(L, "Sln", &debug))
        return HEAPTAP_GUEST_UNKNOWN;
    return heaptap_guest_location(&heap->guest, file_name(&debug), function_name(&debug),
                                  debug.currentline > 0 ? (uint32_t)debug.currentline : 0);
}

/* The place of a Lua call, which is at its saved program counter. */
static uint32_t place_of(struct lua_heap *heap, struct lua_State *L, struct call_info *call)
{
    const uint32_t *pc = call->u.lua.savedpc;
    struct lua_site *site =
        &heap->sites[((uintptr_t)pc * 0x9E3779B97F4A7C15u) >> (64 - SITES_BITS)];
    if (site->pc != pc) {
        places_watch(heap, call_prototype(call)->code);
        site->location = look_up(heap, L, call);
        site->pc = pc;
    }
    return site->location;
}

/* ---- Stacks ----------------------------------------------------------------------- */

static struct lua_calls *calls_of(struct lua_heap *heap, struct lua_State *L)
{
    struct lua_calls *calls = heap->current_calls;
    if (calls && calls->of == L)
        return calls;
    for (calls = heap->calls; calls && calls->of != L; calls = calls->next)
        ;
    if (!calls && (calls = pages_map(sizeof *calls))) {
        calls->of = L;
        calls->next = heap->calls;
        heap->calls = calls;
        places_watch(heap, (const char *)L - THREAD_MARGIN);
    }
    heap->current_calls = calls;
    return calls;
}

static bool add_seen(struct lua_calls *calls, struct call_info *call)
{
    if (calls->count == calls->capacity) {
        uint32_t capacity = calls->capacity ? 2 * calls->capacity : 256;
        struct seen_call *seen = pages_map(capacity * sizeof *seen);
        if (!seen)
            return false;
        if (calls->count)
            memcpy(seen, calls->seen, calls->count * sizeof *seen);
        pages_unmap(calls->seen, calls->capacity * sizeof *seen);
        calls->seen = seen;
        calls->capacity = capacity;
    }
    calls->seen[calls->count++] = (struct seen_call){call, calls->stack.depth};
    call->callstatus |= CALL_SEEN;
    return true;
}

/* The innermost call that is known to be still under way is taken off, with all within: it is the
 * first to be looked at again.  NULL: all are new. */
static struct call_info *first_known(struct lua_calls *calls, struct call_info *leaf)
{
    struct call_info *call = leaf;
    while (call && !(call->callstatus & CALL_SEEN))
        call = call->previous;
    while (call && calls->count && calls->seen[calls->count - 1].call != call)
        calls->count--;
    if (!call || !calls->count) {
        calls->count = 0;
        heaptap_guest_cut(&calls->stack, 0);
        return NULL;
    }
    calls->count--;
    heaptap_guest_cut(&calls->stack, calls->seen[calls->count].depth);
    return call;
}

/* Makes the stack that of the calls around `leaf`. */
static void walk(struct lua_heap *heap, struct lua_State *L, struct call_info *leaf)
{
    struct lua_calls *calls = calls_of(heap, L);
    if (!calls)
        return;
    struct call_info *call = first_known(calls, leaf);
    if (!call)
        for (call = leaf; call->previous; call = call->previous)
            ;
    for (; call; call = call->next) {
        if (!add_seen(calls, call) || call == leaf)
            break;
        if (call_is_lua(call))
            heaptap_guest_push(&calls->stack, place_of(heap, L, call));
    }
}

/* ---- The place of an allocation --------------------------------------------------- */

/* A function that makes a table hasn't saved where it is. */
static void correct_pc(struct lua_heap *heap, struct call_info *call)
{
    if (!heap->entry || !heap->makes_table)
        return;
    const uint32_t *pc =
        recipes_apply(heap->recipes, heap->recipe_count, heap->entry, call_prototype(call));
    if (pc)
        call->u.lua.savedpc = pc;
}

uint32_t places_locate(void *context, struct heaptap_guest *guest,
                       struct heaptap_guest_thread *self, const void *hint)
{
    struct lua_heap *heap = context;
    struct lua_State *L = running(heap);
    if (heap->stacks)
        calls_of(heap, L);
    if (heap->block && heap->block == L->stack)
        return heap->resize_location;
    struct call_info *call = L->ci;
    if (call_is_lua(call)) {
        if (!function_is_plausible(L, call))
            return heap->resize_location;
        correct_pc(heap, call);
    }
    while (call && !call_is_lua(call))
        call = call->previous;
    if (!call)
        return HEAPTAP_GUEST_UNKNOWN;
    if (!function_is_plausible(L, call))
        return heap->resize_location;
    if (heap->stacks)
        walk(heap, L, call);
    return place_of(heap, L, call);
}
