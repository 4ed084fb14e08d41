#include "report/sites/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "report/change/holm.h"
#include "report/sites/trend.h"

static const double false_alarms = 0.05;
enum { WARM_UP = MOMENT_PARTS / 4 }; /* parts in which it may grow */

/* A time of regular profiles of one set of labels. */
struct instance {
    const char *name, *version; /* the model's */
    int64_t run, part_us;
    uint32_t version_number;
    bool has_part[MOMENT_PARTS];
};

/* Which part of which instance a set of labels is of. */
struct slot {
    uint32_t instance; /* MODEL_NONE: none */
    uint32_t part;
    double scale;    /* from its sum of a level to the part's mean */
    double profiles; /* of the part */
};

/* By part: what is in use, and what was allocated, a profile. */
struct series_of {
    double level[MOMENT_PARTS], allocated[MOMENT_PARTS];
};

struct judging {
    struct levels *levels;
    const struct sites *sites;
    const struct model *model;
    const struct matcher *matcher;
    long in_use, allocated; /* types; -1 for none */
    struct slot *slots;     /* by set of labels */
    struct instance *instances;
    size_t count, capacity;
    const char **versions;
    size_t version_count, version_capacity;
    uint32_t *rows; /* those that pass, by site */
    size_t row_count;
    struct series_of *series, *whole; /* by instance: of one site, of all */
    double *ps;                       /* by instance */
    struct level *tests;              /* by site and version */
};

/* ---- Instances --------------------------------------------------------------------------- */

static uint32_t version_of(struct judging *judging, const char *version)
{
    for (size_t i = 0; i < judging->version_count; i++)
        if (strcmp(judging->versions[i], version) == 0)
            return (uint32_t)i;
    if (!ARRAY_RESERVE(&judging->versions, &judging->version_capacity, judging->version_count + 1))
        return MODEL_NONE;
    judging->versions[judging->version_count] = version;
    return (uint32_t)judging->version_count++;
}

/* Texts of the model are interned; the moments of an instance come one after the other. */
static struct instance *instance_of(struct judging *judging, const struct moment *moment)
{
    struct instance *last = judging->count > 0 ? &judging->instances[judging->count - 1] : NULL;
    if (last && last->name == moment->instance && last->run == moment->run)
        return last;
    uint32_t version = version_of(judging, moment->version);
    if (version == MODEL_NONE ||
        !ARRAY_RESERVE(&judging->instances, &judging->capacity, judging->count + 1))
        return NULL;
    judging->instances[judging->count] = (struct instance){.name = moment->instance,
                                                           .version = moment->version,
                                                           .run = moment->run,
                                                           .part_us = moment->part_us,
                                                           .version_number = version};
    return &judging->instances[judging->count++];
}

static bool find_instances(struct judging *judging)
{
    size_t sets = judging->model->samples.set_count;
    judging->slots = malloc((sets + 1) * sizeof *judging->slots);
    if (!judging->slots)
        return false;
    for (uint32_t set = 0; set < sets; set++) {
        struct moment moment;
        judging->slots[set] = (struct slot){.instance = MODEL_NONE};
        if (!moment_of(&moment, judging->model, set))
            continue;
        struct instance *instance = instance_of(judging, &moment);
        if (!instance)
            return false;
        instance->has_part[moment.part] = true;
        judging->slots[set] =
            (struct slot){.instance = (uint32_t)(instance - judging->instances),
                          .part = (uint32_t)moment.part,
                          .scale = (double)moment.profiles / (double)moment.profiles_of_part,
                          .profiles = (double)moment.profiles_of_part};
    }
    judging->levels->instances = judging->count;
    judging->levels->versions = judging->version_count;
    return true;
}

/* ---- Series ------------------------------------------------------------------------------- */

/* The rows that pass and have a moment, by site. */
static bool group_rows(struct judging *judging, size_t *first)
{
    const struct model_samples *samples = &judging->model->samples;
    size_t sites = judging->sites->count;
    judging->rows = malloc((samples->count + 1) * sizeof *judging->rows);
    if (!judging->rows)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; row < samples->count; row++) {
            uint32_t site = judging->sites->site_of[samples->stack[row]];
            if (site == STACK_NONE || judging->slots[samples->labels[row]].instance == MODEL_NONE ||
                !matcher_sample(judging->matcher, row))
                continue;
            if (pass == 0)
                first[site + 2]++;
            else
                judging->rows[first[site + 1]++] = (uint32_t)row;
        }
        for (size_t site = 0; pass == 0 && site < sites; site++)
            first[site + 2] += first[site + 1];
    }
    return true;
}

static void add_row(struct judging *judging, struct series_of *series, uint32_t row)
{
    const struct model_samples *samples = &judging->model->samples;
    const int64_t *values = &samples->values[row * samples->type_count];
    const struct slot *slot = &judging->slots[samples->labels[row]];
    struct series_of *to = &series[slot->instance];
    to->level[slot->part] += (double)values[judging->in_use] * slot->scale;
    if (judging->allocated >= 0)
        to->allocated[slot->part] += (double)values[judging->allocated] / slot->profiles;
}

/* ---- One instance -------------------------------------------------------------------------- */

/* Each part's with those beside it: where few blocks are sampled, one part has too few to tell a rate. */
static void smooth(double *rate, const struct series_of *series)
{
    for (int i = 0; i < MOMENT_PARTS; i++) {
        bool is_end = i == 0 || i + 1 == MOMENT_PARTS;
        int from = is_end ? i : i - 1, to = is_end ? i : i + 1;
        rate[i] = 0;
        for (int k = from; k <= to; k++)
            rate[i] += series->allocated[k] / (to - from + 1);
    }
}

/* How long blocks live, but for a factor; of all sites together where this one allocates too rarely.  False where profiles don't tell. */
static bool find_lives(double *lives, const double *level, const struct series_of *series,
                       const struct series_of *whole)
{
    double rate[MOMENT_PARTS];
    for (int from = 0; from < 2; from++) {
        bool is_there = true;
        smooth(rate, from == 0 ? series : whole);
        for (int i = 0; i < MOMENT_PARTS; i++) {
            is_there &= rate[i] > 0;
            lives[i] = rate[i] > 0 ? level[i] / rate[i] : NAN;
        }
        if (is_there)
            return true;
    }
    return false;
}

static void levels_of(double *level, const struct instance *instance,
                      const struct series_of *series)
{
    for (int i = 0; i < MOMENT_PARTS; i++)
        level[i] = instance->has_part[i] ? series->level[i] : NAN;
}

static double instance_p(const double *level, const struct series_of *series,
                         const struct series_of *whole)
{
    double lives[MOMENT_PARTS], p = trend_p(level + WARM_UP, MOMENT_PARTS - WARM_UP);
    if (!trend_goes_on(level, MOMENT_PARTS))
        return 1;
    if (!find_lives(lives, level, series, whole))
        return p;
    return trend_goes_on(lives, MOMENT_PARTS)
               ? fmax(p, trend_p(lives + WARM_UP, MOMENT_PARTS - WARM_UP))
               : 1;
}

static bool has_site(const struct series_of *series)
{
    for (int i = 0; i < MOMENT_PARTS; i++)
        if (series->level[i] != 0)
            return true;
    return false;
}

/* ---- One site ------------------------------------------------------------------------------- */

/* Of p that may depend on each other in any way. */
static double combine(double *ps, size_t count)
{
    if (count == 0)
        return 1;
    qsort(ps, count, sizeof *ps, order_doubles);
    double least = (double)count * ps[0];
    double middle = (double)count / (double)((count + 1) / 2) * ps[(count + 1) / 2 - 1];
    return fmin(1, count < 3 ? least : 2 * fmin(least, middle));
}

/* What the growing instances have, or, where none grows, all. */
static void add_instance(struct level *level, const struct instance *instance, const double *parts,
                         bool grows)
{
    double seconds = (double)instance->part_us * 1e-6,
           run_us = (double)instance->part_us * MOMENT_PARTS;
    struct trend_rate rate = trend_rate(parts, MOMENT_PARTS);
    if (grows && level->growing++ == 0) {
        level->from_bytes = level->to_bytes = level->run_us = 0;
        memset(level->curve, 0, sizeof level->curve);
    }
    if (!grows && level->growing > 0)
        return;
    if (grows) {
        level->growth_bytes += rate.rate / seconds;
        level->growth_range.low += rate.range.low / seconds;
        level->growth_range.high += rate.range.high / seconds;
    }
    level->from_bytes += isnan(parts[0]) ? 0 : parts[0];
    level->to_bytes += isnan(parts[MOMENT_PARTS - 1]) ? 0 : parts[MOMENT_PARTS - 1];
    level->run_us = fmax(level->run_us, run_us);
    for (int i = 0; i < MOMENT_PARTS; i++)
        level->curve[i] += isnan(parts[i]) ? 0 : parts[i];
}

static void take_means(struct level *level)
{
    double growing = level->growing > 0 ? level->growing : 1,
           counted = level->growing > 0  ? level->growing
                     : level->judged > 0 ? level->judged
                                         : 1;
    level->growth_bytes /= growing;
    level->growth_range.low = fmax(0, level->growth_range.low / growing);
    level->growth_range.high = fmax(0, level->growth_range.high / growing);
    level->from_bytes /= counted;
    level->to_bytes /= counted;
    for (int i = 0; i < MOMENT_PARTS; i++)
        level->curve[i] /= counted;
}

/* Of one version.  An instance is one of those that grow where its own p is 5 % at most. */
static void test_version(struct judging *judging, struct level *level, uint32_t version)
{
    size_t count = 0;
    *level = (struct level){.p = 1, .p_of_all = 1, .version = judging->versions[version]};
    for (size_t i = 0; i < judging->count; i++) {
        const struct instance *instance = &judging->instances[i];
        double parts[MOMENT_PARTS];
        if (instance->version_number != version || !has_site(&judging->series[i]))
            continue;
        levels_of(parts, instance, &judging->series[i]);
        double p = instance_p(parts, &judging->series[i], &judging->whole[i]);
        judging->ps[count++] = p;
        level->judged++;
        add_instance(level, instance, parts, p <= false_alarms);
    }
    take_means(level);
    level->p = combine(judging->ps, count);
}

static void test_site(struct judging *judging, size_t site, const uint32_t *rows, size_t count)
{
    memset(judging->series, 0, judging->count * sizeof *judging->series);
    for (size_t i = 0; i < count; i++)
        add_row(judging, judging->series, rows[i]);
    for (uint32_t version = 0; version < judging->version_count; version++)
        test_version(judging, &judging->tests[site * judging->version_count + version], version);
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool is_after(const struct level *a, const struct level *b)
{
    return a->p != b->p ? a->p > b->p : a > b;
}

static int compare_tests(const void *left, const void *right)
{
    const struct level *a = *(struct level *const *)left, *b = *(struct level *const *)right;
    return is_after(a, b) - is_after(b, a);
}

static bool correct(struct judging *judging)
{
    size_t count = judging->sites->count * judging->version_count, tested = 0;
    struct level **order = malloc((count + 1) * sizeof *order);
    double previous = 0;
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        if (judging->tests[i].judged > 0)
            order[tested++] = &judging->tests[i];
    if (tested > 1)
        qsort(order, tested, sizeof *order, compare_tests);
    for (size_t i = 0; i < tested; i++)
        order[i]->p_of_all = previous = holm_next(previous, order[i]->p, tested - i);
    free(order);
    return true;
}

/* Of its versions the one that grows most surely, and how many instances of others do. */
static void choose_version(struct judging *judging, size_t site)
{
    const struct level *tests = &judging->tests[site * judging->version_count];
    const struct level *chosen = &tests[0];
    unsigned judged = 0, growing = 0;
    for (size_t i = 0; i < judging->version_count; i++) {
        judged += tests[i].judged;
        growing += tests[i].growing;
        if (chosen->judged == 0 || (tests[i].judged > 0 && tests[i].p < chosen->p))
            chosen = &tests[i];
    }
    struct level *level = &judging->levels->items[site];
    *level = *chosen;
    level->others = judged - chosen->judged;
    level->others_growing = growing - chosen->growing;
}

static bool judge(struct judging *judging)
{
    size_t sites = judging->sites->count, *first = calloc(sites + 3, sizeof *first);
    judging->series = calloc(judging->count + 1, sizeof *judging->series);
    judging->whole = calloc(judging->count + 1, sizeof *judging->whole);
    judging->ps = calloc(judging->count + 1, sizeof *judging->ps);
    judging->tests = calloc(sites * judging->version_count + 1, sizeof *judging->tests);
    bool done = first && judging->series && judging->whole && judging->ps && judging->tests &&
                group_rows(judging, first);
    for (size_t i = 0; done && i < first[sites]; i++)
        add_row(judging, judging->whole, judging->rows[i]);
    for (size_t site = 0; done && site < sites; site++)
        test_site(judging, site, judging->rows + first[site], first[site + 1] - first[site]);
    done = done && correct(judging);
    for (size_t site = 0; done && site < sites; site++)
        choose_version(judging, site);
    free(first);
    return done;
}

static void release(struct judging *judging)
{
    free(judging->slots);
    free(judging->instances);
    free(judging->versions);
    free(judging->rows);
    free(judging->series);
    free(judging->whole);
    free(judging->ps);
    free(judging->tests);
}

bool levels_init(struct levels *levels, const struct sites *sites, const struct matcher *matcher)
{
    struct judging judging = {.levels = levels,
                              .sites = sites,
                              .model = sites->model,
                              .matcher = matcher,
                              .in_use = model_find_value_type(sites->model, "inuse_space"),
                              .allocated = model_find_value_type(sites->model, "alloc_space")};
    *levels = (struct levels){.items = calloc(sites->count + 1, sizeof *levels->items)};
    bool done = levels->items && find_instances(&judging);
    if (done && judging.count > 0 && judging.in_use >= 0)
        done = judge(&judging);
    release(&judging);
    if (!done)
        levels_release(levels);
    return done;
}

void levels_release(struct levels *levels)
{
    free(levels->items);
    *levels = (struct levels){0};
}
