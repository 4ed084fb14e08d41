#include "report/change/regressions.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"

enum { ROWS_SHOWN = 40 };

/* ---- Options ------------------------------------------------------------------------- */

const struct regressions_question regressions_usual = {.rate = 0.05, .smallest = 0.001};

static const struct option_word samples[] = {
    {"alloc_space", REGRESSIONS_SPACE}, {"alloc_objects", REGRESSIONS_OBJECTS}, {NULL, 0}};

const struct question_option regressions_options[] = {
    {"sample", 's', OPTION_WORD, PART_OWN, "SAMPLE",
     "alloc_space, bytes (the default), or alloc_objects, blocks",
     offsetof(struct regressions_question, sample), .words = samples},
    {"false-alarms", 0, OPTION_SHARE, PART_OWN, "RATE",
     "The part of comparisons of equal versions in which any site may be named: 0.05 (the "
     "default) is 5 of 100",
     offsetof(struct regressions_question, rate)},
    {"smallest", 0, OPTION_SHARE, PART_OWN, "PART",
     "The smallest growth of a site that matters, as part of all that is allocated: 0.1% by "
     "default, 0 for any",
     offsetof(struct regressions_question, smallest)},
    {NULL},
};

bool regressions_check(struct question *question, struct heaptap_error *error)
{
    double rate = ((const struct regressions_question *)question->own)->rate;
    return question_accept(
        rate > 0 && rate < 1 ? NULL : "--false-alarms takes a number between 0 and 1", error);
}

const char *regressions_sample_name(enum regressions_sample sample)
{
    return samples[sample].word;
}

/* ---- Columns ------------------------------------------------------------------------- */

#define GETTER(function, expression)                                                               \
    ANSWER_GET(function, const struct site_change *of = row,                                       \
               const struct regressions *all = context, expression)

static struct answer_value share(const struct site_sum *part, const struct site_sum *whole)
{
    return answer_number_if(whole->value > 0, part->value / whole->value);
}

static struct answer_value share_change(const struct site_change *of, const struct regressions *all)
{
    return answer_number(of->new.value / all->new.value - of->base.value / all->base.value);
}

/* How much more the site has than it would with the base's share. */
static double growth_of(const struct site_change *of, const struct regressions *all)
{
    return of->new.value - all->new.value * of->base.value / all->base.value;
}

/* The variance of a share, to first order. */
static double share_variance(const struct site_sum *part, const struct site_sum *whole)
{
    double share = part->value / whole->value;
    double rest = fmax(0, whole->variance - part->variance);
    return ((1 - share) * (1 - share) * part->variance + share * share * rest) /
           (whole->value * whole->value);
}

/* The growth, and with a `sign` the bound on that side that 95 of 100 such keep. */
static struct answer_value growth_bound(const struct site_change *of, const struct regressions *all,
                                        int sign)
{
    if (all->base.value <= 0 || all->new.value <= 0)
        return answer_nothing();
    double variance = share_variance(&of->new, &all->new) + share_variance(&of->base, &all->base);
    return answer_number(growth_of(of, all) + sign * 1.959964 * all->new.value *sqrt(variance));
}

GETTER(get_place, answer_place(*of->file ? of->file : NULL, of->line))
GETTER(get_growth, growth_bound(of, all, 0))
GETTER(get_growth_low, growth_bound(of, all, -1))
GETTER(get_growth_high, growth_bound(of, all, 1))
GETTER(get_change, share_change(of, all))
GETTER(get_base_share, share(&of->base, &all->base))
GETTER(get_new_share, share(&of->new, &all->new))
GETTER(get_base_error, answer_number(sqrt(of->base.variance)))
GETTER(get_new_error, answer_number(sqrt(of->new.variance)))

#define OF_SITE(member) ANSWER_FIELD(struct site_change, member)
#define OF_ALL(member) ANSWER_FIELD(struct regressions, member)

static const struct answer_column columns[] = {
    {"function", "SITE", ANSWER_NAME, OF_SITE(function), "the function that allocates"},
    {"file", "FILE", ANSWER_PLACE, get_place, "its source file, and the line that has most",
     .flags = ANSWER_WIDE},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct site_change, line), "that line"},
    {"share_change", "CHANGE", ANSWER_SHIFT, get_change, "new share less base share"},
    {"base_share", "BASE", ANSWER_SHARE, get_base_share, "part of what the base allocates"},
    {"new_share", "NEW", ANSWER_SHARE, get_new_share, "part of what the new one allocates"},
    {"base_value", NULL, ANSWER_AMOUNT, OF_SITE(base.value), "allocated in the base"},
    {"base_standard_error", NULL, ANSWER_AMOUNT, get_base_error, "standard error of that"},
    {"new_value", NULL, ANSWER_AMOUNT, OF_SITE(new.value), "allocated in the new one"},
    {"new_standard_error", NULL, ANSWER_AMOUNT, get_new_error, "standard error of that"},
    {"growth", NULL, ANSWER_AMOUNT, get_growth,
     "allocated in the new one beyond what the base's share would be"},
    {"growth_low", NULL, ANSWER_AMOUNT, get_growth_low, "bounds of 95 of 100 such figures"},
    {"growth_high", NULL, ANSWER_AMOUNT, get_growth_high, "the same"},
    {"p", NULL, ANSWER_DECIMAL, OF_SITE(p),
     "probability of such samples, or more, if the share had not grown"},
    {"p_of_all", "P OF ALL", ANSWER_DECIMAL, OF_SITE(adjusted),
     "the same with all sites counted, by Holm's method"},
};
static const struct answer_table sites_table =
    ANSWER_TABLE(ANSWER_ROWS, "sites", ANSWER_IN_ALL, columns,
                 "a site whose share grew, by more than chance and by enough to matter");

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"base", NULL, ANSWER_TEXT, OF_ALL(base_name), "the base's store, with its conditions"},
    {"new", NULL, ANSWER_TEXT, OF_ALL(new_name), "the new one's"},
    {"sample_type", NULL, ANSWER_TEXT, OF_ALL(sample), "what is counted, by pprof's names"},
    {"false_alarm_rate", NULL, ANSWER_SHARE, OF_ALL(rate),
     "the largest probability that any site is listed whose share did not grow"},
    {"smallest", NULL, ANSWER_SHARE, OF_ALL(smallest),
     "the smallest growth of a share that matters"},
    {"base_total", NULL, ANSWER_AMOUNT, OF_ALL(base.value), "allocated in the base"},
    {"new_total", NULL, ANSWER_AMOUNT, OF_ALL(new.value), "allocated in the new one"},
    {"count", NULL, ANSWER_WHOLE, OF_ALL(count), "how many sites were tested"},
    {"found", NULL, ANSWER_WHOLE, OF_ALL(found),
     "how many of them grew, by more than chance and by enough to matter"},
    {"small", NULL, ANSWER_WHOLE, OF_ALL(small),
     "how many more grew by more than chance, and by less than matters"},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

const struct answer_table *const regressions_tables[] = {&head_table, &sites_table, NULL};

/* ---- The answer ---------------------------------------------------------------------- */

void regressions_put(struct answer *answer, const struct regressions *all)
{
    size_t shown = question_rows(all->options, ROWS_SHOWN, all->found);
    bool is_bytes = strcmp(all->sample, "alloc_space") == 0;
    struct answer_section head = {.table = &head_table, .context = all};
    struct answer_section section = {
        .table = &sites_table, .context = all, .unit = is_bytes ? "bytes" : "count"};
    answer_record(answer, &head, all);
    answer_say(answer, "%s to %s, shares of %s", plain(all->base_name), plain(all->new_name),
               all->sample);
    answer_say(answer,
               "%zu of %zu sites grew by more than the chance of sampling; if no share grew, "
               "any is named in at most %g %% of comparisons",
               all->found, all->count, 100 * all->rate);
    if (all->smallest > 0)
        answer_say(answer, "Smallest growth that matters: %g %% of all; %zu more grew by less",
                   100 * all->smallest, all->small);
    ANSWER_ITEMS(answer, &section, all->sites, shown);
}
