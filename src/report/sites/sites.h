/* What becomes of the blocks of each allocation site: how long they live, what stays, when what
 * stays was born, which sizes they have, whether they replace each other.  What `leaks` and
 * `advice` read.
 *
 * Bytes and objects are estimates from the samples, as everywhere; counts of blocks are of sampled
 * ones. */
#ifndef REPORT_SITES_SITES_H
#define REPORT_SITES_SITES_H

#include "report/stack_view.h"
#include "profile/matcher.h"

enum { SITES_PARTS = 8 }; /* of the run, for the times of births */

struct site {
    struct symbol symbol; /* as the grain tells it; borrowed with the sites */
    uint64_t blocks;
    double bytes, objects; /* allocated */

    double live_bytes, live_objects; /* alive at the end */
    int64_t oldest_us, youngest_us;  /* births of these */
    double age_sum_us;               /* times objects */
    double born_live[SITES_PARTS];   /* bytes of these, by the part of the run they were born in */
    double
        nursery_bytes; /* of these, in OCaml's minor heap: they may die with its next collection */
    double peak_bytes; /* alive when most was */

    double dead_objects;
    double lifetime_sum_us;    /* of dead ones, times objects */
    double quick_bytes;        /* that died within sites.quick_us */
    double young_bytes;        /* that died without having been promoted */
    double tenured_dead_bytes; /* that OCaml's major heap held, and its collector has found dead */

    double promoted_bytes;
    double promoted_quick_bytes; /* that died within sites.quick_us after that */

    uint64_t common_bytes; /* the size that most objects have */
    double common_objects; /* how many have it */
    uint64_t largest_bytes;
    uint64_t smallest_bytes; /* 0: no block yet */
    double smallest_sum;     /* bytes in blocks of that size */

    uint64_t doublings;   /* blocks that replace one at least 1.4 times smaller, of their stack */
    uint64_t small_steps; /* that replace one which is smaller, but not by as much */
    double doubled_bytes; /* in such blocks */
    double stepped_bytes;
    double replaced_bytes; /* of the blocks that these replace */
    double
        weighed_bytes; /* the same, each divided by its chance of being sampled: without those that no sample shows, a pair is missed */
    double overlapped_bytes; /* in blocks that replace one, born before that ends */
    uint64_t followers,
        crowded; /* blocks that follow one of their stack and thread; of them, born while that was alive */
};

/* The blocks of a site that come one way: from the same characters of the line, through the same library functions,
 * which reports of sites hide. */
struct origin {
    uint32_t site;       /* index into items */
    uint32_t stack;      /* one of those that come this way */
    struct site figures; /* without a symbol */
};

struct sites {
    const struct model *model; /* borrowed, as are the filter and the edit */
    const struct filter *filter;
    const struct frame_edit *edit; /* of a filter that edits stacks; else NULL */
    struct library_program program;
    struct symbols symbols;
    struct site *items; /* in the order in which they were first met */
    size_t count, capacity;
    struct map by_symbol;
    uint32_t *site_of; /* by stack of the model: index into items; STACK_NONE for none */
    struct origin
        *origins; /* where they were asked for; in the order in which they were first met */
    size_t origin_count, origin_capacity;
    bool by_fate; /* the filter chooses blocks by what becomes of them: then shares of what stays or
                     dies are its own doing */
    int64_t quick_us;  /* a short life: a hundredth of the run, a second at most */
    struct site whole; /* all of them; symbol and sizes mean nothing */
};

/* Looks at all objects, or samples, that pass the filter of a report that is selected, and tells origins apart where these are wanted.
 * False when there is no memory; then there is nothing to release. */
bool sites_init(struct sites *sites, const struct report *report, enum symbol_grain grain,
                bool no_inlines, bool with_origins);
void sites_release(struct sites *sites);

/* Is it known which blocks are dead?  Of OCaml, once its collector has found something in the major heap, or much is there; before that,
 * what is left may be dead for long. */
bool sites_know_dead(const struct sites *sites);

/* Are several blocks of a site, or an origin, alive at once, of a thread?  Then they are kept somewhere, and one for all would not do. */
bool sites_are_crowded(const struct sites *sites, const struct site *figures);

/* The site of a symbol of the same grain and model, found by its texts; NULL where there is none.
 */
const struct site *sites_find(const struct sites *sites, const struct symbol *symbol);

/* Mean age at the end of what is alive, and mean lifetime of what has died; 0 where there is
 * nothing. */
static inline double site_mean_age_us(const struct site *site)
{
    return site->live_objects > 0 ? site->age_sum_us / site->live_objects : 0;
}

static inline double site_mean_lifetime_us(const struct site *site)
{
    return site->dead_objects > 0 ? site->lifetime_sum_us / site->dead_objects : 0;
}

#endif
