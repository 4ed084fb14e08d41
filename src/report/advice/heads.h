/* What advice begins with: the place that leaks, the one that has most of the peak, the one that allocates most of what ends. */
#ifndef REPORT_ADVICE_HEADS_H
#define REPORT_ADVICE_HEADS_H

#include "answer/answer.h"
#include "report/advice/rules.h"

enum advice_head_kind { HEAD_LEAK, HEAD_PEAK, HEAD_CHURN, ADVICE_HEADS };

struct advice_head {
    enum advice_head_kind kind;
    const struct site *site;
    const struct symbol
        *symbol; /* the first point's, where there is one: of a constructor it is the caller's */
    double bytes,
        share;    /* of what is left at the end (a leak), of the peak, of all that has ended */
    size_t point; /* the first point of the place, from 1; 0 for none */
};

extern const struct answer_table advice_heads_table;

/* Of those that there are, in this order; how many. */
size_t advice_heads(struct advice_head heads[ADVICE_HEADS], const struct sites *sites,
                    const struct advice *points, size_t count);

/* "Peak: 3.2 MB, 80.1 % of what is alive then: read_index (words.cc:12), point 1" */
void advice_head_say(struct answer *answer, const struct advice_head *head);

#endif
