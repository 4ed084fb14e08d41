/* Blocks that replace smaller ones of their stack, as a vector's do that grows: found while a trace streams by.
 *
 * A block replaces the one that its stack allocated before it, if that dies when it is born: within a millisecond, or, where a
 * garbage collector finds the dead, whenever it dies after that.  So at a block's birth it may not be known yet; what it is,
 * waits with the row of the one before.
 *
 * Blocks whose sizes happen to rise, each freed before the next is asked for, look the same, as a realloc ends the old block
 * first.  Where the new one is born first, and the old one ends right after it, as copying into a larger block has it, they overlap:
 * that is no chance. */
#ifndef PROFILE_GROWTH_H
#define PROFILE_GROWTH_H

#include "profile/model.h"

#define GROWTH_FACTOR 1.4 /* from which on a block has grown by a factor, not by a step */

struct growth_sum {
    uint64_t doublings, small_steps;     /* blocks that have grown by a factor, by less */
    double doubled_bytes, stepped_bytes; /* in these */
    double replaced_bytes;               /* in those that they replace */
    double
        weighed_bytes; /* the same, with those that no sample shows: each divided by its chance of being sampled */
    double overlapped_bytes; /* in blocks that have grown, and that overlap the one they replace */
    uint64_t followers;      /* blocks whose stack had one before, of the same thread */
    uint64_t crowded;        /* of these, born while that one was alive */
};

/* The latest block of a stack. */
struct growth_last {
    uint64_t words;  /* 0 for none */
    uint32_t row;    /* MODEL_NONE once it has died */
    int64_t died_us; /* then */
    uint32_t domain;
};

/* The block that came after one that is alive. */
struct growth_next {
    uint64_t words; /* 0 for none */
    double bytes;
    int64_t born_us;
    uint64_t birth; /* of all, born before it */
};

struct growth {
    bool is_collected;         /* by a garbage collector */
    uint64_t births;           /* so far */
    struct growth_last *lasts; /* by stack */
    struct growth_sum *sums;   /* by stack */
    size_t last_capacity, sum_capacity;
    struct growth_next *nexts; /* by row */
    size_t next_capacity;
};

/* Does a block that is born replace the one before, which dies then? */
static inline bool growth_replaces(int64_t died_us, int64_t born_us, bool is_collected)
{
    const int64_t within_us = 1000;
    return died_us != MODEL_NEVER && died_us >= born_us - within_us &&
           (is_collected || died_us <= born_us + within_us);
}

/* Does the block before end right after the birth of the one that replaces it?  By the blocks born before either; other threads may have
 * some in between. */
static inline bool growth_overlaps(uint64_t end, uint64_t birth)
{
    const uint64_t within = 4;
    return end > birth && end - birth <= within;
}

/* A block of so many words and bytes replaces one of `before` words, which it overlaps or not; nothing where that isn't smaller. */
void growth_note(struct growth_sum *sum, const struct estimate *estimate, uint64_t words,
                 double bytes, uint64_t before, bool overlaps);

/* NULL when there is no memory. */
struct growth *growth_new(const struct model *model);
void growth_free(struct growth *growth);

/* A block of the model is born in a row, which has its stack and shape.  False when there is no memory. */
bool growth_begin(struct growth *growth, const struct model *model, uint32_t row);

/* It has died; its row has its times. */
void growth_end(struct growth *growth, const struct model *model, uint32_t row);

/* Of a stack's blocks. */
struct growth_sum growth_of(const struct growth *growth, uint32_t stack);

#endif
