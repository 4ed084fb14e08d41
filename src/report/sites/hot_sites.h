/* Hot spots: the places that allocate most, and the callers their bytes come through.
 *
 * A site is where an allocation's innermost inlined function allocates: the last location of the
 * last frame.  Sites are as coarse as asked for (a line, a function, a file); each remembers the
 * exact places it is made of.  A caller of a site is every other function of a stack that ends
 * there, inlined ones included; each counts once a stack, however often it recurs, and with all of
 * the stack's weight. */
#ifndef REPORT_SITES_HOT_SITES_H
#define REPORT_SITES_HOT_SITES_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct hotspots_options {
    enum symbol_grain grain; /* GRAIN_LINE, GRAIN_FUNCTION or GRAIN_FILE */
    enum stack_weight weight;
};

struct hotspot_place {
    struct symbol symbol; /* with line and characters */
    struct stack_tally tally;
    uint32_t site; /* index into sites */
};

struct hotspot {
    struct symbol symbol; /* as the grain tells it */
    struct stack_tally tally;
    double weight;
    double share;                       /* of all weight */
    const struct hotspot_place *places; /* heaviest first; borrowed with the hotspots */
    size_t place_count;
    uint32_t number; /* in the order in which sites were first seen */
};

struct hotspot_caller {
    uint32_t number;      /* of the function, among those of all sites */
    struct symbol symbol; /* a function; a file where sites are files */
    struct stack_tally tally;
    double weight;
    double share;     /* of the site's weight */
    double own_share; /* what comes here of all weight that passes through this function */
    double distance;  /* calls between it and the site, weighted mean, recursion left out; 1 for the
                         nearest */
};

struct hotspots {
    struct stack_measure measure; /* of the profile; its texts are borrowed */
    struct stack_tally total;
    double weight;         /* of the total */
    struct hotspot *sites; /* heaviest first; negative ones count by their size */
    size_t count;
    struct hotspot_place *places; /* grouped by site */
    struct hotspots_index *index; /* for hotspots_callers */
};

/* Reads a finished profile, which along with `source` must outlive the hotspots.  False when there
 * is no memory; then there is nothing to release. */
bool hotspots_init(struct hotspots *hotspots, const struct stack_profile *profile,
                   const struct frame_source *source, const struct hotspots_options *options);
void hotspots_release(struct hotspots *hotspots);

/* Frees what only callers are found by: they can't be asked for any more, while texts of those that were stay. */
void hotspots_forget_callers(struct hotspots *hotspots);

/* The callers of sites[site], heaviest first, nearest first where they weigh the same.  `*callers`
 * is the caller's to free.  False when there is no memory. */
bool hotspots_callers(const struct hotspots *hotspots, size_t site, struct hotspot_caller **callers,
                      size_t *count);

/* For each of a site's callers, which of those before it in the list it always comes through: all stacks that it has
 * have that one too, nearer to the site.  Of several the last; HOTSPOT_NO_CALLER for none, and for callers after the
 * first HOTSPOT_CHAINED_MOST.  False when there is no memory. */
enum { HOTSPOT_CHAINED_MOST = 64 };
#define HOTSPOT_NO_CALLER SIZE_MAX
bool hotspots_chains(const struct hotspots *hotspots, size_t site,
                     const struct hotspot_caller *callers, size_t count, size_t *through);

/* Have callers below one of them, or below the site, more together than that has?  Then some stacks come through several of them, and
 * count for each.  `through` is of hotspots_chains. */
bool hotspots_callers_overlap(const struct hotspot_caller *callers, size_t count,
                              const size_t *through);

/* What is said of that below them. */
#define HOTSPOTS_OVERLAP_NOTE                                                                      \
    "Callers overlap: a stack counts for each of them that it comes through."

/* Does a caller say something of its site?  Functions such as main, through which most bytes of
 * every site come, do not: what comes here of their weight is too little to stand out. */
bool hotspot_caller_is_telling(const struct hotspot *site, const struct hotspot_caller *caller);

#endif
