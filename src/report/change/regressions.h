/* Sites that have a larger share of what is allocated than before, by more than chance. */
#ifndef REPORT_CHANGE_REGRESSIONS_H
#define REPORT_CHANGE_REGRESSIONS_H

#include "report/change/grown_sites.h"
#include "answer/answer.h"
#include "report/options.h"

/* What a question has of its own. */
struct regressions_question {
    enum regressions_sample { REGRESSIONS_SPACE, REGRESSIONS_OBJECTS } sample;
    double rate;     /* of false alarms */
    double smallest; /* growth that matters: of a share, as part of the whole */
};
_Static_assert(sizeof(struct regressions_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option regressions_options[]; /* ended by one without a word */
extern const struct regressions_question regressions_usual;

bool regressions_check(struct question *question, struct heaptap_error *error);

/* "alloc_space" or "alloc_objects". */
const char *regressions_sample_name(enum regressions_sample sample);

struct regressions {
    const struct question *options;
    const char *base_name, *new_name; /* stores with their conditions */
    const char *sample;               /* "alloc_space" */
    double rate;                      /* of false alarms */
    double smallest;                  /* growth of a share that matters */
    struct site_sum base, new;        /* totals */
    struct site_change *sites; /* all: those that are found first, in regressions_find's order */
    size_t count;
    size_t found; /* of them, those below the rate whose share grew by as much as matters */
    size_t small; /* those below the rate whose share grew by less */
};

extern const struct answer_table *const regressions_tables[]; /* ended by NULL */

void regressions_put(struct answer *answer, const struct regressions *regressions);

#endif
