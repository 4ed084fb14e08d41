/* A trial of advice: what it promised of one recording, beside what another has less, which was made after a change.
 *
 * A line moves with the change, so places are functions, with the functions within them.  What a constructor makes for a caller to which advice
 * promises something is the caller's, on both sides.  What a function has less is held against all
 * that was promised of it: how it is divided among several causes nobody can tell. */
#ifndef REPORT_ADVICE_TRIAL_H
#define REPORT_ADVICE_TRIAL_H

#include "answer/answer.h"
#include "report/advice/cause.h"
#include "report/options.h"
#include "report/report.h"

enum { TRIAL_SIDES = 2, TRIAL_CAUSES_BYTES = 160 }; /* before, after */

/* A function of the program, by a name without what is within it.  Texts are its own. */
struct trial_place {
    char *function, *file;
    double bytes[TRIAL_SIDES][ADVICE_MEASURES];
    double promised;                 /* 0 where it has no cause */
    enum advice_measure measure;     /* of the cause that promises most */
    double most;                     /* and how much that is */
    char causes[TRIAL_CAUSES_BYTES]; /* "tuples, closures" */
    uint32_t line;                   /* of its first cause, before */
};

/* A function that makes blocks, such as a constructor, for a caller whose line advice names.  Texts are its own. */
struct trial_maker {
    char *function, *caller;
};

struct trial {
    struct trial_place *places;
    size_t count, capacity;
    struct trial_maker *makers;
    size_t maker_count, maker_capacity;
    double allocated[TRIAL_SIDES], peak[TRIAL_SIDES], live[TRIAL_SIDES];
    bool is_sampled;
};

extern const struct answer_table *const trial_tables[]; /* ended by NULL */

/* Adds what a report of blocks, by line, says of a side; causes are those of the side before.  Nothing of it is borrowed.  False when there is no
 * memory. */
bool trial_add(struct trial *trial, int side, const struct report *report);
void trial_release(struct trial *trial);

void trial_put(struct answer *answer, struct trial *trial);

#endif
