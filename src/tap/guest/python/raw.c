/* The raw allocator's hooks.  Its heap is one of its own, under a lock of its own; whether there is
 * a line to show depends on whether the calling thread holds the interpreter's lock, and not even
 * asking for that lock is allowed here: a thread that doesn't hold it could wait for ever. */
#include "tap/guest/python/raw.h"

#include <sched.h>
#include <stdint.h>

#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/seen.h"
#include "tap/guest/python/types.h"
#include "tap/guest/state.h"

__thread unsigned raw_passed_on;
__thread const void *raw_last_made, *raw_last_ended;

static struct {
    struct heaptap_guest heap;
    char lock; /* atomic */
    uint32_t no_lock_location, internal_type;
    struct places places;
    struct python_allocator next;
    bool over;                       /* nothing more is recorded */
    void *(*own_thread_state)(void); /* of this thread, whether or not it holds the lock */
} raw;

static void lock(void)
{
    while (__atomic_test_and_set(&raw.lock, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_clear(&raw.lock, __ATOMIC_RELEASE);
}

/* Until 3.11 the thread state is the one that holds the lock, whichever thread asks; from 3.12 on
 * it is this thread's if that holds the lock. */
bool raw_has_interpreter_lock(void)
{
    const void *holder = python.thread_state();
    return holder && (python.minor > 11 || holder == raw.own_thread_state());
}

bool raw_lock_is_free_or_ours(void)
{
    return python.minor > 11 || !python.thread_state() || raw_has_interpreter_lock();
}

bool raw_knows(const void *block)
{
    lock();
    bool known = guest_knows(&raw.heap, (uint64_t)(uintptr_t)block);
    unlock();
    return known;
}

static uint32_t locate(void)
{
    return raw_has_interpreter_lock() && !python_is_elsewhere() ? places_now(&raw.places)
                                                                : raw.no_lock_location;
}

/* `block` has come to be. */
static void *book(void *block, size_t bytes, uint32_t location)
{
    raw_last_made = block;
    if (block && !tap.only_ends) {
        lock();
        heaptap_guest_alloc(&raw.heap, NULL, block, bytes, raw.internal_type, location);
        unlock();
    }
    return block;
}

static bool is_not_ours(void)
{
    return raw_passed_on || raw.over;
}

static void *hook_malloc(void *context, size_t bytes)
{
    if (is_not_ours()) {
        void *block = raw.next.malloc(raw.next.context, bytes);
        raw_last_made = block;
        return block;
    }
    uint32_t location = locate();
    return book(raw.next.malloc(raw.next.context, bytes), bytes, location);
}

static void *hook_calloc(void *context, size_t count, size_t size)
{
    size_t bytes;
    if (is_not_ours() || __builtin_mul_overflow(count, size, &bytes))
        return raw.next.calloc(raw.next.context, count, size);
    uint32_t location = locate();
    return book(raw.next.calloc(raw.next.context, count, size), bytes, location);
}

static void hook_free(void *context, void *block)
{
    raw_last_ended = block;
    if (raw_last_made == block)
        raw_last_made = NULL;
    if (tap.outside && !tap.over && seen_may_end(block) && block && raw_has_interpreter_lock())
        seen_end(block);
    if (block && !is_not_ours()) {
        lock();
        heaptap_guest_free(&raw.heap, block);
        unlock();
    }
    raw.next.free(raw.next.context, block);
}

static void *hook_realloc(void *context, void *block, size_t bytes)
{
    struct heaptap_guest_resize resize;
    if (is_not_ours())
        return raw.next.realloc(raw.next.context, block, bytes);
    uint32_t location = locate();
    lock();
    heaptap_guest_resize_begin(&raw.heap, NULL, &resize, block, bytes, raw.internal_type, location,
                               NULL);
    unlock();
    void *new = raw.next.realloc(raw.next.context, block, bytes);
    lock();
    if (new)
        heaptap_guest_resize_commit(&raw.heap, &resize, new);
    else
        heaptap_guest_resize_undo(&raw.heap, &resize);
    unlock();
    return new;
}

static void forked(void *context, struct heaptap_guest *guest)
{
    unlock(); /* whoever had it is not here */
}

void raw_install(void)
{
    const struct heaptap_guest_options options = {.forked = forked, .alignment = 16};
    if (!python_find_symbol(&raw.own_thread_state, "PyGILState_GetThisThreadState") ||
        !hooks_start_heap(&raw.heap, &options))
        return;
    raw.over = false;
    raw.places.guest = &raw.heap;
    raw.no_lock_location = heaptap_guest_location(&raw.heap, "<no GIL>", NULL, 0);
    raw.internal_type = heaptap_guest_type(&raw.heap, "(internal)");
    raw_put_in_again();
}

void raw_put_in_again(void)
{
    struct python_allocator hooks = {NULL, hook_malloc, hook_calloc, hook_realloc, hook_free};
    if (!heaptap_guest_is_watched(&raw.heap))
        return;
    python.get_allocator(PYTHON_RAW, &raw.next);
    python.set_allocator(PYTHON_RAW, &hooks);
}

void raw_end_recording(void)
{
    raw.over = true;
}

void raw_end_part(void)
{
    struct python_allocator now;
    raw.over = true;
    python.get_allocator(PYTHON_RAW, &now);
    if (now.malloc == hook_malloc)
        python.set_allocator(PYTHON_RAW, &raw.next);
    lock();
    heaptap_guest_stop(&raw.heap);
    unlock();
    places_forget_all(&raw.places);
}

void raw_code_ends(const char *code)
{
    places_forget_code(&raw.places, code);
}

void raw_checks_code(void)
{
    raw.places.checks_code = true;
}
