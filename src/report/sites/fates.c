#include "report/sites/fates.h"

#include <math.h>
#include <stdlib.h>

#include "report/sites/fate_lives.h"
#include "report/sites/lost.h"

static const double most =
    0.5; /* of blocks, kept: they grow; of bytes: they are old, or freed at exit */
static const double nearly_all = 0.8;   /* of what is alive: it is from the start, freed at exit */
static const uint64_t blocks_least = 8; /* of sampled ones */

/* ---- Judging ------------------------------------------------------------------------------- */

/* Of several processes, a step is a part of each one's own run. */
static struct survival_span span_of_cells(const struct fates *fates,
                                          const struct survival_span *whole,
                                          const struct lives_cell *cells, size_t count)
{
    struct survival_span span = *whole;
    const struct model *model = fates->sites->model;
    double bytes = 0, run_us = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += cells[i].samples;
        run_us += cells[i].run_us;
    }
    if (model->process_count > 0 && bytes > 0)
        span.step_us *= run_us / bytes / (double)model->end_us;
    return span;
}

static bool judge_sites(struct survival *items, const struct fates *fates,
                        const struct survival_span *whole, const struct lives *lives)
{
    size_t from = 0;
    for (size_t to = 1; to <= lives->count; to++)
        if (to == lives->count || lives->cells[to].owner != lives->cells[from].owner) {
            const struct survival_span span =
                span_of_cells(fates, whole, &lives->cells[from], to - from);
            survival_of(&items[lives->cells[from].owner], &lives->cells[from], to - from, &span);
            from = to;
        }
    return survivals_correct(items, fates->sites->count);
}

/* False when there is no memory. */
static bool judge_lives(struct fates *fates, struct lives *lives)
{
    bool is_collected = fate_has_collector(fates->sites->model);
    struct survival_span looked_at = survival_span_looked_at(lives);
    lives_sort(lives);
    fates->span = is_collected ? survival_span_whole(lives) : survival_span_of(lives);
    if (is_collected &&
        !(fates->looked_at = calloc(fates->sites->count + 1, sizeof *fates->looked_at)))
        return false;
    return judge_sites(fates->items, fates, &fates->span, lives) &&
           (!is_collected || judge_sites(fates->looked_at, fates, &looked_at, lives));
}

/* What a trend has to say in the terms of lives. */
static struct survival survival_of_level(const struct level *level)
{
    struct survival survival = {.p = level->p,
                                .p_of_all = level->p_of_all,
                                .growth = level->growing > 0 ? GROWTH_GOES_ON : GROWTH_NONE,
                                .blocks = level->judged,
                                .step_us = level->run_us / LIVES_STEPS,
                                .growth_bytes = level->growth_bytes,
                                .growth_range = level->growth_range,
                                .live_bytes = level->to_bytes};
    for (int i = 0; i < SURVIVAL_POINTS; i++)
        survival.live_curve[i] = level->curve[i];
    for (int i = 0; i < SURVIVAL_SHOWN; i++)
        survival.live_shown[i] = level->curve[(i + 1) * MOMENT_PARTS / SURVIVAL_SHOWN - 1];
    return survival;
}

static bool judge_levels(struct fates *fates, const struct matcher *matcher)
{
    const struct sites *sites = fates->sites;
    double run_us = 0;
    if (!levels_init(&fates->levels, sites, matcher))
        return false;
    for (size_t i = 0; fates->levels.instances > 0 && i < sites->count; i++) {
        fates->items[i] = survival_of_level(&fates->levels.items[i]);
        run_us = fmax(run_us, fates->levels.items[i].run_us);
    }
    if (run_us > 0)
        fates->span = (struct survival_span){LIVES_STEPS, LIVES_PLACES, run_us / LIVES_STEPS};
    return true;
}

const struct survival *fates_survival(const struct fates *fates, const struct site *site)
{
    return &fates->items[site - fates->sites->items];
}

double fates_loaded_part(const struct fates *fates, const struct site *site)
{
    const struct outliving *outliving = &fates->outliving[site - fates->sites->items];
    return outliving->all > 0 ? outliving->loaded / outliving->all : 0;
}

static bool is_loaded(const struct fates *fates, const struct site *site)
{
    return fates_loaded_part(fates, site) > most;
}

/* Of OCaml: no collection has looked at half of it. */
static bool is_uncollected(const struct site *site)
{
    return site->nursery_bytes > 0 && site->nursery_bytes >= most * site->live_bytes;
}

double fates_lost_part(const struct fates *fates, const struct site *site)
{
    bool is_known = fates->lost_bytes && site->live_bytes > 0;
    return is_known ? fmin(fates->lost_bytes[site - fates->sites->items] / site->live_bytes, 1) : 0;
}

static bool is_lost(const struct fates *fates, const struct site *site)
{
    return fates_lost_part(fates, site) >= nearly_all;
}

bool fates_are_known(const struct fates *fates)
{
    return fates->span.steps > 0 || fates->lost > 0;
}

/* Where a collector frees blocks, does it grow by what that has looked at, too? */
static bool grows_as_collected(const struct fates *fates, const struct site *site)
{
    return !fates->looked_at || survival_is_accused(&fates->looked_at[site - fates->sites->items]);
}

static bool is_accused(const struct fates *fates, const struct site *site)
{
    return survival_is_accused(fates_survival(fates, site)) && grows_as_collected(fates, site) &&
           !is_uncollected(site) && !is_loaded(fates, site) &&
           (fates->levels.items || sites_know_dead(fates->sites));
}

/* A filter by sizes, times or lives leaves some of a stack's blocks, and of these the snapshot says nothing. */
static bool take_lost(struct fates *fates, const struct matcher *matcher)
{
    if (matcher->shape_passes || matcher_is_of_lives(matcher))
        return true;
    fates->lost_bytes = lost_bytes(fates->sites);
    return fates->lost_bytes;
}

bool fates_init(struct fates *fates, const struct sites *sites, const struct matcher *matcher)
{
    struct lives lives;
    lives_init(&lives, sites->model->end_us);
    *fates = (struct fates){.sites = sites, .is_exact = sites->model->info.sample_rate == 1};
    fates->items = calloc(sites->count + 1, sizeof *fates->items);
    fates->outliving = calloc(sites->count + 1, sizeof *fates->outliving);
    bool done = fates->items && fates->outliving && take_lost(fates, matcher);
    if (done && sites->model->kind == MODEL_SAMPLES)
        done = judge_levels(fates, matcher);
    else if (done && !sites->by_fate)
        done = fate_lives_gather(&lives, fates, matcher);
    if (done && lives.count > 0)
        done = judge_lives(fates, &lives);
    lives_release(&lives);
    for (size_t i = 0; done && i < sites->count; i++) {
        fates->accused += fates->span.steps > 0 && is_accused(fates, &sites->items[i]);
        fates->live_bytes += fates->items[i].live_bytes;
        fates->lost += is_lost(fates, &sites->items[i]);
    }
    if (!done)
        fates_release(fates);
    return done;
}

void fates_release(struct fates *fates)
{
    free(fates->items);
    free(fates->looked_at);
    free(fates->outliving);
    free(fates->lost_bytes);
    levels_release(&fates->levels);
    *fates = (struct fates){0};
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

const char *fate_word(enum fate fate)
{
    static const char *const words[] = {
        [FATE_LEAKS] = "leaks",      [FATE_GROWS] = "grows",   [FATE_CACHE] = "cache",
        [FATE_START] = "from start", [FATE_LOADED] = "loaded", [FATE_AT_EXIT] = "at exit",
        [FATE_IN_USE] = "in use",    [FATE_STEADY] = "steady", [FATE_LOST] = "lost",
        [FATE_TOO_FEW] = "too few",  [FATE_UNKNOWN] = NULL,
    };
    return words[fate];
}

bool fates_is_freed(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    return survival->at_exit_bytes > most * survival->live_bytes;
}

struct symbol fates_place(const struct fates *fates, const struct site *site)
{
    bool is_freed = fates_is_freed(fates, site),
         is_peak = site->peak_bytes > most * fates_survival(fates, site)->live_bytes;
    return site_place(fates->sites, site,
                      !is_freed ? SITE_LEFT
                      : is_peak ? SITE_PEAK
                                : SITE_ALLOCATED);
}

bool fates_may_grow(const struct fates *fates, const struct site *site)
{
    return fates->looked_at && fates_survival(fates, site)->growth != GROWTH_STOPPED &&
           grows_as_collected(fates, site);
}

bool fates_has_few_blocks(const struct fates *fates, const struct site *site)
{
    return !fates->is_exact && fates_survival(fates, site)->blocks < blocks_least;
}

/* Few blocks, such as those of a table that is resized, turn over by chance; and of few sampled old ones nothing is known, however many
 * young ones there are. */
static bool has_settled(const struct fates *fates, const struct survival *survival)
{
    if (!fates->is_exact && survival->old_blocks < blocks_least)
        return false;
    return survival->growth == GROWTH_STOPPED || survival->growth == GROWTH_SLOWED ||
           (survival->growth == GROWTH_TURNED_OVER &&
            survival->became_old + survival->old_freed >= SURVIVAL_TRIALS_LEAST);
}

/* Of a site that is not accused. */
static enum fate innocent(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    double alive = survival->live_bytes;
    if (!sites_know_dead(fates->sites) || fates_has_few_blocks(fates, site))
        return FATE_TOO_FEW;
    if (survival->is_by_largest && !is_loaded(fates, site))
        return FATE_TOO_FEW;
    if (survival->old_bytes < most * alive || alive == 0)
        return FATE_IN_USE;
    if (is_loaded(fates, site))
        return FATE_LOADED;
    if (survival->at_exit_bytes >= nearly_all * alive)
        return FATE_AT_EXIT;
    if (survival->early_bytes >= nearly_all * alive)
        return FATE_START;
    bool is_cache = has_settled(fates, survival) && !fates_is_rising(fates, site) &&
                    !fates_may_grow(fates, site);
    return is_cache ? FATE_CACHE : FATE_TOO_FEW;
}

enum fate fates_of(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    bool is_judged = fates->span.steps > 0 && survival->blocks > 0;
    bool accused = is_judged && is_accused(fates, site);
    if (!accused && is_lost(fates, site))
        return FATE_LOST;
    if (!is_judged)
        return FATE_UNKNOWN;
    if (fates->levels.items)
        return accused ? FATE_GROWS : FATE_STEADY;
    if (!accused)
        return innocent(fates, site);
    bool is_all = survival->kept >= most || survival->is_by_largest;
    return is_all || fates_is_freed(fates, site) ? FATE_GROWS : FATE_LEAKS;
}

bool fates_accuses(const struct fates *fates, const struct site *site)
{
    enum fate fate = fates_of(fates, site);
    return fate == FATE_LEAKS || fate == FATE_GROWS;
}

bool fates_may_load(const struct fates *fates, const struct site *site)
{
    static const double short_us = 10e6;
    return !fates->levels.items && fates_survival(fates, site)->step_us * LIVES_STEPS < short_us &&
           fates_of(fates, site) == FATE_GROWS;
}

bool fates_is_short(const struct fates *fates, const struct site *site)
{
    return fates_survival(fates, site)->step_us * LIVES_STEPS < 1e6;
}
