/* Sites that have a larger share of what is allocated than before, by more than chance. */
#ifndef REPORT_REGRESSIONS_H
#define REPORT_REGRESSIONS_H

#include "analyze/regressions.h"
#include "answer/answer.h"
#include "report/question.h"

struct regressions {
    const struct question *options;
    const char *base_name, *new_name; /* stores with their conditions */
    const char *sample;               /* "alloc_space" */
    double rate;                      /* of false alarms */
    struct site_sum base, new;        /* totals */
    struct site_change *sites;        /* all, in regressions_find's order */
    size_t count;
    size_t found; /* of them, those below the rate */
};

extern const struct answer_table *const regressions_tables[]; /* ended by NULL */

void regressions_put(struct answer *answer, const struct regressions *regressions);

#endif
