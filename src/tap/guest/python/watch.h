/* Code objects and types that numbers are kept for: when they end, the numbers have to go before
 * another object comes to the address.  Taking references instead would keep them alive, which the
 * program could see.
 *
 * Used while the interpreter's lock is held. */
#ifndef TAP_GUEST_PYTHON_WATCH_H
#define TAP_GUEST_PYTHON_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/guest.h"

enum watched { WATCHED_CODE = 1, WATCHED_TYPE = 2 };

enum { WATCH_FILTER_BITS = 16 };

/* Bits by address, so that a look at one says no for nearly all blocks that end. */
extern uint64_t watch_filter[1 << (WATCH_FILTER_BITS - 6)];

static inline uint32_t watch_bit(const void *block)
{
    return (uint32_t)((uint64_t)(uintptr_t)block * 0x9E3779B97F4A7C15u >> (64 - WATCH_FILTER_BITS));
}

/* To be called before an object is watched, once `guest` is being recorded: its hooks see blocks end.  The functions hear of
 * the end of a code object and of a type. */
void watch_init(const struct heaptap_guest *guest, void (*code_ends)(const char *code),
                void (*type_ends)(const char *type));

/* Watches the object's block.  False when there is no memory for it. */
bool watch_add(const char *object, enum watched what);

/* After a fork: watches again in the child what was watched. */
void watch_again(void);

/* A recording has ended: nothing is watched. */
void watch_forget_all(void);

void watch_ends_slow(const char *block);

/* Whether the block can be one that is watched.  Never false for one that is. */
static inline bool watch_may_end(const void *block)
{
    uint32_t bit = watch_bit(block);
    return __builtin_expect(watch_filter[bit / 64] >> bit % 64 & 1, 0);
}

/* The block ends; to be called before it is given back. */
static inline void watch_ends(const void *block)
{
    if (watch_may_end(block))
        watch_ends_slow(block);
}

#endif
