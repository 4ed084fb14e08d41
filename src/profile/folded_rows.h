/* Folded rows: a model of a trace that is larger than memory.
 *
 * A model holds a row for each sampled block, dead ones included, so that any question can be asked of it later.  A command
 * asks one, which it knows before it reads.  So blocks that have ended, and that this question cannot tell apart, share a
 * row, which says how many they are (model_objects.blocks): memory follows what is alive, and the stacks and shapes that
 * differ.
 *
 * When a block ends, its outcome is found: whether, and with which halves of its samples, each filter's conditions on times
 * let it pass; whether it was promoted; and, where the question asks for that, which of it is alive at the peak.  Blocks of
 * one stack, shape and outcome are alike.  The first of them to end keeps its row, with its own times, and stands for all:
 * whatever a filter says of it holds for the others.  The rows of the others are used again for blocks to come.  What is
 * alive at the end has rows of its own, as its age is often asked for.
 *
 * At the end rows are put in the order in which the first of their blocks was born.
 *
 * What a row of several blocks cannot answer: times of single blocks, but for the sum of their lives (matcher_lived_us).
 *
 * An outcome often depends on the run's end or peak (live-at=peak, allocated>=50%).  These come from a pass of their own over
 * the file (profile/run_bounds.h), which decodes no stack. */
#ifndef PROFILE_FOLDED_ROWS_H
#define PROFILE_FOLDED_ROWS_H

#include "profile/matcher.h"
#include "profile/run_bounds.h"

enum { FOLDED_FILTERS_MAX = 16, FOLDED_OUTCOMES = 64, FOLDED_ENDS = 32 };

/* Who sees each block as it ends, with all its times: for what folded rows can't answer. */
struct folded_watcher {
    /* Before the first block; the model has its rate, its end and its peak.  False when there is no memory. */
    bool (*begin)(void *context, const struct model *model);
    void (*end)(void *context, const struct matcher_life *life, const struct model_shape *shape);
    void *context;
};

/* What a folded model will be asked. */
struct folded_question {
    const struct filter *const *filters; /* these, and any without conditions on times */
    size_t count;                        /* FOLDED_FILTERS_MAX at most */
    bool
        at_peak; /* and what is alive at the peak, of all blocks and of those of the first filter */
    bool
        asks_lives; /* and of each block whether its life was short, also after its promotion; of those alive at the peak, in which eighth of the time until then they were born; and of each stack what replaces what */
    size_t most_nodes; /* of the stacks as a tree: more are refused; 0: any number is read */
    const struct folded_watcher
        *watcher; /* NULL for none; it sees blocks whatever the filters say */
};

/* Does an outcome depend on where the run ends or has its peak? */
bool folded_question_needs_bounds(const struct folded_question *question);

/* What a row's blocks come to: together, as they are met together. */
struct folded_sum {
    uint64_t birth;  /* number of the earliest among their births */
    double lived_us; /* of those that have ended */
    uint32_t blocks;
};

/* A block that has ended, and waits for its row to be found. */
struct folded_end {
    uint64_t key;
    uint32_t row, alike; /* row: MODEL_NONE for none */
};

struct folded_rows {
    struct folded_end ends[FOLDED_ENDS]; /* a ring: folded_rows.c */
    uint64_t end_count;                  /* so far */
    struct matcher
        lives[FOLDED_FILTERS_MAX]; /* of the filters that speak of lives; of times alone */
    size_t count;
    bool at_peak, asks_lives;
    const struct folded_watcher *watcher;
    struct map rows;                    /* stack, outcome and shape -> row that stands for them */
    uint64_t outcomes[FOLDED_OUTCOMES]; /* those met; beyond, blocks keep their rows */
    size_t outcome_count;
    uint64_t births;         /* so far */
    struct folded_sum *sums; /* by row */
    size_t sum_capacity;
    uint32_t
        unused; /* the last row to become free, MODEL_NONE for none; its `stack` is the one before */
};

/* For a model that is still without rows; `bounds` may be NULL where the question needs none.  Both are borrowed for the call, the
 * filters while the rows are in use.  False when there is no memory; then there is nothing to release. */
bool folded_rows_init(struct folded_rows *folded, struct model *model,
                      const struct folded_question *question, const struct run_bounds *bounds);
void folded_rows_release(struct folded_rows *folded);

/* A row to be used again; MODEL_NONE for none. */
uint32_t folded_rows_take(struct folded_rows *folded, const struct model *model);

/* A block is born, in a row that is new or was taken.  False when there is no memory. */
bool folded_rows_begin(struct folded_rows *folded, struct model *model, uint32_t row);

/* A block has ended: its row has all its times.  False when there is no memory. */
bool folded_rows_end(struct folded_rows *folded, struct model *model, uint32_t row);

/* Closes the gaps and puts rows in order, after the last event.  False when there is no memory. */
bool folded_rows_finish(struct folded_rows *folded, struct model *model);

#endif
