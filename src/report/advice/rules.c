#include "report/advice/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sites/evidence.h"
#include "report/sites/site_place.h"
#include "base/array.h"

/* Thresholds; advice_text.c tells them in words. */
static const double dominant_share = 0.4;
static const double short_share = 0.05, short_part = 0.9;
static const double growth_share = 0.01, growth_part = 0.5;
static const uint64_t growth_blocks = 8;
static const double small_share = 0.05, small_part = 0.8, small_objects = 1000;
static const uint64_t small_bytes = 64;
static const double leak_share = 0.05;

static const double growing_part =
    0.5; /* of what is allocated: where less stays, a cause says enough */
static const double peak_share = 0.3;
static const double promoted_share = 0.05, promoted_part = 0.5;
static const double explained_part = 0.3; /* of a site's bytes */
static const double import_part = 0.5;    /* the same */
static const double resized_part = 0.5;   /* of the bytes that replace others */
static const uint64_t blocks_least = 16;  /* fewer sampled blocks say little */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* ---- The rules: does one apply, and with which share and part? -------------------------- */

static bool is_dominant(const struct sites *sites, const struct site *site, struct advice *advice)
{
    advice->share = ratio(site->bytes, sites->whole.bytes);
    advice->part = 1;
    return advice->share >= dominant_share;
}

static bool is_short_lived(const struct sites *sites, const struct site *site,
                           struct advice *advice)
{
    advice->share = ratio(site->bytes, sites->whole.bytes);
    advice->part = ratio(site->quick_bytes, site->bytes);
    return advice->share >= short_share && advice->part >= short_part;
}

static bool is_doubling(const struct sites *sites, const struct site *site, struct advice *advice)
{
    advice->share = ratio(site->bytes, sites->whole.bytes);
    advice->part = ratio(site->doubled_bytes, site->bytes);
    return site->doublings >= growth_blocks && advice->share >= growth_share &&
           advice->part >= growth_part;
}

static bool is_stepping(const struct sites *sites, const struct site *site, struct advice *advice)
{
    advice->share = ratio(site->bytes, sites->whole.bytes);
    advice->part = ratio(site->stepped_bytes, site->bytes);
    return site->small_steps >= growth_blocks && advice->share >= growth_share &&
           advice->part >= growth_part;
}

static bool is_many_small(const struct sites *sites, const struct site *site, struct advice *advice)
{
    advice->share = ratio(site->common_objects, sites->whole.objects);
    advice->part = ratio(site->common_objects, site->objects);
    return site->common_bytes <= small_bytes && site->common_objects >= small_objects &&
           advice->share >= small_share && advice->part >= small_part;
}

/* Its verdict says so. */
static bool is_growing(const struct sites *sites, const struct site *site, struct advice *advice)
{
    double alive = fates_survival(advice->fates, site)->live_bytes;
    advice->share = ratio(alive, advice->fates->live_bytes);
    advice->part = ratio(alive, site->bytes);
    return fates_accuses(advice->fates, site) && advice->share >= leak_share;
}

static bool is_at_peak(const struct sites *sites, const struct site *site, struct advice *advice)
{
    advice->share = ratio(site->peak_bytes, sites->whole.peak_bytes);
    advice->part = ratio(site->peak_bytes, site->bytes);
    return advice->share >= peak_share;
}

static bool is_promoted_dead(const struct sites *sites, const struct site *site,
                             struct advice *advice)
{
    advice->share = ratio(site->promoted_bytes, sites->whole.promoted_bytes);
    advice->part = ratio(site->promoted_quick_bytes, site->promoted_bytes);
    return advice->share >= promoted_share && advice->part >= promoted_part;
}

/* In an interpreted language nearly all blocks are small, of few sizes, and dead at once, and its lists and tables grow by
 * themselves: no size can be reserved. */
static const struct rule {
    bool (*applies)(const struct sites *, const struct site *, struct advice *);
    bool is_for_guests;
} rules[ADVICE_RULES] = {
    [ADVICE_DOMINANT] = {is_dominant, true},      [ADVICE_SHORT_LIVED] = {is_short_lived, false},
    [ADVICE_DOUBLING] = {is_doubling, false},     [ADVICE_SMALL_STEPS] = {is_stepping, false},
    [ADVICE_MANY_SMALL] = {is_many_small, false}, [ADVICE_GROWING] = {is_growing, true},
    [ADVICE_PEAK] = {is_at_peak, true},           [ADVICE_PROMOTED_DEAD] = {is_promoted_dead, true},
};

/* With its share and part. */
static bool applies(enum advice_rule rule, const struct sites *sites, const struct site *site,
                    struct advice *advice)
{
    return (rules[rule].is_for_guests || !sites->model->is_guest) &&
           rules[rule].applies(sites, site, advice);
}

/* ---- All of them ------------------------------------------------------------------------ */

/* Bytes by which it is ranked: of a cause what the remedy saves; of a general rule, which knows less of a remedy, a part of what it
 * could save at most. */
static double weight(const struct advice *advice)
{
    static const double general_part = 0.25, dominant_part = 0.1;
    const struct site *site = advice->site;
    if (advice->cause)
        return advice->cause->measure == MEASURE_OVERHEAD ? advice->overhead_bytes
                                                          : advice->saved_bytes;
    if (advice->rule == ADVICE_GROWING)
        return fates_survival(advice->fates, site)->live_bytes *
               (fates_may_load(advice->fates, site) ? general_part : 1);
    if (advice->rule == ADVICE_DOMINANT)
        return dominant_part * site->bytes;
    return general_part * (advice->rule == ADVICE_PEAK          ? site->peak_bytes
                           : advice->rule == ADVICE_SHORT_LIVED ? site->quick_bytes
                                                                : 0);
}

static int compare(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    double first = weight(a), second = weight(b);
    if (first != second)
        return first > second ? -1 : 1;
    if (!a->cause != !b->cause)
        return a->cause ? -1 : 1;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

/* Is the cause of the site's blocks?  Where both name a caller, it may be that of another constructor's. */
static bool is_cause_of(const struct advice *cause, const struct advice *found)
{
    return cause->site == found->site ||
           (!advice_is_same_place(&found->symbol, &found->site->symbol) &&
            advice_is_same_place(&cause->symbol, &found->symbol));
}

/* Part of its blocks is never freed, in a program that frees others itself: whatever those are, these leak. */
static bool is_leak(const struct advice *found)
{
    const struct model *model = found->fates->sites->model;
    return !model->is_guest && model->info.word_bits == 8 &&
           fates_of(found->fates, found->site) == FATE_LEAKS;
}

/* Has a cause been found that says more than the rule would of the site's blocks? */
static bool is_explained(const struct advice_list *list, size_t causes, const struct sites *sites,
                         const struct advice *found)
{
    struct advice promoted;
    double bytes = 0;
    bool has_growth = false;
    for (size_t i = 0; i < causes; i++)
        if (is_cause_of(&list->items[i], found)) {
            bytes += list->items[i].bytes;
            has_growth |= list->items[i].cause->is_growth;
        }
    bool is_cause = bytes > 0 && bytes >= explained_part * found->site->bytes;
    if (found->rule ==
        ADVICE_GROWING) /* where most dies, what stays is what has not been collected yet */
        return has_growth || (is_cause && found->part < growing_part && !is_leak(found)) ||
               (bytes > 0 && fates_may_load(found->fates, found->site));
    if (found->rule == ADVICE_PROMOTED_DEAD)
        return is_cause && found->site->promoted_bytes < promoted_part * found->site->bytes;
    if (is_promoted_dead(sites, found->site, &promoted) &&
        promoted.share >= dominant_share) /* which is why they are many, or alive at the peak */
        return true;
    return is_cause;
}

bool advice_is_nowhere(const struct site *site)
{
    const char *function = site->symbol.function ? site->symbol.function : "";
    return strcmp(function, "(no location)") == 0 || strncmp(function, "libstdc++.so", 12) == 0 ||
           (site->symbol.file && strncmp(site->symbol.file, "<frozen ", 8) == 0);
}

bool advice_is_import(const struct sites *sites, const struct site *site)
{
    double bytes = 0;
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (&sites->items[origin->site] != site)
            continue;
        struct evidence evidence = evidence_of(sites, origin, NULL);
        if (evidence_has_call(&evidence, "_find_and_load"))
            bytes += origin->figures.bytes;
    }
    return bytes >= import_part * site->bytes && bytes > 0;
}

/* Are most of the blocks that replace others at the site steps of what grows, as far as can be told? */
static bool is_resized(const struct sites *sites, const struct evidence_sources *sources,
                       const struct site *site)
{
    double grown = 0;
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (&sites->items[origin->site] != site)
            continue;
        struct evidence evidence = evidence_of(sites, origin, sources);
        if (evidence_may_be_resized(&evidence))
            grown += origin->figures.doubled_bytes + origin->figures.stepped_bytes;
    }
    return grown >= resized_part * (site->doubled_bytes + site->stepped_bytes);
}

static bool is_growth(enum advice_rule rule)
{
    return rule == ADVICE_DOUBLING || rule == ADVICE_SMALL_STEPS;
}

static bool add_general(struct advice_list *list, const struct fates *fates,
                        const struct evidence_sources *sources, const struct site *site,
                        size_t causes)
{
    const struct sites *sites = fates->sites;
    bool is_exact = sites->model->info.sample_rate == 1;
    for (int rule = 0; rule < ADVICE_RULES; rule++) {
        struct advice found = {
            .rule = (enum advice_rule)rule, .fates = fates, .site = site, .symbol = site->symbol};
        if ((!is_exact && site->blocks < blocks_least) || advice_is_nowhere(site) ||
            !applies(found.rule, sites, site, &found))
            continue;
        found.symbol =
            rule == ADVICE_GROWING
                ? fates_place(fates, site)
                : site_place(sites, site, rule == ADVICE_PEAK ? SITE_PEAK : SITE_ALLOCATED);
        if (is_explained(list, causes, sites, &found) || advice_is_import(sites, site) ||
            (is_growth(found.rule) && !is_resized(sites, sources, site)))
            continue;
        if (!ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
            return false;
        found.line =
            found.symbol.file ? evidence_line(sources, found.symbol.file, found.symbol.line) : "";
        list->items[list->count++] = found;
    }
    return true;
}

bool advice_find(const struct fates *fates, const struct evidence_sources *sources,
                 struct advice **advice, size_t *count)
{
    const struct sites *sites = fates->sites;
    struct advice_list list = {0};
    bool done = advice_add_causes(&list, fates, sources);
    size_t causes = list.count;
    for (size_t i = 0; done && i < sites->count; i++)
        done = add_general(&list, fates, sources, &sites->items[i], causes);
    if (done && list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, compare);
    if (!done)
        free(list.items);
    *advice = done ? list.items : NULL;
    *count = done ? list.count : 0;
    return done;
}
