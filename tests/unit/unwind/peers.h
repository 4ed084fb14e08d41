/* The same stack by other unwinders, to compare with. */
#ifndef TESTS_UNWIND_PEERS_H
#define TESTS_UNWIND_PEERS_H

#include "tap/unwind/unwind.h"

/* What a comparison found. */
struct comparison {
    uint64_t captures, frames;
    uint64_t differing;    /* frames in which we and libgcc differ, or stacks of different length */
    uint64_t truncated;    /* stacks of ours that end early */
    uint64_t wrong_shares; /* `shared` claimed what is not so */
    uint64_t shared;       /* sum of it */
    uint64_t libunwind_differing;
};

enum { PEERS_MOST_FRAMES = 4096 };

/* A thread's state, and its previous stack. */
struct peers {
    struct unwind_thread *thread;
    uint32_t max_frames; /* at most PEERS_MOST_FRAMES; the others' stacks are cut there as well */
    struct comparison found;
    struct unwind_stack stack; /* the last one */
    uint64_t previous[PEERS_MOST_FRAMES];
    uint32_t previous_length;
    bool with_libunwind;
    bool open_end; /* stacks end where nothing is known of the caller: ours says so, libgcc doesn't
                    */
};

struct peers *peers_new(uint32_t max_frames);
void peers_free(struct peers *peers);

/* Takes the stack from `start` on by all unwinders and compares them.  No frame below start may be
 * reused. */
void peers_compare(struct peers *peers, const struct unwind_start *start);

#endif
