#include "report/sites/fates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "profile/filter_words.h"
#include "profile/loading.h"
#include "profile/process_clock.h"
#include "report/sites/free_lists.h"
#include "report/sites/lost.h"

static const double most =
    0.5; /* of blocks, kept: they grow; of bytes: they are old, or freed at exit */
static const double nearly_all = 0.8;   /* of what is alive: it is from the start, freed at exit */
static const double worst_share = 0.01; /* of all that is alive */
static const double rate_least = 1e5,
                    unit_runs = 60;     /* bytes in a unit of time, which is at most so many runs */
static const uint64_t blocks_least = 8; /* of sampled ones */

/* ---- Gathering ----------------------------------------------------------------------------- */

/* Where what is gathered goes. */
struct gathering {
    struct lives *lives;
    struct outliving *outliving; /* by site */
    const struct sites *sites;
    const struct matcher *matcher;
    bool *loads; /* by node of the model's stacks; NULL where none loads code */
};

static void note_outliving(const struct gathering *to, uint32_t owner, uint32_t stack,
                           double samples)
{
    to->outliving[owner].all += samples;
    if (to->loads && to->loads[to->sites->model->trie.ends[stack]])
        to->outliving[owner].loaded += samples;
}

/* Of a guest language; of OCaml, the trace says what a collection has looked at. */
static bool has_collector(const struct model *model)
{
    return model->is_guest && model->is_collected;
}

/* In place of a site: of blocks that the filter leaves out. */
static uint32_t others(const struct gathering *to)
{
    return (uint32_t)to->sites->count;
}

/* They tell when a collector has worked. */
static bool add_other(const struct gathering *to, int64_t born_us, int64_t died_us, uint32_t blocks,
                      double samples)
{
    if (has_collector(to->sites->model))
        return lives_add(to->lives, others(to), born_us, died_us, blocks, samples, 0);
    lives_count(to->lives, born_us, died_us, blocks);
    return true;
}

/* Rows that stand for blocks that the model has counted as they ended are left out. */
static bool add_row(const struct gathering *to, size_t row)
{
    const struct matcher *matcher = to->matcher;
    const struct model *model = matcher->model;
    struct lives *lives = to->lives;
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    struct matcher_life passing;
    uint32_t stack = model->objects.stack[row], owner = to->sites->site_of[stack],
             blocks = model_row_blocks(model, row);
    int64_t died_us = model_row_died_us(model, row);
    if (model->lives && died_us != MODEL_NEVER)
        return true;
    struct process_clock clock = process_clock_of(model, shape->domain);
    int64_t born_us = process_clock_time(&clock, model_row_born_us(model, row));
    died_us = process_clock_time(&clock, died_us);
    double samples = (double)(blocks * shape->samples);
    if (owner == STACK_NONE || !matcher_object(matcher, row, &passing))
        return add_other(to, born_us, died_us, blocks, samples);
    if (lives_place(lives, born_us) != lives_end_place(lives, died_us))
        note_outliving(to, owner, stack, samples);
    return lives_add(lives, owner, born_us, died_us, blocks, samples, clock.run_us);
}

/* What the model has counted as it was read. */
static bool add_counted(const struct gathering *to, const struct lives *counted)
{
    struct lives *lives = to->lives;
    for (unsigned place = 0; place < LIVES_PLACES; place++) {
        lives->born[place] += counted->born[place];
        lives->ended[place] += counted->ended[place];
    }
    for (size_t i = 0; i < counted->count; i++) {
        const struct lives_cell *cell = &counted->cells[i];
        uint32_t owner = to->sites->site_of[cell->owner];
        bool is_other = owner == STACK_NONE;
        if (is_other && !has_collector(to->sites->model))
            continue;
        if (!lives_add_cell(lives, is_other ? others(to) : owner, cell))
            return false;
        if (cell->born != cell->ended && !is_other)
            note_outliving(to, owner, cell->owner, cell->samples);
    }
    return true;
}

static void weigh(struct lives_cell *cell, const struct estimate *estimate)
{
    cell->samples = estimate_bytes(estimate, cell->samples);
    cell->run_us = estimate_bytes(estimate, cell->run_us);
}

static bool gather(struct lives *lives, struct fates *fates, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct frame_source source = model_frames(model);
    struct gathering to = {lives, fates->outliving, fates->sites, matcher, NULL};
    bool done = loading_nodes(&to.loads, &source, &model->trie) &&
                (!model->lives || add_counted(&to, model->lives));
    for (size_t row = 0; done && row < model->objects.count; row++)
        done = add_row(&to, row);
    free(to.loads);
    for (size_t i = 0; done && i < lives->count; i++)
        weigh(&lives->cells[i], &model->estimate);
    return done;
}

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
    bool is_collected = has_collector(fates->sites->model);
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

static double loaded_part(const struct fates *fates, const struct survival *survival)
{
    const struct outliving *outliving = &fates->outliving[survival - fates->items];
    return outliving->all > 0 ? outliving->loaded / outliving->all : 0;
}

static bool is_loaded(const struct fates *fates, const struct survival *survival)
{
    return loaded_part(fates, survival) > most;
}

/* Of OCaml: no collection has looked at half of it. */
static bool is_uncollected(const struct fates *fates, const struct survival *survival)
{
    const struct site *site = &fates->sites->items[survival - fates->items];
    return site->nursery_bytes > 0 && site->nursery_bytes >= most * site->live_bytes;
}

/* The part of what is left of it that is lost; 0 where that isn't known. */
static double lost_of(const struct fates *fates, const struct site *site)
{
    bool is_known = fates->lost_bytes && site->live_bytes > 0;
    return is_known ? fmin(fates->lost_bytes[site - fates->sites->items] / site->live_bytes, 1) : 0;
}

static bool is_lost(const struct fates *fates, const struct site *site)
{
    return lost_of(fates, site) >= nearly_all;
}

bool fates_are_known(const struct fates *fates)
{
    return fates->span.steps > 0 || fates->lost > 0;
}

/* Where a collector frees blocks, does it grow by what that has looked at, too? */
static bool grows_as_collected(const struct fates *fates, const struct survival *survival)
{
    return !fates->looked_at || survival_is_accused(&fates->looked_at[survival - fates->items]);
}

static bool is_accused(const struct fates *fates, const struct survival *survival)
{
    return survival_is_accused(survival) && grows_as_collected(fates, survival) &&
           !is_uncollected(fates, survival) && !is_loaded(fates, survival) &&
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
        done = gather(&lives, fates, matcher);
    if (done && lives.count > 0)
        done = judge_lives(fates, &lives);
    lives_release(&lives);
    for (size_t i = 0; done && i < sites->count; i++) {
        fates->accused += fates->span.steps > 0 && is_accused(fates, &fates->items[i]);
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

/* ---- Words ----------------------------------------------------------------------------------- */

const struct survival *fates_survival(const struct fates *fates, const struct site *site)
{
    return &fates->items[site - fates->sites->items];
}

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

static bool is_freed_at_exit(const struct survival *survival)
{
    return survival->at_exit_bytes > most * survival->live_bytes;
}

/* Old blocks are freed, but they may have been garbage for long, and what a collection has left goes on growing. */
static bool may_grow(const struct fates *fates, const struct survival *survival)
{
    return fates->looked_at && survival->growth != GROWTH_STOPPED &&
           grows_as_collected(fates, survival);
}

/* Few blocks, such as those of a table that is resized, turn over by chance. */
static bool has_settled(const struct survival *survival)
{
    return survival->growth == GROWTH_STOPPED || survival->growth == GROWTH_SLOWED ||
           (survival->growth == GROWTH_TURNED_OVER &&
            survival->became_old + survival->old_freed >= SURVIVAL_TRIALS_LEAST);
}

/* Of a site that is not accused. */
static enum fate innocent(const struct fates *fates, const struct survival *survival)
{
    double alive = survival->live_bytes;
    if (!sites_know_dead(fates->sites) || (!fates->is_exact && survival->blocks < blocks_least))
        return FATE_TOO_FEW;
    if (survival->old_bytes < most * alive || alive == 0)
        return FATE_IN_USE;
    if (is_loaded(fates, survival))
        return FATE_LOADED;
    if (survival->at_exit_bytes >= nearly_all * alive)
        return FATE_AT_EXIT;
    if (survival->early_bytes >= nearly_all * alive)
        return FATE_START;
    return has_settled(survival) && !may_grow(fates, survival) ? FATE_CACHE : FATE_TOO_FEW;
}

enum fate fates_of(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    bool is_judged = fates->span.steps > 0 && survival->blocks > 0;
    bool accused = is_judged && is_accused(fates, survival);
    if (!accused && is_lost(fates, site))
        return FATE_LOST;
    if (!is_judged)
        return FATE_UNKNOWN;
    if (fates->levels.items)
        return accused ? FATE_GROWS : FATE_STEADY;
    if (!accused)
        return innocent(fates, survival);
    return survival->kept >= most || is_freed_at_exit(survival) ? FATE_GROWS : FATE_LEAKS;
}

bool fates_accuses(const struct fates *fates, const struct site *site)
{
    enum fate fate = fates_of(fates, site);
    return fate == FATE_LEAKS || fate == FATE_GROWS;
}

bool fates_is_freed(const struct fates *fates, const struct site *site)
{
    return is_freed_at_exit(fates_survival(fates, site));
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
        if (is_accused(fates, &fates->items[i]) && (!before || is_after(fates, site, before)) &&
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

/* ---- Sentences ---------------------------------------------------------------------------------- */

const char *fates_rate(char text[FATE_TEXT_BYTES], const struct fates *fates,
                       const struct survival *survival)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"a second", 1}, {"a minute", 60}, {"an hour", 3600}, {"a day", 86400}};
    char rate[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    size_t unit = 0;
    const struct site *first = fates_next(fates, NULL);
    const struct survival *fastest = first ? fates_survival(fates, first) : survival;
    double longest = unit_runs * fastest->step_us * 1e-6 * LIVES_STEPS;
    while (unit < 3 && fastest->growth_bytes * units[unit].seconds < rate_least &&
           units[unit + 1].seconds <= longest)
        unit++;
    double seconds = units[unit].seconds;
    snprintf(text, FATE_TEXT_BYTES, "%s %s (%s to %s)",
             units_bytes(rate, survival->growth_bytes * seconds), units[unit].name,
             units_bytes(low, survival->growth_range.low * seconds),
             units_bytes(high, survival->growth_range.high * seconds));
    return text;
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

const char *fates_caution(char text[FATE_TEXT_BYTES], const struct fates *fates,
                          const struct site *site)
{
    char run[UNITS_TEXT_BYTES];
    text[0] = 0;
    if (site && fates_may_load(fates, site))
        snprintf(text, FATE_TEXT_BYTES,
                 fates_is_short(fates, site) ? "%s, perhaps of loading alone"
                                             : "%s may be the time of loading alone",
                 units_duration(run, fates_survival(fates, site)->step_us * 1e-6 * LIVES_STEPS));
    return text;
}

/* The time of so many steps. */
static const char *time_of(char *text, const struct survival *survival, unsigned steps)
{
    return units_duration(text, steps * survival->step_us * 1e-6);
}

/* "0.95 %", "12 %" */
static const char *percent(char text[UNITS_TEXT_BYTES], double share)
{
    double number = 100 * share;
    snprintf(text, UNITS_TEXT_BYTES, "%.*f %%", number >= 10 ? 0 : number >= 1 ? 1 : 2, number);
    return text;
}

static void say_accused(char *text, const struct fates *fates, const struct survival *survival,
                        bool grows)
{
    char old[UNITS_TEXT_BYTES], rate[FATE_TEXT_BYTES];
    char part[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    size_t used = (size_t)snprintf(
        text, FATE_TEXT_BYTES, "%s of its blocks (%s to %s) live longer than %s, and %s",
        percent(part, survival->kept), percent(low, survival->kept_range.low),
        percent(high, survival->kept_range.high), time_of(old, survival, survival->late_steps),
        is_freed_at_exit(survival) ? "are freed only as the program ends"
        : grows                    ? "stay"
                                   : "are never freed");
    snprintf(text + used, FATE_TEXT_BYTES - used, ", ever more of them: %s",
             fates_rate(rate, fates, survival));
}

static void add_reuse(char *text)
{
    size_t used = strlen(text);
    snprintf(
        text + used, FATE_TEXT_BYTES - used,
        "; most of what is left are types whose blocks CPython keeps in free lists: other lines may use them by now");
}

static void say_cache(char *text, const struct survival *survival)
{
    char time[UNITS_TEXT_BYTES];
    if (survival->growth == GROWTH_STOPPED)
        snprintf(text, FATE_TEXT_BYTES, "it grew until %s, and no more since",
                 time_of(time, survival, survival->stopped + 1));
    else if (survival->growth == GROWTH_SLOWED)
        snprintf(
            text, FATE_TEXT_BYTES,
            "its growth slows down: in the last third it is less than half of what it was before");
    else
        snprintf(text, FATE_TEXT_BYTES,
                 "in the second half %" PRIu64 " blocks became older than %s, and %" PRIu64
                 " of that age were freed",
                 survival->became_old, time_of(time, survival, survival->old_steps),
                 survival->old_freed);
}

static void say_few(char *text, const struct fates *fates, const struct survival *survival)
{
    char rate[FATE_TEXT_BYTES];
    if (!sites_know_dead(fates->sites))
        snprintf(text, FATE_TEXT_BYTES, "no collection of the major heap tells what is dead");
    else if (fates->looked_at && survival_is_accused(survival))
        snprintf(text, FATE_TEXT_BYTES,
                 "it grows, perhaps by garbage alone: no collection has looked at enough of it");
    else if (may_grow(fates, survival))
        snprintf(
            text, FATE_TEXT_BYTES,
            "what collections have left of it grows, but how long freed blocks were in use is not known");
    else if (survival->growth == GROWTH_UNSURE && survival->p_of_all <= survival_false_alarms)
        snprintf(text, FATE_TEXT_BYTES, "it may not grow at all: %s",
                 fates_rate(rate, fates, survival));
    else if (!fates->is_exact && survival->blocks < blocks_least)
        snprintf(text, FATE_TEXT_BYTES, "%" PRIu64 " sampled blocks tell nothing",
                 survival->blocks);
    else
        snprintf(text, FATE_TEXT_BYTES,
                 "%" PRIu64 " of %" PRIu64
                 " old blocks are left, which may be chance: p = %.2g, of all places %.2g",
                 survival->old_kept, survival->old_blocks, survival->p, survival->p_of_all);
}

/* "3 of 4 instances of version 1.4 (of other versions 0 of 2)" */
static int say_instances(char *text, size_t size, const struct level *level)
{
    char others[64] = "";
    bool has_version = *level->version;
    if (level->others > 0)
        snprintf(others, sizeof others, " (of other versions %u of %u)", level->others_growing,
                 level->others);
    return snprintf(text, size, "%u of %u instance%s%s%.40s%s", level->growing, level->judged,
                    level->judged == 1 ? "" : "s", has_version ? " of version " : "",
                    has_version ? plain(level->version) : "", others);
}

static void say_level(char *text, const struct fates *fates, const struct site *site)
{
    const struct level *level = &fates->levels.items[site - fates->sites->items];
    const struct survival *survival = fates_survival(fates, site);
    char instances[160], from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES], run[UNITS_TEXT_BYTES],
        rate[FATE_TEXT_BYTES];
    say_instances(instances, sizeof instances, level);
    units_bytes(from, level->from_bytes);
    units_bytes(to, level->to_bytes);
    if (is_accused(fates, survival))
        snprintf(text, FATE_TEXT_BYTES,
                 "in %s what is in use goes on growing, from %s to %s in %s: %s each", instances,
                 from, to, units_duration(run, level->run_us * 1e-6),
                 fates_rate(rate, fates, survival));
    else if (level->growing > 0)
        snprintf(text, FATE_TEXT_BYTES,
                 "it grows in %s, which may be chance: p = %.2g, of all places %.2g", instances,
                 level->p, level->p_of_all);
    else
        snprintf(text, FATE_TEXT_BYTES, "it goes on growing in %s", instances);
}

/* Which part of what is alive makes its fate; nothing where none does. */
static void say_part(char *text, const struct fates *fates, const struct survival *survival,
                     enum fate fate)
{
    double alive = survival->live_bytes > 0 ? survival->live_bytes : 1;
    char time[UNITS_TEXT_BYTES];
    if (fate == FATE_START)
        snprintf(text, FATE_TEXT_BYTES, "%.0f %% of what is alive was born in the first quarter",
                 100 * survival->early_bytes / alive);
    else if (fate == FATE_LOADED)
        snprintf(text, FATE_TEXT_BYTES,
                 "%.0f %% of what stays was made as code was loaded, which is done once",
                 100 * loaded_part(fates, survival));
    else if (fate == FATE_AT_EXIT)
        snprintf(text, FATE_TEXT_BYTES,
                 "%.0f %% of what was alive as the program began to end was freed then",
                 100 * survival->at_exit_bytes / alive);
    else if (fate == FATE_IN_USE)
        snprintf(text, FATE_TEXT_BYTES, "%.0f %% of what is alive is younger than %s",
                 100 * (1 - survival->old_bytes / alive),
                 time_of(time, survival, survival->old_steps));
}

const char *fates_say_lost(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site)
{
    double lost = lost_of(fates, site);
    text[0] = '\0';
    if (lost >= most)
        snprintf(text, FATE_TEXT_BYTES, "nothing leads to %.3g %% of what is left, which is lost",
                 100 * lost);
    return text;
}

const char *fates_unjudged(char text[FATE_TEXT_BYTES], const struct fates *fates)
{
    const struct model *model = fates->sites->model;
    double run_s = 1e-6 * (double)model->end_us,
           work_s = 1e-6 * fates->span.teardown * fates->span.step_us;
    char run[UNITS_TEXT_BYTES], least[UNITS_TEXT_BYTES], work[UNITS_TEXT_BYTES];
    text[0] = '\0';
    if (fates->span.steps > 0 || model->kind != MODEL_OBJECTS || fates->sites->count == 0)
        return text;
    units_duration(run, run_s);
    if (fates->sites->by_fate)
        snprintf(text, FATE_TEXT_BYTES, "the filter chooses blocks by what becomes of them");
    else if (model->end_us < LIVES_STEPS)
        snprintf(text, FATE_TEXT_BYTES, "a run of %s is too short; they need %s", run,
                 units_duration(least, 1e-6 * LIVES_STEPS));
    else
        snprintf(
            text, FATE_TEXT_BYTES,
            "from %s to its end, after %s, the program frees what is left; before that it would have to run for as long, %s",
            units_duration(work, work_s), run, units_duration(least, run_s - work_s));
    return text;
}

const char *fates_evidence(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    enum fate fate = fates_of(fates, site);
    text[0] = '\0';
    if (fates->levels.items && fate != FATE_UNKNOWN)
        return say_level(text, fates, site), text;
    switch (fate) {
    case FATE_LEAKS:
    case FATE_GROWS:
        say_accused(text, fates, survival, fate == FATE_GROWS);
        if (free_lists_may_hold(fates->sites, site))
            add_reuse(text);
        break;
    case FATE_CACHE:
        say_cache(text, survival);
        break;
    case FATE_LOST:
        fates_say_lost(text, fates, site);
        break;
    case FATE_TOO_FEW:
        say_few(text, fates, survival);
        break;
    default:
        say_part(text, fates, survival, fate);
    }
    return text;
}
