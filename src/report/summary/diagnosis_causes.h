/* The causes that a diagnosis names: of the points of advice, of the verdicts, and of the places that have most of a figure. */
#ifndef REPORT_SUMMARY_DIAGNOSIS_CAUSES_H
#define REPORT_SUMMARY_DIAGNOSIS_CAUSES_H

#include "report/advice/advised.h"
#include "report/calls/heavy_chain.h"
#include "report/summary/cards.h"

enum { CAUSES_MOST = 3 };

/* What a place has of a figure. */
struct cause {
    struct symbol symbol;        /* first: its columns'.  Where to change something */
    const struct symbol *source; /* where its blocks come from: another place where a constructor
                                    makes them for this one */
    const char *title;
    const struct advice *advice; /* NULL: a place that has much */
    const struct card *card;     /* whose figure it is of */
    const char *line;            /* the source line; "" where it is not at hand */
    double bytes;                /* of that figure, at the place */
    struct estimate_range range;
    double saved; /* of it, by the remedy; 0 where nobody knows */
    struct heavy_chain callers;
};

struct diagnosis {
    const struct report *report;
    struct cards cards;
    bool has_blocks; /* of a trace: then there is advice */
    struct advised advised;
    struct cause causes[CAUSES_MOST];
    size_t count;
};

/* With its report, cards and advice; the costliest cause comes first. */
void diagnosis_add_causes(struct diagnosis *diagnosis);

/* The card of a name; where there is none, the last. */
const struct card *diagnosis_card(const struct diagnosis *diagnosis, const char *name);

/* Are they one line of one function? */
bool diagnosis_is_place(const struct symbol *left, const struct symbol *right);

#endif
