/* What advice begins with: the place that leaks, the one that has most of the peak, the one that allocates most of what ends. */
#ifndef REPORT_ADVICE_HEADS_H
#define REPORT_ADVICE_HEADS_H

#include "answer/answer.h"
#include "report/advice/rules.h"
#include "report/sites/fates.h"

enum advice_head_kind { HEAD_LEAK, HEAD_PEAK, HEAD_CHURN, ADVICE_HEADS };

struct advice_head {
    enum advice_head_kind kind;
    const struct site *site;
    struct symbol
        symbol; /* of a leak the line to change, as everywhere; else the first point's, where there is one */
    double bytes,
        share;      /* of what is left at the end (a leak), of the peak, of all that has ended */
    size_t point;   /* that of the place which is about this, from 1; 0 for none */
    enum fate fate; /* of a leak: FATE_LEAKS, or FATE_GROWS */
    bool is_freed;  /* of a leak: it is freed as the program ends */
    char rate[FATE_TEXT_BYTES]; /* of a leak that is one by its verdict: how fast; else "" */
};

extern const struct answer_table advice_heads_table;

/* The site that leaks or grows fastest, by its verdict, of those that have a tenth of what is alive and that advice is given about; NULL for none. */
const struct site *advice_leak(const struct fates *fates);

/* Did a growing site free its blocks before the end?  What a guest's run frees is freed by the program: its heap is taken apart
 * later.  Of others, whose exits are part of the run, it is so where growth may be loading. */
bool advice_is_let_go(const struct fates *fates, const struct site *site);

/* Of those that there are, in this order; how many.  A leak is advice_leak; where there is none, what a
 * point says grows. */
size_t advice_heads(struct advice_head heads[ADVICE_HEADS], const struct fates *fates,
                    const struct advice *points, size_t count);

/* "Peak: 3.2 MB, 80.1 % of what is alive then: read_index (words.cc:12), point 1" */
void advice_head_say(struct answer *answer, const struct advice_head *head);

#endif
