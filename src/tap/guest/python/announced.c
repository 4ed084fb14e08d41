/* Extensions may announce memory with the interpreter's lock or without.  So its heap is one of its
 * own, under a lock of its own, as the raw allocator's is.
 *
 * A block counts once.  What comes from Python's allocators is recorded there, whoever announces
 * it; where blocks are drawn, that is known of the block which this thread was given last.  What is
 * announced again with another size is resized. */
#include "tap/guest/python/announced.h"

#include <sched.h>
#include <stdint.h>

#include "tap/guest/python/calls.h"
#include "tap/guest/python/raw.h"
#include "tap/guest/python/seen.h"
#include "tap/guest/python/symbols.h"
#include "tap/guest/address_table.h"
#include "tap/guest/state.h"

enum { NUMPY_DOMAIN = 389047, BYTES_BITS = 40, DOMAIN_MASK = (1 << (64 - BYTES_BITS)) - 1 };

static struct {
    struct heaptap_guest heap;
    char lock; /* atomic */
    uint32_t no_lock_location, type, numpy_type;
    struct address_table known; /* by address: its size, and above that the domain */
    struct places places;
    struct heaptap_guest_thread calls, no_calls;
    bool is_replaced; /* ours are called in place of these: */
    int (*track)(unsigned domain, uintptr_t block, size_t bytes); /* the interpreter's */
    int (*untrack)(unsigned domain, uintptr_t block);
} announced;

static void lock(void)
{
    while (__atomic_test_and_set(&announced.lock, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_clear(&announced.lock, __ATOMIC_RELEASE);
}

static uint64_t entry_value(unsigned domain, size_t bytes)
{
    return (uint64_t)(domain & DOMAIN_MASK) << BYTES_BITS | bytes;
}

/* Whether the block is recorded as one that Python's allocators gave. */
static bool is_from_python(uintptr_t block)
{
    const void *address = (const void *)block;
    if (address == raw_last_made || raw_knows(address))
        return true;
    return raw_has_interpreter_lock() && !python_is_elsewhere() &&
           (address == tap.pending.block || guest_knows(&tap.heap, block));
}

static struct heaptap_guest_thread *locate(uint32_t *location)
{
    if (!raw_has_interpreter_lock() || python_is_elsewhere()) {
        *location = announced.no_lock_location;
        return &announced.no_calls;
    }
    *location = tap.stacks ? calls_walk_all(&announced.places, &announced.calls)
                           : places_now(&announced.places);
    return &announced.calls;
}

static void resize(const void *block, size_t bytes, uint32_t type)
{
    struct heaptap_guest_resize resize;
    uint32_t location;
    struct heaptap_guest_thread *calls = locate(&location);
    heaptap_guest_resize_begin(&announced.heap, calls, &resize, block, bytes, type, location, NULL);
    heaptap_guest_resize_commit(&announced.heap, &resize, block);
}

static void book(unsigned domain, uintptr_t block, size_t bytes)
{
    uint32_t type = domain == NUMPY_DOMAIN ? announced.numpy_type : announced.type;
    uint64_t value = entry_value(domain, bytes);
    struct address_entry *entry = address_table_find(&announced.known, block);
    if (!entry) {
        uint32_t location;
        struct heaptap_guest_thread *calls = locate(&location);
        if (address_table_add(&announced.known, block, value))
            heaptap_guest_alloc(&announced.heap, calls, (const void *)block, bytes, type, location);
    } else if (entry->value >> BYTES_BITS == value >> BYTES_BITS && entry->value != value) {
        entry->value = value;
        resize((const void *)block, bytes, type);
    }
}

static void withdraw(unsigned domain, uintptr_t block)
{
    const struct address_entry *entry = address_table_find(&announced.known, block);
    if (!entry || entry->value >> BYTES_BITS != entry_value(domain, 0) >> BYTES_BITS)
        return;
    address_table_remove(&announced.known, block);
    heaptap_guest_free(&announced.heap, (const void *)block);
}

/* ---- What extensions call ----------------------------------------------------------------- */

static bool is_over(void)
{
    return tap.over || python.is_finalizing();
}

static int track(unsigned domain, uintptr_t block, size_t bytes)
{
    if (block > ADDRESS_REMOVED && bytes >> BYTES_BITS == 0 && !is_over() &&
        !is_from_python(block)) {
        lock();
        book(domain, block, bytes);
        unlock();
    }
    return announced.track(domain, block, bytes);
}

static int untrack(unsigned domain, uintptr_t block)
{
    if (block > ADDRESS_REMOVED && !is_over()) {
        lock();
        withdraw(domain, block);
        unlock();
    }
    return announced.untrack(domain, block);
}

/* ---- Life --------------------------------------------------------------------------------- */

static void forked(void *context, struct heaptap_guest *guest)
{
    address_table_clear(&announced.known);
    unlock(); /* whoever had it is not here */
}

/* Extensions keep the addresses that they once found: the sooner the better. */
bool announced_replace(void)
{
    if (announced.track && announced.untrack)
        return announced.is_replaced;
    announced.is_replaced = python_find_symbol(&announced.track, "PyTraceMalloc_Track") &&
                            python_find_symbol(&announced.untrack, "PyTraceMalloc_Untrack") &&
                            symbols_replace("PyTraceMalloc_Untrack", (uintptr_t)untrack) &&
                            symbols_replace("PyTraceMalloc_Track", (uintptr_t)track);
    return announced.is_replaced;
}

void announced_install(void)
{
    const struct heaptap_guest_options options = {.forked = forked, .alignment = 16};
    bool is_replaced = announced_replace();
    if (!announced.track || !announced.untrack || !hooks_start_heap(&announced.heap, &options))
        return;
    announced.places.guest = &announced.heap;
    announced.no_lock_location = heaptap_guest_location(&announced.heap, "<no GIL>", NULL, 0);
    announced.type = heaptap_guest_type(&announced.heap, "(announced)");
    announced.numpy_type = heaptap_guest_type(&announced.heap, "(numpy data)");
    if (!is_replaced)
        heaptap_guest_note(&announced.heap, "what extensions allocate by themselves, as NumPy does "
                                            "its data, is not in the report: this Python's table "
                                            "of symbols can't be changed");
}

void announced_end_part(void)
{
    lock();
    heaptap_guest_stop(&announced.heap);
    address_table_clear(&announced.known);
    heaptap_guest_thread_release(&announced.calls);
    heaptap_guest_thread_release(&announced.no_calls);
    unlock();
    places_forget_all(&announced.places);
}

void announced_code_ends(const char *code)
{
    places_forget_code(&announced.places, code);
}

void announced_checks_code(void)
{
    announced.places.checks_code = true;
}
