/* Verdicts: what becomes of the blocks of each site, in a word and a sentence, over all sites of a report
 * (report/sites/survival.h says what they rest on). */
#ifndef REPORT_SITES_FATES_H
#define REPORT_SITES_FATES_H

#include "report/sites/sites.h"
#include "report/sites/survival.h"

enum fate {
    FATE_LEAKS, /* a part of its blocks is never freed, and there are ever more of them */
    FATE_GROWS, /* nearly all are kept, or freed only at the end, and there are ever more of them */
    FATE_CACHE, /* blocks stay long, but what they come to has stopped growing */
    FATE_START, /* what is alive was born early, and stays */
    FATE_AT_EXIT, /* freed only as the program ends */
    FATE_IN_USE,  /* what is alive is young: blocks come and go */
    FATE_TOO_FEW, /* blocks that were seen */
    FATE_UNKNOWN, /* the run is too short, or the filter chooses blocks by what becomes of them */
};

struct fates {
    const struct sites *sites; /* borrowed */
    struct survival_span span; /* steps 0: nothing is judged */
    struct survival *items;    /* by site */
    bool is_exact;             /* every block was seen */
    size_t accused;            /* sites that leak or grow */
};

/* False when there is no memory; then there is nothing to release.  The matcher is the one that the sites were made with. */
bool fates_init(struct fates *fates, const struct sites *sites, const struct matcher *matcher);
void fates_release(struct fates *fates);

/* Of one of the sites. */
const struct survival *fates_survival(const struct fates *fates, const struct site *site);
enum fate fates_of(const struct fates *fates, const struct site *site);

/* Of the sites that leak or grow the one that grows fastest after another; NULL: of all; and in the end. */
const struct site *fates_next(const struct fates *fates, const struct site *before);

/* The first of them, if it is a hundredth of what is alive or more; NULL for none. */
const struct site *fates_worst(const struct fates *fates);

const char *fate_word(enum fate fate); /* "leaks" */

enum { FATE_TEXT_BYTES = 400 };

/* Why, in one sentence; "" where nothing is known. */
const char *fates_evidence(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site);

/* "1.2 MB a minute (1.1 MB to 1.3 MB)" */
const char *fates_rate(char text[FATE_TEXT_BYTES], const struct fates *fates,
                       const struct survival *survival);

#endif
