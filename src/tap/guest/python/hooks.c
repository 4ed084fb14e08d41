/* The hooks in Python's allocators.
 *
 * Python has three of them.  PyMem_ and PyObject_ are called by whoever holds the interpreter's
 * lock, and small blocks of both come from the same pools.  PyMem_Raw may be called without the
 * lock (raw.c); blocks of the other two that are too large for the pools are passed on to it.
 *
 * A block is booked not when it is allocated but at the next event that has to be looked at, or at
 * its end, since its type is known only then (types.h); till then it is `pending`: its size, its
 * line and its stack are in hand, and no table was touched for it.  Where a collection comes
 * between, which can run any Python code, the object may still not be made at the next event; then
 * the block is booked without its type, and is one of the `late` ones.
 *
 * The memory of a block is read only while the block is alive.  So the pending block and the late
 * ones are alive at all times: whatever ends or moves a block calls begin() with it first, which
 * takes it out, with the type that it has by then.  Where ends may have gone unseen, the blocks are
 * taken out unread (abandon()).
 *
 * A block that is drawn is told to the core when it is booked, and not when its turn is; so the
 * countdown to the next one stands still meanwhile, and the next allocation is looked at whether or
 * not it is drawn.  Else small blocks would slip through in the shadow of a large one.
 *
 * Where every block is looked at, each goes through the hooks here.  Where blocks are drawn, those
 * of drawn.c come first.
 *
 * When the interpreter takes itself apart, it frees what the program had kept; what is live then is
 * what the program retained, so the recording is over by then. */
#include "tap/guest/python/hooks.h"

#include <stdint.h>
#include <unistd.h>

#include "tap/guest/python/announced.h"
#include "tap/guest/python/calls.h"
#include "tap/guest/python/holders.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/raw.h"
#include "tap/guest/python/seen.h"
#include "tap/guest/python/types.h"
#include "tap/guest/python/watch.h"
#include "tap/guest/state.h"

struct python_tap tap;

static inline bool is_object(const struct python_allocator *next)
{
    return next == &tap.next[PYTHON_OBJ];
}

/* ---- Booking ---------------------------------------------------------------------- */

static inline void book(uint32_t type)
{
    struct heaptap_guest_block block = {
        .address = (uint64_t)(uintptr_t)tap.pending.block,
        .bytes = tap.pending.bytes,
        .type = type,
        .location = tap.pending_location,
    };
    tap.pending.block = NULL;
    tap.heap.thread.countdown = tap.pending_countdown;
    heaptap_guest_allocated(&tap.heap, &tap.calls, &block);
}

static inline uint32_t type_of_pending(void)
{
    return tap.pending_is_object ? types_of(&tap.heap, tap.pending.block, tap.pending.bytes)
                                 : types_internal(&tap.heap);
}

/* Where blocks are drawn, the heap's filter has to lead the end of a late one here. */
static void look_at_end(const struct python_late *late, bool look)
{
    if (!tap.exact)
        drawn_watch(tap.heap.state, (uint64_t)(uintptr_t)late->it.block, look);
}

static __attribute__((noinline)) void add_late(struct python_awaited it)
{
    struct python_late *late = &tap.late[tap.late_count++];
    *late = (struct python_late){it, 0};
    look_at_end(late, true);
}

static void take_out_late(struct python_late *late)
{
    look_at_end(late, false);
    *late = tap.late[--tap.late_count];
}

/* Types the late ones that have been made meanwhile, and the one that ends in any case.  Of what is
 * never made, there is no more to be known after a while. */
static __attribute__((noinline)) void look_at_late(const char *ending)
{
    for (uint8_t i = tap.late_count; i-- > 0;) {
        struct python_late *late = &tap.late[i];
        bool ends = late->it.block == ending;
        if (ending && !ends)
            continue;
        if (!ends && late->looks++ < LATE_LOOKS && types_is_unmade(late->it.block, late->it.bytes))
            continue;
        heaptap_guest_settype(&tap.heap, late->it.block,
                              types_of(&tap.heap, late->it.block, late->it.bytes));
        take_out_late(late);
    }
}

/* Books the pending block.  One that ends now is as much of an object as it will ever be. */
static inline void settle(const char *ending)
{
    struct python_awaited it = tap.pending;
    if (!it.block)
        return;
    uint32_t type = type_of_pending();
    bool late = tap.pending_is_object && it.block != ending && type == types_internal(&tap.heap) &&
                tap.late_count < LATE_MAX && types_is_unmade(it.block, it.bytes);
    book(type);
    if (UNLIKELY(late))
        add_late(it);
}

/* Takes out what waits for its type, without a look at it. */
static void abandon(void)
{
    if (tap.pending.block)
        book(types_internal(&tap.heap));
    while (tap.late_count)
        take_out_late(&tap.late[0]);
}

static __attribute__((noinline)) void tell_of_subinterpreters(void)
{
    __atomic_store_n(&tap.subinterpreters, SUB_TOLD, __ATOMIC_RELAXED);
    heaptap_guest_note(&tap.heap, "a subinterpreter ran: what it allocated is not in the report");
}

/* Whether this is not to be recorded, as it is a subinterpreter's. */
static inline bool is_elsewhere(void)
{
    if (!python_is_elsewhere())
        return false;
    if (__atomic_load_n(&tap.subinterpreters, __ATOMIC_RELAXED) == SUB_NONE)
        __atomic_store_n(&tap.subinterpreters, SUB_MET, __ATOMIC_RELAXED);
    return true;
}

/* Something is to be recorded, the end of a block or, if NULL, something else: what went before is
 * booked first.  From here on nothing of us looks into a block that ends. */
static inline void begin(const char *ending)
{
    if (UNLIKELY(tap.late_count))
        look_at_late(ending);
    if (UNLIKELY(__atomic_load_n(&tap.subinterpreters, __ATOMIC_RELAXED) == SUB_MET))
        tell_of_subinterpreters();
    settle(ending);
}

static __attribute__((noinline)) void look_for_begin(void)
{
    tap.began = places_program_runs();
    if (tap.began)
        guest_program_begins();
}

static inline uint32_t locate(void)
{
    if (UNLIKELY(!tap.began))
        look_for_begin();
    return tap.stacks ? calls_walk(&tap.places, &tap.calls) : places_now(&tap.places);
}

/* For the resizes that are recorded. */
static uint32_t locate_for_core(void *context, struct heaptap_guest *guest,
                                struct heaptap_guest_thread *self, const void *hint)
{
    return locate();
}

static inline void *await_type(const struct python_allocator *next, char *block, size_t bytes,
                               uint32_t location)
{
    if (UNLIKELY(!block))
        return NULL;
    tap.pending = (struct python_awaited){block, bytes};
    tap.pending_location = location;
    tap.pending_countdown = tap.heap.thread.countdown;
    tap.heap.thread.countdown = 0;
    tap.pending_is_object = is_object(next);
    if (tap.pending_is_object)
        types_wipe(block, bytes);
    return block;
}

/* ---- An event that is looked at --------------------------------------------------- */

/* Whether an allocation is to be recorded, and where it is then. */
static inline bool is_drawn(size_t bytes, uint32_t *location)
{
    bool awaited = tap.pending.block;
    if (is_elsewhere() || UNLIKELY(tap.only_ends))
        return false;
    begin(NULL);
    if (!tap.exact && awaited && !heaptap_guest_tick(&tap.heap, bytes))
        return false; /* it was looked at for the sake of the one before */
    *location = locate();
    return true;
}

void *seen_malloc(const struct python_allocator *next, size_t bytes)
{
    uint32_t location;
    bool drawn = is_drawn(bytes, &location);
    raw_passed_on++;
    void *block =
        next->malloc(next->context, drawn && tap.outside ? outside_of_pools(bytes) : bytes);
    raw_passed_on--;
    return drawn ? await_type(next, block, bytes, location) : block;
}

void *seen_calloc(const struct python_allocator *next, size_t count, size_t size)
{
    uint32_t location;
    bool drawn = is_drawn(count * size, &location);
    raw_passed_on++;
    void *block = drawn && tap.outside
                      ? next->calloc(next->context, 1, outside_of_pools(count * size))
                      : next->calloc(next->context, count, size);
    raw_passed_on--;
    return drawn ? await_type(next, block, count * size, location) : block;
}

static __attribute__((noinline)) void end_recording(void)
{
    tap.over = true;
    trace_closing();
    tap.heap.thread.countdown = UINT64_MAX;
    raw_end_recording();
}

static bool is_awaited(const char *block)
{
    bool found = block == tap.pending.block;
    for (uint8_t i = 0; i < tap.late_count && !found; i++)
        found = block == tap.late[i].it.block;
    return found;
}

void seen_end(char *block)
{
    /* Subinterpreters can share the main one's allocators and lock, and end its blocks. */
    if (is_elsewhere() && !is_awaited(block))
        return;
    if (UNLIKELY(python.is_finalizing())) {
        end_recording();
        holders_take(&tap.heap);
        return;
    }
    begin(block);
    watch_ends(block);
    heaptap_guest_free(&tap.heap, block);
}

void *unseen_realloc(const struct python_allocator *next, void *block, size_t bytes)
{
    raw_passed_on++;
    void *new = next->realloc(next->context, block, bytes);
    raw_passed_on--;
    return new;
}

/* The type of what is resized: what it was, and of a block that is not known, what it is. */
static uint32_t type_of_resized(const struct python_allocator *next, const char *block)
{
    if (tap.exact)
        return HEAPTAP_GUEST_SAME;
    return is_object(next) ? types_of(&tap.heap, block, COLLECTED_TYPE_AT + 8)
                           : types_internal(&tap.heap);
}

void *seen_resize(const struct python_allocator *next, void *block, size_t bytes)
{
    struct heaptap_guest_resize resize;
    if (is_elsewhere()) {
        seen_end(block);
        return unseen_realloc(next, block, bytes);
    }
    begin(block);
    watch_ends(block);
    heaptap_guest_resize_begin(&tap.heap, &tap.calls, &resize, block, bytes,
                               type_of_resized(next, block), HEAPTAP_GUEST_ASK, NULL);
    raw_passed_on++;
    void *new = next->realloc(next->context, block,
                              tap.outside && resize.drawn ? outside_of_pools(bytes) : bytes);
    raw_passed_on--;
    if (new)
        heaptap_guest_resize_commit(&tap.heap, &resize, new);
    else
        heaptap_guest_resize_undo(&tap.heap, &resize);
    return new;
}

/* ---- Where every block is looked at ----------------------------------------------- */

static void *exact_malloc(void *context, size_t bytes)
{
    const struct python_allocator *next = context;
    return heaptap_guest_tick(&tap.heap, bytes) ? seen_malloc(next, bytes)
                                                : next->malloc(next->context, bytes);
}

static void *exact_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    return heaptap_guest_tick(&tap.heap, count * size) ? seen_calloc(next, count, size)
                                                       : next->calloc(next->context, count, size);
}

static void exact_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (block && !tap.over)
        seen_end(block);
    raw_passed_on++;
    next->free(next->context, block);
    raw_passed_on--;
}

static void *exact_realloc(void *context, void *block, size_t bytes)
{
    const struct python_allocator *next = context;
    if (!block)
        return exact_malloc(context, bytes);
    return tap.over ? next->realloc(next->context, block, bytes) : seen_resize(next, block, bytes);
}

/* ---- Life ------------------------------------------------------------------------- */

static void put_in(int domain)
{
    tap.outside = tap.outside_tried = false;
    python.get_allocator(domain, &tap.next[domain]);
    struct python_allocator *hooks = &tap.hooks[domain];
    if (tap.exact)
        *hooks = (struct python_allocator){&tap.next[domain], exact_malloc, exact_calloc,
                                           exact_realloc, exact_free};
    else
        drawn_hooks(domain, hooks);
    python.set_allocator(domain, hooks);
}

static void forked(void *context, struct heaptap_guest *guest)
{
    tap.pending.block = NULL;
    tap.late_count = 0;
    if (heaptap_guest_is_watched(guest)) {
        watch_again();
        return;
    }
    end_recording();
    guest_tell_lost(true);
}

static void code_ends(const char *code)
{
    places_forget_code(&tap.places, code);
    raw_code_ends(code);
    announced_code_ends(code);
}

bool hooks_start_heap(struct heaptap_guest *heap, const struct heaptap_guest_options *options)
{
    return tap.asked ? heaptap_guest_start(heap, "Python", options, tap.asked, NULL) == HEAPTAP_OK
                     : heaptap_guest_start_if_requested(heap, "Python", options);
}

void hooks_install(void)
{
    const struct heaptap_guest_options options = {
        .locate = locate_for_core, .forked = forked, .alignment = 16};
    if (!hooks_start_heap(&tap.heap, &options)) {
        guest_tell_lost(false);
        return;
    }
    tap.exact = tap.heap.state->every;
    watch_init(&tap.heap, code_ends, types_forget);
    tap.stacks = heaptap_guest_wants_stacks(&tap.heap);
    tap.places.guest = &tap.heap;
    put_in(PYTHON_MEM);
    put_in(PYTHON_OBJ);
    raw_install();
    announced_install();
}

void hooks_put_in_again(void)
{
    struct python_allocator now;
    if (!heaptap_guest_is_watched(&tap.heap) || python.thread_state())
        return;
    python.get_allocator(PYTHON_OBJ, &now);
    if (now.malloc == tap.hooks[PYTHON_OBJ].malloc)
        return;
    abandon();
    put_in(PYTHON_MEM);
    put_in(PYTHON_OBJ);
    raw_put_in_again();
    heaptap_guest_note(&tap.heap,
                       "PYTHONMALLOC, PYTHONDEVMODE or -X dev chose other allocators: what was "
                       "allocated before is missing, and sizes are without their additions");
}

/* ---- A part of a run -------------------------------------------------------------- */

static void forget_part(void)
{
    places_forget_all(&tap.places);
    types_forget_all();
    watch_forget_all();
    heaptap_guest_thread_release(&tap.calls);
    calls_forget();
    tap.pending.block = NULL;
    tap.late_count = 0;
    tap.subinterpreters = SUB_NONE;
}

bool hooks_begin_part(const struct heaptap_guest_request *request, const char **why)
{
    *why = "it is being recorded already";
    if (heaptap_guest_is_watched(&tap.heap))
        return false;
    struct python_allocator now;
    python.get_allocator(PYTHON_OBJ, &now);
    *why = "another tool has put hooks into Python's allocators";
    if (tap.hooks[PYTHON_OBJ].malloc && now.malloc != tap.next[PYTHON_OBJ].malloc)
        return false;
    forget_part();
    tap.over = false;
    tap.began = true;
    tap.asked = request;
    hooks_install();
    tap.asked = NULL;
    *why = "the recording can't be written";
    return heaptap_guest_is_watched(&tap.heap);
}

static void take_out(int domain)
{
    struct python_allocator now;
    python.get_allocator(domain, &now);
    if (now.malloc == tap.hooks[domain].malloc)
        python.set_allocator(domain, &tap.next[domain]);
}

void hooks_stop_part(void)
{
    if (!heaptap_guest_is_watched(&tap.heap))
        return;
    begin(NULL);
    tap.only_ends = true;
}

uint64_t hooks_part_left(void)
{
    uint64_t bytes = 0;
    for (const struct heaptap_guest_state *state = guest_states; state; state = state->next)
        bytes += state->report.header->live_bytes;
    return bytes;
}

void hooks_end_part(const char *name, const char *limits)
{
    if (!heaptap_guest_is_watched(&tap.heap))
        return;
    begin(NULL);
    tap.only_ends = false;
    end_recording();
    take_out(PYTHON_OBJ);
    take_out(PYTHON_MEM);
    raw_end_part();
    announced_end_part();
    trace_test(tap.heap.state, name, limits);
    heaptap_guest_stop(&tap.heap);
}

/* The child of a vfork has the memory of another process, whose report this is. */
static bool is_ours(void)
{
    return heaptap_guest_is_watched(&tap.heap) &&
           tap.heap.state->report.header->pid == (uint64_t)getpid();
}

void hooks_finish(void)
{
    if (is_ours() && !tap.over && raw_lock_is_free_or_ours())
        begin(NULL);
}
