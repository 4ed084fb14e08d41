/* Verdicts: what becomes of the blocks of each site, in a word and a sentence, over all sites of a report
 * (report/sites/survival.h says what they rest on; of a fleet's store, whose profiles have no lives, report/sites/levels.h). */
#ifndef REPORT_SITES_FATES_H
#define REPORT_SITES_FATES_H

#include "answer/answer.h"
#include "report/sites/levels.h"
#include "report/sites/site_place.h"
#include "report/sites/sites.h"
#include "report/sites/survival.h"

enum fate {
    FATE_LEAKS, /* a part of its blocks is never freed, and there are ever more of them */
    FATE_GROWS, /* nearly all are kept, or freed only at the end, and there are ever more of them */
    FATE_CACHE, /* blocks stay long, but what they come to has stopped growing */
    FATE_START, /* what is alive was born early, and stays */
    FATE_LOADED,  /* they are there because code is loaded, as Python's imports do */
    FATE_AT_EXIT, /* freed only as the program ends */
    FATE_IN_USE,  /* what is alive is young: blocks come and go */
    FATE_STEADY,  /* of a store: it does not grow, or not to the end */
    FATE_LOST,    /* nothing leads to what is left, by the snapshot of what holds blocks */
    FATE_TOO_FEW, /* blocks that were seen */
    FATE_UNKNOWN, /* the run is too short, or the filter chooses blocks by what becomes of them */
};

/* Of the blocks of a site, those that outlive the step of the run in which they were born: samples. */
struct outliving {
    double all;
    double loaded; /* of these, made as code was loaded (profile/loading.h) */
};

struct fates {
    const struct sites *sites; /* borrowed */
    struct survival_span span; /* steps 0: nothing is judged */
    struct survival *items;    /* by site */
    struct survival
        *looked_at; /* the same of what a collector has looked at; NULL: there is none */
    struct outliving *outliving; /* the same */
    struct levels levels;        /* of a store's profiles, by site; else no items */
    double *lost_bytes;          /* by site, of what is left (report/sites/lost.h); NULL where
                                    the filter chooses some of a site's blocks */
    bool is_exact;               /* every block was seen */
    size_t accused;              /* sites that leak or grow */
    size_t lost;                 /* sites of which nearly all that is left is lost */
    double live_bytes;           /* of all sites, at the end or before the teardown */
};

/* False when there is no memory; then there is nothing to release.  The matcher is the one that the sites were made with. */
bool fates_init(struct fates *fates, const struct sites *sites, const struct matcher *matcher);
void fates_release(struct fates *fates);

/* Of one of the sites. */
const struct survival *fates_survival(const struct fates *fates, const struct site *site);
enum fate fates_of(const struct fates *fates, const struct site *site);

/* Is a site's fate known, of any? */
bool fates_are_known(const struct fates *fates);

/* Does it leak or grow? */
bool fates_accuses(const struct fates *fates, const struct site *site);

/* Of what was alive, is more than half freed as the program ends? */
bool fates_is_freed(const struct fates *fates, const struct site *site);

/* Of what is left of it, the part that is lost; 0 where that isn't known. */
double fates_lost_part(const struct fates *fates, const struct site *site);

/* Of what outlives the step of its birth, the part that was made as code was loaded. */
double fates_loaded_part(const struct fates *fates, const struct site *site);

/* Old blocks are freed, but they may have been garbage for long, and what a collection has left goes on growing. */
bool fates_may_grow(const struct fates *fates, const struct site *site);

/* Has what is alive grown from half of the run to three quarters, and from there to the end, though blocks are freed in turn? */
bool fates_is_rising(const struct fates *fates, const struct site *site);

/* Too few were sampled to say anything. */
bool fates_has_few_blocks(const struct fates *fates, const struct site *site);

/* Of the sites that leak or grow the one that grows fastest after another; NULL: of all; and in the end. */
const struct site *fates_next(const struct fates *fates, const struct site *before);

/* The first of them, if it is a hundredth of what is alive or more; NULL for none. */
const struct site *fates_worst(const struct fates *fates);

/* Of those that are not said to grow, but have the most at the end, and twice what they had at half of the run or a steady rise since then, the largest, if it is a tenth of
 * what is alive or more; NULL for none. */
const struct site *fates_risen(const struct fates *fates, double *half);

/* The place of a site that grows, with what it calls of the blocks by which it does: those that are left; where they are freed as
 * the program ends, those of the peak, or all where that was another time. */
struct symbol fates_place(const struct fates *fates, const struct site *site);

const char *fate_word(enum fate fate); /* "leaks" */

enum { FATE_TEXT_BYTES = 400 };

/* "nothing leads to 98 % of what is left, which is lost", by the snapshot of what holds blocks; "" where that is not so of most. */
const char *fates_say_lost(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site);

/* Why nothing is judged, and what would have to be otherwise; "" where it is, and of profiles without lives. */
const char *fates_unjudged(char text[FATE_TEXT_BYTES], const struct fates *fates);

/* Why, in one sentence; "" where nothing is known. */
const char *fates_evidence(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site);

/* Does all of it grow in a run of less than 10 seconds, as programs do that load, compute and end?  Not where a part leaks, nor of a
 * store. */
bool fates_may_load(const struct fates *fates, const struct site *site);

/* "1.2 s may be the time of loading alone", or of a short run "80 ms, perhaps of loading alone": where that is so of the site; else, or
 * without a site, "". */
const char *fates_caution(char text[FATE_TEXT_BYTES], const struct fates *fates,
                          const struct site *site);

/* Is the run less than a second?  Then the caution comes first. */
bool fates_is_short(const struct fates *fates, const struct site *site);

/* That, and what a longer run would tell, as a line of its own before what is said to grow, where the run is that short, or after it; nothing
 * where there is no caution, or it belongs on the other side. */
void fates_say_caution(struct answer *answer, const struct fates *fates, const struct site *site,
                       bool is_before);

/* "1.2 MB a minute (1.1 MB to 1.3 MB)": all rates in one unit of time, that of the fastest that is accused. */
const char *fates_rate(char text[FATE_TEXT_BYTES], const struct fates *fates,
                       const struct survival *survival);

#endif
