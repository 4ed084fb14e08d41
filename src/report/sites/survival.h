/* Is it a leak?  What the lives of a site's blocks say, and how sure that is.
 *
 * The model.  Every block that was seen is one observation: the step of the run in which it was born (profile/lives.h) and that in
 * which it was freed.  What is alive at the end is censored at its age: it would have been freed later, or never.  A program that frees
 * everything as it ends censors what it then frees, too: the observations end where the teardown begins
 * (survival_span_of).  Blocks were sampled independently of what became of them, each with a probability that depends on its size
 * alone.  So counts of sampled blocks are tested as they are; bytes are weighed.
 *
 * Of several processes, each one's time goes from its beginning to its end (profile/process_clock.h), and what is alive as it ends is censored.
 * A step lasts as long as those of the site's processes do on average, by their bytes.
 *
 * Survival.  S(a), the share of blocks that live longer than a steps, is the product-limit estimate of E. L. Kaplan and P. Meier
 * ("Nonparametric estimation from incomplete observations", Journal of the American Statistical Association 53, 1958):
 * the product over ages i <= a of 1 - d_i / r_i, where d_i blocks were freed at age i and r_i were still being watched then.  Its
 * variance is Greenwood's, its 95 % bounds those of log(-log S) (J. D. Kalbfleisch and R. L. Prentice, "The Statistical Analysis of
 * Failure Time Data", 1980); where nothing was freed, the lower one is 0.05^(1/r).
 *
 * What a leak is.  A share of blocks that nobody frees, of which there are ever more.  A cache has blocks that live long, too, but as
 * many are freed as come; a table that is filled at the start has blocks that are never freed, but no more of them; and under
 * a periodic load blocks come and go.  So a block counts once it is old: older than the age by which 99 % of all frees of the site
 * have happened, a 16th of the run, an 8th or a quarter.
 *
 * The test.  Null hypothesis: of the blocks that were born in a step and grew old, at least half were freed soon after (before twice that
 * age, an 8th of the run at least) in two of three steps: old blocks turn over.  A step with old blocks is one trial,
 * however many blocks it has, as blocks that are born together (a table, a plug-in) also stay together; it succeeds if most of its old
 * blocks lived on.  p is the probability of at least as many successes in so many trials, if each has a probability of 1/3.
 *
 * Where more than 1 % of a site's frees are of blocks older than a quarter of the run, no age tells kept blocks from others.  Then p is that of a sign test: from half of the run on (and
 * likewise from a third on; the larger p counts), in each pair of steps, did more blocks become old than old ones were freed?  Null hypothesis: more or fewer, with the same probability.
 *
 * Further conditions make no p; each can only clear a site.  A site is accused only if it is growing still:
 *   - the births of what is kept did not stop: if n steps have such births, the first of them and others that are distributed evenly from there
 *     on, the last would lie as early as it does with a probability of 1 % or more.  Of old blocks, births are known until that age before the
 *     end, and each may have been at any time.  Of all that is left, births are known up to the end: there, n different steps have births, and the site has
 *     not stopped if that would be less than a tenth of the run ago, or it has paused for as long before.  The latter is done with all steps, and with those alone in which
 *     the program makes any block: one that is kept waiting now and then has pauses that are not the site's;
 *   - the last third of the run does not have less than half of the middle third's growth, by more than chance (z = 2.05);
 *   - in the last half, fewer than half as many old blocks were freed as became old, and at no time were there less than half as many as
 *     there had been, as there are when a period of work ends;
 *   - the lower bound of its rate of growth is more than 0.
 *
 * Many sites are looked at, and one in a hundred has a p of 1 % by chance.  So the p of all sites with at least five trials (with fewer,
 * none can be accused) are corrected by Holm's method (report/change/holm.h): the family-wise error rate is 5 %.  That is: of programs in which old
 * blocks turn over at all sites, at most 5 in 100 have any site accused.  Outside the null hypotheses, say of growth that ended late
 * or a cache that is still being filled, there is no such guarantee: a cache that is larger than what the run has put into it
 * grows, and is said to.  bench/verdicts.py measures both.
 *
 * The rate of growth is that of old blocks' bytes in the last half of the run, or since the first of them where that is later (the verdict rests on
 * all of that half): what became old, less what was freed of it.  Where that
 * falls by more than chance, and not by a few large blocks alone, it is what a straight line through it has at the run's end.  The bounds come from how much steps vary
 * about the mean, or the line; they hold the chance of sampling as well. Where they would include 0, the lower bound is the greatest of these: that of
 * the median step, or four, which few large blocks and short pauses don't move; and, of rare blocks of much the same size, that of the logarithm of a number of rare
 * events. */
#ifndef REPORT_SITES_SURVIVAL_H
#define REPORT_SITES_SURVIVAL_H

#include "profile/estimate.h"
#include "profile/lives.h"

extern const double survival_false_alarms; /* 0.05 */

enum {
    SURVIVAL_TRIALS_LEAST = 5,
    SURVIVAL_STEPS_LEAST = 32,
    SURVIVAL_LOOKED_AT_LEAST = 16,
    SURVIVAL_POINTS = 16,
    SURVIVAL_SHOWN = 8
};

/* The part of the run that is judged: from its start to its end, or to where it begins to free what is left. */
struct survival_span {
    unsigned steps;    /* SURVIVAL_STEPS_LEAST or more; 0: the run is too short to be judged */
    unsigned teardown; /* first place of the teardown; LIVES_PLACES for none */
    double step_us;
    uint64_t idle;   /* a bit by step: no block at all is born in it */
    bool frees_late; /* when a freed block died is not known: perhaps as soon as it was born */
    bool has_sizes;  /* whether one block grows can be told (report/sites/largest.h) */
};

/* Of all blocks' births and ends, and how many are left.  A teardown is the longest end of the run in which at most one block is born
 * for each ten that end, and half of what was alive ends. */
struct survival_span survival_span_of(const struct lives *lives);

/* Of a heap with a garbage collector, which frees much at once in the middle of the run, and nothing as the program ends.  Blocks die
 * before it finds them.  So there are two views: of the whole run, where they live until they are freed; and of what a collection has looked at,
 * up to the last step in which many were freed or must have been looked for, where they die at once.  A site that grows does so in both.  The
 * cells are those of all blocks. */
struct survival_span survival_span_whole(const struct lives *lives);
struct survival_span survival_span_looked_at(const struct lives *lives);

enum survival_growth {
    GROWTH_NONE,    /* nothing is kept */
    GROWTH_STOPPED, /* the births of what is kept ended before the run did */
    GROWTH_SLOWED,
    GROWTH_TURNED_OVER, /* old blocks are freed as new ones get old */
    GROWTH_UNSURE,      /* the bounds of its rate include none */
    GROWTH_GOES_ON
};

/* What is found of a site.  Blocks are those that were seen, bytes are estimates. */
struct survival {
    uint64_t blocks;
    double bytes;
    double step_us; /* how long a step is: of several processes, on average of theirs */

    unsigned old_steps; /* the age from which on a block is old */
    bool is_by_age;     /* tested by what becomes of old blocks; else by sign, ... */
    bool is_by_largest; /* ... or by the size of the largest, which has grown from one to another */
    double largest_from, largest_to;
    unsigned trials, successes;
    double p, p_of_all;
    enum survival_growth growth;

    uint64_t became_old, old_freed; /* in the last half of the run */
    uint64_t old_blocks, old_kept;  /* of all that became old, those that are left then */
    unsigned stopped;               /* GROWTH_STOPPED: the step of the last birth of what is kept */

    struct estimate_range kept_range;
    double kept; /* share of blocks that live on past late_steps, or as long as any was watched */
    unsigned late_steps; /* that age */

    double
        growth_bytes; /* a second, in the last half of the run; at its end, where it slows down */
    struct estimate_range growth_range;

    double live_bytes;    /* at the end, or before the teardown */
    double early_bytes;   /* of these, born in the first quarter of the run */
    double old_bytes;     /* of these, in old blocks */
    double at_exit_bytes; /* of these, freed in the teardown */

    double live[LIVES_STEPS];     /* bytes at the end of each step */
    double survives[LIVES_STEPS]; /* share of blocks that live longer than so many steps */
    double live_curve[SURVIVAL_POINTS], survives_curve[SURVIVAL_POINTS],
        live_shown[SURVIVAL_SHOWN]; /* the same, to be shown: at the end of each 16th */
};

/* Of one site's cells, whose samples are bytes. */
void survival_of(struct survival *survival, const struct lives_cell *cells, size_t count,
                 const struct survival_span *span);

/* Sets p_of_all.  False when there is no memory. */
bool survivals_correct(struct survival *items, size_t count);

static inline bool survival_is_accused(const struct survival *survival)
{
    return survival->p_of_all <= survival_false_alarms && survival->growth == GROWTH_GOES_ON;
}

#endif
