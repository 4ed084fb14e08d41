/* When blocks were born and when they ended, counted by stack on a coarse clock: what the survival of a site's blocks
 * (report/sites/survival.h) is made of, also of a trace whose rows are folded.
 *
 * The run has LIVES_STEPS steps of equal length.  A block's end is told more finely within the last of them, by how far it is from the
 * run's end, LIVES_OCTAVE places for each halving: a program that frees everything as it ends does so in a millisecond of
 * an hour.  A step, or such a part of the last one, is a place. */
#ifndef PROFILE_LIVES_H
#define PROFILE_LIVES_H

#include "base/map.h"
#include "profile/model.h"

enum {
    LIVES_STEPS = 64,
    LIVES_OCTAVE = 8,
    LIVES_PLACES = LIVES_STEPS + 20 * LIVES_OCTAVE,
    LIVES_LEFT = 255 /* in the place of an end: it is alive then */
};

/* Blocks of one owner that are alike: one or more. */
struct lives_cell {
    uint32_t owner;  /* a stack, or what stacks are summed up by */
    uint8_t born;    /* step */
    uint8_t ended;   /* place, or LIVES_LEFT */
    uint64_t blocks; /* that were seen */
    double samples;  /* of these: bytes, once they are weighed */
    double run_us;   /* samples times the time that their process ran, summed */
    double largest;  /* of these blocks, words; bytes, once they are weighed */
};

struct lives {
    int64_t end_us; /* of the run */
    struct lives_cell *cells;
    size_t count, capacity;
    struct map by_key;
    uint32_t *latest; /* by owner, the cell that its last block was added to */
    size_t latest_capacity;
    uint64_t born[LIVES_PLACES], ended[LIVES_PLACES]; /* blocks, of all owners */
};

void lives_init(struct lives *lives, int64_t end_us);
void lives_release(struct lives *lives);

/* The same of one on the heap; NULL when there is no memory. */
struct lives *lives_new(int64_t end_us);
void lives_free(struct lives *lives);

/* The place of a time, and the step of a place. */
unsigned lives_place(const struct lives *lives, int64_t time_us);
static inline unsigned lives_step(unsigned place)
{
    return place < LIVES_STEPS ? place : LIVES_STEPS - 1;
}

/* The same of an end: LIVES_LEFT for MODEL_NEVER. */
unsigned lives_end_place(const struct lives *lives, int64_t ended_us);

/* Counts blocks in born and ended alone.  MODEL_NEVER for what is alive at the end. */
void lives_count(struct lives *lives, int64_t born_us, int64_t ended_us, uint64_t blocks);

/* Adds so many blocks of an owner, each of so many words, whose process ran for `run_us`, and counts them.  False when there is no memory. */
bool lives_add(struct lives *lives, uint32_t owner, int64_t born_us, int64_t ended_us,
               uint64_t blocks, double samples, double run_us, uint64_t words);

/* Adds a cell of another table to one for whose owners it stands.  Places in all are not counted.  False when there is no memory. */
bool lives_add_cell(struct lives *lives, uint32_t owner, const struct lives_cell *cell);

/* Puts the cells in the order of their owners, after which nothing can be added. */
void lives_sort(struct lives *lives);

#endif
