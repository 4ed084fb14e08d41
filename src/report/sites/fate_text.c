/* Why a site has its verdict, and what is not known: in sentences. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/sites/fates.h"
#include "report/sites/free_lists.h"

static const double most = 0.5; /* of what is left, lost: it is said */
static const double rate_least = 1e5,
                    unit_runs = 60; /* bytes in a unit of time, which is at most so many runs */

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

void fates_say_caution(struct answer *answer, const struct fates *fates, const struct site *site,
                       bool is_before)
{
    char caution[FATE_TEXT_BYTES];
    if (*fates_caution(caution, fates, site) && fates_is_short(fates, site) == is_before)
        answer_say(answer, "%s: a longer run tells whether %s", caution,
                   is_before ? "what grew goes on" : "that goes on");
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

/* One block, whose ages tell nothing. */
static void say_largest(char *text, const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES], rate[FATE_TEXT_BYTES];
    snprintf(text, FATE_TEXT_BYTES,
             "one block, reallocated or replaced ever larger, from %s to %s%s: %s",
             units_bytes(from, survival->largest_from), units_bytes(to, survival->largest_to),
             fates_is_freed(fates, site) ? ", is freed only as the program ends" : "",
             fates_rate(rate, fates, survival));
}

static void say_accused(char *text, const struct fates *fates, const struct site *site, bool grows)
{
    const struct survival *survival = fates_survival(fates, site);
    char old[UNITS_TEXT_BYTES], rate[FATE_TEXT_BYTES];
    char part[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    size_t used = (size_t)snprintf(
        text, FATE_TEXT_BYTES, "%s of its blocks (%s to %s) live longer than %s, and %s",
        percent(part, survival->kept), percent(low, survival->kept_range.low),
        percent(high, survival->kept_range.high), time_of(old, survival, survival->late_steps),
        fates_is_freed(fates, site) ? "are freed only as the program ends"
        : grows                     ? "stay"
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

static void say_few(char *text, const struct fates *fates, const struct site *site)
{
    const struct survival *survival = fates_survival(fates, site);
    char rate[FATE_TEXT_BYTES];
    if (!sites_know_dead(fates->sites))
        snprintf(text, FATE_TEXT_BYTES, "no collection of the major heap tells what is dead");
    else if (fates->looked_at && survival_is_accused(survival))
        snprintf(text, FATE_TEXT_BYTES,
                 "it grows, perhaps by garbage alone: no collection has looked at enough of it");
    else if (fates_may_grow(fates, site))
        snprintf(
            text, FATE_TEXT_BYTES,
            "what collections have left of it grows, but how long freed blocks were in use is not known");
    else if (survival->growth == GROWTH_UNSURE && survival->p_of_all <= survival_false_alarms)
        snprintf(text, FATE_TEXT_BYTES, "it may not grow at all: %s",
                 fates_rate(rate, fates, survival));
    else if (fates_has_few_blocks(fates, site))
        snprintf(text, FATE_TEXT_BYTES, "%" PRIu64 " sampled blocks tell nothing",
                 survival->blocks);
    else if (survival->is_by_largest)
        snprintf(text, FATE_TEXT_BYTES,
                 "its largest block grew in %u of %u changes from a third of the run on, "
                 "which may be chance: p = %.2g, of all places %.2g",
                 survival->successes, survival->trials, survival->p, survival->p_of_all);
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

static void say_level(char *text, const struct fates *fates, const struct site *site, bool grows)
{
    const struct level *level = &fates->levels.items[site - fates->sites->items];
    char instances[160], from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES], run[UNITS_TEXT_BYTES],
        rate[FATE_TEXT_BYTES];
    say_instances(instances, sizeof instances, level);
    units_bytes(from, level->from_bytes);
    units_bytes(to, level->to_bytes);
    if (grows)
        snprintf(text, FATE_TEXT_BYTES,
                 "in %s what is in use goes on growing, from %s to %s in %s: %s each", instances,
                 from, to, units_duration(run, level->run_us * 1e-6),
                 fates_rate(rate, fates, fates_survival(fates, site)));
    else if (level->growing > 0)
        snprintf(text, FATE_TEXT_BYTES,
                 "it grows in %s, which may be chance: p = %.2g, of all places %.2g", instances,
                 level->p, level->p_of_all);
    else
        snprintf(text, FATE_TEXT_BYTES, "it goes on growing in %s", instances);
}

/* Which part of what is alive makes its fate; nothing where none does. */
static void say_part(char *text, const struct fates *fates, const struct site *site, enum fate fate)
{
    const struct survival *survival = fates_survival(fates, site);
    double alive = survival->live_bytes > 0 ? survival->live_bytes : 1;
    char time[UNITS_TEXT_BYTES];
    if (fate == FATE_START)
        snprintf(text, FATE_TEXT_BYTES, "%.0f %% of what is alive was born in the first quarter",
                 100 * survival->early_bytes / alive);
    else if (fate == FATE_LOADED)
        snprintf(text, FATE_TEXT_BYTES,
                 "%.0f %% of what stays was made as code was loaded, which is done once",
                 100 * fates_loaded_part(fates, site));
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
    double lost = fates_lost_part(fates, site);
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
        return say_level(text, fates, site, fate == FATE_GROWS), text;
    switch (fate) {
    case FATE_LEAKS:
    case FATE_GROWS:
        if (survival->is_by_largest)
            say_largest(text, fates, site);
        else
            say_accused(text, fates, site, fate == FATE_GROWS);
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
        say_few(text, fates, site);
        break;
    default:
        say_part(text, fates, site, fate);
    }
    return text;
}
