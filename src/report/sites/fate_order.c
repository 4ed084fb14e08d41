/* Which site grows most, and which may. */
#include "report/sites/fates.h"

static const double worst_share = 0.01; /* of all that is alive */
static const double risen_share = 0.1;  /* the same, of what may have grown */

/* Has what is alive grown from half of the run to three quarters, and from there to the end, though its blocks are freed in turn, as those
 * of a queue are that becomes longer? */
bool fates_is_rising(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    static const double risen = 1.15;
    unsigned steps = fates->span.steps;
    double half = survival->live[steps / 2 - 1], quarter = survival->live[steps * 3 / 4 - 1],
           end = survival->live[steps - 1];
    return half > 0 && quarter > risen * half && end > risen * quarter;
}

/* Is all that it has at the end the most that it ever had, and twice what it had at half of the run, or still rising? */
static bool has_risen(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    unsigned steps = fates->span.steps;
    double end = survival->live[steps - 1], half = survival->live[steps / 2 - 1];
    for (unsigned step = 0; step < steps; step++)
        if (survival->live[step] > end)
            return false;
    return half > 0 && (end >= 2 * half || fates_is_rising(fates, site));
}

const struct site *fates_risen(const struct fates *fates, double *half)
{
    const struct site *found = NULL;
    double most_bytes = risen_share * fates->live_bytes;
    if (fates->span.steps == 0 || fates->looked_at || fates->levels.items)
        return NULL;
    for (size_t i = 0; i < fates->sites->count; i++) {
        const struct site *site = &fates->sites->items[i];
        const struct survival *survival = fates_survival(fates, site);
        enum fate fate = fates_of(fates, site);
        if ((fate == FATE_IN_USE || fate == FATE_TOO_FEW) && survival->live_bytes > most_bytes &&
            has_risen(fates, site)) {
            found = site;
            most_bytes = survival->live_bytes;
            *half = survival->live[fates->span.steps / 2 - 1];
        }
    }
    return found;
}

/* Does a site grow more slowly than another? */
static bool is_after(const struct fates *fates, const struct site *site, const struct site *other)
{
    double rate = fates_survival(fates, site)->growth_bytes,
           others = fates_survival(fates, other)->growth_bytes;
    return rate != others ? rate < others : site > other;
}

const struct site *fates_next(const struct fates *fates, const struct site *before)
{
    const struct site *next = NULL;
    for (size_t i = 0; fates->accused > 0 && i < fates->sites->count; i++) {
        const struct site *site = &fates->sites->items[i];
        if (fates_accuses(fates, site) && (!before || is_after(fates, site, before)) &&
            (!next || is_after(fates, next, site)))
            next = site;
    }
    return next;
}

const struct site *fates_worst(const struct fates *fates)
{
    const struct site *worst = fates_next(fates, NULL);
    return worst && fates_survival(fates, worst)->live_bytes >= worst_share * fates->live_bytes
               ? worst
               : NULL;
}
