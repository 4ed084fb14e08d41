/* Points of interest: allocation sites to which one of a few rules applies, with the figures that
 * say so.  The rules' conditions stand in advice.c and, as text, in advice_rule_condition; nothing
 * else decides. */
#ifndef ANALYZE_ADVICE_H
#define ANALYZE_ADVICE_H

#include "analyze/sites.h"

enum advice_rule {
    ADVICE_DOMINANT,       /* allocates much of everything */
    ADVICE_SHORT_LIVED,    /* much, and dead at once */
    ADVICE_DOUBLING,       /* blocks that replace smaller ones, growing by a factor */
    ADVICE_SMALL_STEPS,    /* the same, growing by little each time */
    ADVICE_MANY_SMALL,     /* many small blocks of one size */
    ADVICE_GROWING,        /* what is alive at the end was born throughout the run */
    ADVICE_PEAK,           /* holds much of the peak */
    ADVICE_PROMOTED_DEAD,  /* promoted, and dead soon after */
    ADVICE_BOXED_INTEGERS, /* OCaml's int32, int64 and nativeint on the heap */
    ADVICE_RULES
};

struct advice {
    enum advice_rule rule;
    const struct site *site; /* borrowed from the sites */
    double share;            /* of the whole that the rule is about; advice is ranked by it */
    double part; /* of the site's own bytes or objects that show what the rule is about */
};

/* What applies, the greatest share first; `*advice` is the caller's to free.  False when there is
 * no memory. */
bool advice_find(const struct sites *sites, struct advice **advice, size_t *count);

/* "short-lived": a rule's name, and when it applies. */
const char *advice_rule_name(enum advice_rule rule);
const char *advice_rule_condition(enum advice_rule rule);

enum { ADVICE_TEXT_BYTES = 400 };

/* What it is, with figures, and what to do about it; one or two sentences each. */
const char *advice_title(const struct advice *advice);
const char *advice_evidence(char *text, const struct advice *advice, const struct sites *sites);

/* On how many samples the figures of its rule rest; of exact recordings, bytes. */
uint64_t advice_samples(const struct advice *advice, const struct sites *sites);
const char *advice_remedy(const struct advice *advice, const struct sites *sites);

/* What usually helps in OCaml, by rule; NULL where the general remedy does.  Another language is another such file, and
 * a line of advice_remedy. */
extern const char *const advice_of_ocaml[ADVICE_RULES];

#endif
