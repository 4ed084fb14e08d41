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

#include "profile/growth_pair.h"
#include "profile/model.h"

/* The latest block of a stack. */
struct growth_last {
    uint64_t words;  /* 0 for none */
    uint32_t row;    /* MODEL_NONE once it has died */
    int64_t died_us; /* then */
    uint32_t domain;
};

struct growth_trail;

/* What is known of a stack's blocks. */
struct growth_stack {
    struct growth_last last;
    struct growth_sum sum;      /* where there is a trail, without pairs: it has them */
    struct growth_trail *trail; /* NULL for less than two blocks, and where trails aren't kept */
};

struct growth {
    bool is_collected;           /* by a garbage collector */
    uint64_t births;             /* so far */
    struct growth_stack *stacks; /* by number */
    size_t stack_capacity;
    struct growth_block
        *nexts; /* by row, where trails aren't kept: what came after one that is alive */
    size_t next_capacity;
};

/* Are trails kept of its stacks?  Of a guest's whose blocks end as soon as nobody needs them. */
static inline bool growth_has_trails(const struct model *model)
{
    return model->is_guest && !model->is_collected;
}

/* NULL when there is no memory. */
struct growth *growth_new(const struct model *model);
void growth_free(struct growth *growth);

/* A block of the model is born in a row, which has its stack and shape.  False when there is no memory. */
bool growth_begin(struct growth *growth, const struct model *model, uint32_t row);

/* It has died; its row has its times. */
void growth_end(struct growth *growth, const struct model *model, uint32_t row);

/* Of a stack's blocks. */
struct growth_sum growth_of(const struct growth *growth, const struct model *model, uint32_t stack);

#endif
