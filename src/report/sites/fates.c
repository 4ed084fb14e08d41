#include "report/sites/fates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/filter_words.h"

static const double most =
    0.5; /* of blocks, kept: they grow; of bytes: they are old, or freed at exit */
static const double nearly_all = 0.8;   /* of what is alive: it is from the start, freed at exit */
static const double worst_share = 0.01; /* of all that is alive */
static const double rate_least = 1e5,
                    unit_runs = 60;     /* bytes in a unit of time, which is at most so many runs */
static const uint64_t blocks_least = 8; /* of sampled ones */

/* ---- Gathering ----------------------------------------------------------------------------- */

/* Rows that stand for blocks that the model has counted as they ended are left out. */
static bool add_row(struct lives *lives, const struct sites *sites, const struct matcher *matcher,
                    size_t row)
{
    const struct model *model = matcher->model;
    struct matcher_life life = matcher_whole_life(model, row), passing;
    uint32_t owner = sites->site_of[model->objects.stack[row]],
             blocks = model_row_blocks(model, row);
    if (model->lives && model->objects.died_us[row] != MODEL_NEVER)
        return true;
    if (owner == STACK_NONE || !matcher_object(matcher, row, &passing)) {
        lives_count(lives, life.born_us, life.died_us, blocks);
        return true;
    }
    double samples = (double)(blocks * model->shapes[model->objects.shape[row]].samples);
    return lives_add(lives, owner, life.born_us, life.died_us, blocks, samples);
}

/* What the model has counted as it was read. */
static bool add_counted(struct lives *lives, const struct sites *sites, const struct lives *counted)
{
    for (unsigned place = 0; place < LIVES_PLACES; place++) {
        lives->born[place] += counted->born[place];
        lives->ended[place] += counted->ended[place];
    }
    for (size_t i = 0; i < counted->count; i++) {
        const struct lives_cell *cell = &counted->cells[i];
        if (sites->site_of[cell->owner] != STACK_NONE &&
            !lives_add_cell(lives, sites->site_of[cell->owner], cell))
            return false;
    }
    return true;
}

static bool gather(struct lives *lives, const struct sites *sites, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    bool done = !model->lives || add_counted(lives, sites, model->lives);
    for (size_t row = 0; done && row < model->objects.count; row++)
        done = add_row(lives, sites, matcher, row);
    for (size_t i = 0; done && i < lives->count; i++)
        lives->cells[i].samples = estimate_bytes(&model->estimate, lives->cells[i].samples);
    return done;
}

static void judge_sites(struct fates *fates, const struct lives *lives)
{
    size_t from = 0;
    for (size_t to = 1; to <= lives->count; to++)
        if (to == lives->count || lives->cells[to].owner != lives->cells[from].owner) {
            survival_of(&fates->items[lives->cells[from].owner], &lives->cells[from], to - from,
                        &fates->span);
            from = to;
        }
}

bool fates_init(struct fates *fates, const struct sites *sites, const struct matcher *matcher)
{
    struct lives lives;
    lives_init(&lives, sites->model->end_us);
    *fates = (struct fates){.sites = sites, .is_exact = sites->model->info.sample_rate == 1};
    fates->items = calloc(sites->count + 1, sizeof *fates->items);
    bool done = fates->items != NULL;
    if (done && !sites->by_fate)
        done = gather(&lives, sites, matcher);
    if (done && lives.count > 0) {
        fates->span = survival_span_of(&lives);
        lives_sort(&lives);
        judge_sites(fates, &lives);
        done = survivals_correct(fates->items, sites->count);
    }
    lives_release(&lives);
    for (size_t i = 0; done && fates->span.steps > 0 && i < sites->count; i++)
        fates->accused += survival_is_accused(&fates->items[i]);
    if (!done)
        fates_release(fates);
    return done;
}

void fates_release(struct fates *fates)
{
    free(fates->items);
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
        [FATE_LEAKS] = "leaks",      [FATE_GROWS] = "grows",     [FATE_CACHE] = "cache",
        [FATE_START] = "from start", [FATE_AT_EXIT] = "at exit", [FATE_IN_USE] = "in use",
        [FATE_TOO_FEW] = "too few",  [FATE_UNKNOWN] = NULL,
    };
    return words[fate];
}

static bool is_freed_at_exit(const struct survival *survival)
{
    return survival->at_exit_bytes > most * survival->live_bytes;
}

/* Of a site that is not accused. */
static enum fate innocent(const struct fates *fates, const struct survival *survival)
{
    double alive = survival->live_bytes;
    if (!fates->is_exact && survival->blocks < blocks_least)
        return FATE_TOO_FEW;
    if (survival->old_bytes < most * alive || alive == 0)
        return FATE_IN_USE;
    if (survival->at_exit_bytes >= nearly_all * alive)
        return FATE_AT_EXIT;
    if (survival->early_bytes >= nearly_all * alive)
        return FATE_START;
    return survival->growth == GROWTH_GOES_ON || survival->growth == GROWTH_NONE ? FATE_TOO_FEW
                                                                                 : FATE_CACHE;
}

enum fate fates_of(const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    if (fates->span.steps == 0 || survival->blocks == 0)
        return FATE_UNKNOWN;
    if (!survival_is_accused(survival))
        return innocent(fates, survival);
    return survival->kept >= most || is_freed_at_exit(survival) ? FATE_GROWS : FATE_LEAKS;
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
        if (survival_is_accused(&fates->items[i]) && (!before || is_after(fates, site, before)) &&
            (!next || is_after(fates, next, site)))
            next = site;
    }
    return next;
}

const struct site *fates_worst(const struct fates *fates)
{
    double alive = 0;
    const struct site *worst = fates_next(fates, NULL);
    for (size_t i = 0; worst && i < fates->sites->count; i++)
        alive += fates->items[i].live_bytes;
    return worst && fates_survival(fates, worst)->live_bytes >= worst_share * alive ? worst : NULL;
}

/* ---- Sentences ---------------------------------------------------------------------------------- */

const char *fates_rate(char text[FATE_TEXT_BYTES], const struct fates *fates,
                       const struct survival *survival)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}};
    char rate[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    size_t unit = 0;
    double longest = unit_runs * fates->span.step_us * 1e-6 * LIVES_STEPS;
    while (unit < 3 && survival->growth_bytes * units[unit].seconds < rate_least &&
           units[unit + 1].seconds <= longest)
        unit++;
    double seconds = units[unit].seconds;
    snprintf(text, FATE_TEXT_BYTES, "%s a %s (%s to %s)",
             units_bytes(rate, survival->growth_bytes * seconds), units[unit].name,
             units_bytes(low, survival->growth_range.low * seconds),
             units_bytes(high, survival->growth_range.high * seconds));
    return text;
}

/* The time of so many steps. */
static const char *time_of(char *text, const struct fates *fates, unsigned steps)
{
    return units_duration(text, steps * fates->span.step_us * 1e-6);
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
        percent(high, survival->kept_range.high), time_of(old, fates, survival->late_steps),
        is_freed_at_exit(survival) ? "are freed only as the program ends"
        : grows                    ? "stay"
                                   : "are never freed");
    snprintf(text + used, FATE_TEXT_BYTES - used, ", ever more of them: %s",
             fates_rate(rate, fates, survival));
}

static void say_cache(char *text, const struct fates *fates, const struct survival *survival)
{
    char time[UNITS_TEXT_BYTES];
    if (survival->growth == GROWTH_STOPPED)
        snprintf(text, FATE_TEXT_BYTES, "it grew until %s, and no more since",
                 time_of(time, fates, survival->stopped + 1));
    else if (survival->growth == GROWTH_SLOWED)
        snprintf(
            text, FATE_TEXT_BYTES,
            "its growth slows down: in the last third it is less than half of what it was before");
    else
        snprintf(text, FATE_TEXT_BYTES,
                 "in the second half %" PRIu64 " blocks became older than %s, and %" PRIu64
                 " of that age were freed",
                 survival->became_old, time_of(time, fates, survival->old_steps),
                 survival->old_freed);
}

static void say_few(char *text, const struct fates *fates, const struct survival *survival)
{
    if (!fates->is_exact && survival->blocks < blocks_least)
        snprintf(text, FATE_TEXT_BYTES, "%" PRIu64 " sampled blocks tell nothing",
                 survival->blocks);
    else
        snprintf(text, FATE_TEXT_BYTES,
                 "%" PRIu64 " of %" PRIu64
                 " old blocks are left, which may be chance: p = %.2g, of all places %.2g",
                 survival->old_kept, survival->old_blocks, survival->p, survival->p_of_all);
}

const char *fates_evidence(char text[FATE_TEXT_BYTES], const struct fates *fates,
                           const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    double alive = survival->live_bytes > 0 ? survival->live_bytes : 1;
    char time[UNITS_TEXT_BYTES];
    enum fate fate = fates_of(fates, site);
    text[0] = '\0';
    switch (fate) {
    case FATE_LEAKS:
    case FATE_GROWS:
        say_accused(text, fates, survival, fate == FATE_GROWS);
        break;
    case FATE_CACHE:
        say_cache(text, fates, survival);
        break;
    case FATE_START:
        snprintf(text, FATE_TEXT_BYTES, "%.0f %% of what is alive was born in the first quarter",
                 100 * survival->early_bytes / alive);
        break;
    case FATE_AT_EXIT:
        snprintf(text, FATE_TEXT_BYTES,
                 "%.0f %% of what was alive as the program began to end was freed then",
                 100 * survival->at_exit_bytes / alive);
        break;
    case FATE_IN_USE:
        snprintf(text, FATE_TEXT_BYTES, "%.0f %% of what is alive is younger than %s",
                 100 * (1 - survival->old_bytes / alive),
                 time_of(time, fates, survival->old_steps));
        break;
    case FATE_TOO_FEW:
        say_few(text, fates, survival);
        break;
    case FATE_UNKNOWN:
        break;
    }
    return text;
}
