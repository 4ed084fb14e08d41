/* What all hooks share, and what they do with an event that is looked at. */
#ifndef TAP_GUEST_PYTHON_SEEN_H
#define TAP_GUEST_PYTHON_SEEN_H

#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/places.h"
#include "heaptap/guest.h"

#define UNLIKELY(condition) __builtin_expect((condition), 0)

enum {
    POOLS_MAX_BYTES = 512, /* larger blocks are passed on to the raw allocator */
    LATE_MAX = 8,
    LATE_LOOKS = 256,
};

struct python_awaited {
    char *block; /* NULL: none */
    size_t bytes;
};

enum subinterpreters { SUB_NONE, SUB_MET, SUB_TOLD };

struct python_late {
    struct python_awaited it;
    uint32_t looks; /* taken at it since */
};

struct python_tap {
    struct heaptap_guest heap;     /* of both allocators */
    struct python_awaited pending; /* allocated and not booked yet */
    uint32_t pending_location;
    uint64_t pending_countdown; /* where the heap's stood, which is 0 meanwhile */
    bool pending_is_object;     /* has, or will have, a type */
    uint8_t late_count;
    struct python_late late[LATE_MAX]; /* booked, but not typed yet */
    bool exact;                        /* every block is looked at */
    bool stacks;                       /* whole stacks are wanted */
    bool over;                         /* nothing more is recorded */
    bool only_ends;                    /* a part ends: what is allocated meanwhile is none of it */
    bool began;                        /* the program itself has */
    bool outside;                      /* drawn blocks are put outside of the pools (drawn.c) */
    bool outside_tried;                /* whether they can be is known */
    uint8_t subinterpreters;           /* atomic; enum subinterpreters */
    const struct heaptap_guest_request *
        asked; /* while a part of a run begins: what is wanted; else NULL: the environment says it */
    struct heaptap_guest_thread calls;
    struct places places;
    struct python_allocator next[PYTHON_DOMAINS]; /* what the hooks stand in front of */
    struct python_allocator hooks[PYTHON_DOMAINS];
};

extern struct python_tap tap;

/* What to ask for, so that a block of `bytes` bytes is in none of the pools. */
static inline size_t outside_of_pools(size_t bytes)
{
    return bytes > POOLS_MAX_BYTES ? bytes : POOLS_MAX_BYTES + 1;
}

/* An allocation for which the tick was true. */
void *seen_malloc(const struct python_allocator *next, size_t bytes);
void *seen_calloc(const struct python_allocator *next, size_t count, size_t size);

/* A block that is known, or awaits its type, ends. */
void seen_end(char *block);

/* Either the block is known, or the new one is drawn. */
void *seen_resize(const struct python_allocator *next, void *block, size_t bytes);
void *unseen_realloc(const struct python_allocator *next, void *block, size_t bytes);

/* Whether the end of the block has to be looked at. */
static inline bool seen_may_end(const void *block)
{
    return UNLIKELY(heaptap_guest_may_know(&tap.heap, block) || block == tap.pending.block);
}

/* Begins to watch a heap as it is asked for. */
bool hooks_start_heap(struct heaptap_guest *heap, const struct heaptap_guest_options *options);

/* drawn.c: puts the hooks of a domain into `hooks`, for when blocks are drawn. */
void drawn_hooks(int domain, struct python_allocator *hooks);

#endif
