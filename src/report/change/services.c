#include "report/change/services.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"

/* ---- Options ------------------------------------------------------------------------- */

const struct services_question services_usual = {.label = "service"};

const struct question_option services_options[] = {
    {"by", 0, OPTION_TEXT, PART_OWN, "LABEL",
     "A row for each value of another label, such as version or host (default: service)",
     offsetof(struct services_question, label)},
    {"through", 0, OPTION_TEXT, PART_OWN, "PLACE",
     "Count only what comes through a function, given by its whole name, or through FILE:LINE",
     offsetof(struct services_question, through)},
    {"steps", 0, OPTION_NUMBER, PART_OWN, "N",
     "Cut the time into N steps, and show what is allocated in each",
     offsetof(struct services_question, steps), .least = 1, .most = SERVICES_STEPS_MAX},
    {NULL},
};

enum { HAS_STEPS = 1, HAS_PLACE = 2, CHART_ROWS = 4, CHARTS_MAX = 8 };

/* ---- Columns ------------------------------------------------------------------------- */

/* "2026-11-20 08:30:00", UTC. */
static struct answer_value moment(int64_t us)
{
    char text[32];
    time_t seconds = (time_t)(us / 1000000);
    struct tm time;
    if (!gmtime_r(&seconds, &time) || strftime(text, sizeof text, "%F %T", &time) == 0)
        return answer_nothing();
    return answer_made(strdup(text));
}

#define GETTER(function, expression)                                                               \
    ANSWER_GET(function, const struct service *of = row,                                           \
               const struct services *services = context, expression)

GETTER(get_allocated, answer_number_if(of->has_allocated, of->allocated))
GETTER(get_error,
       answer_number_if(of->has_allocated && of->allocated_error >= 0, of->allocated_error))
GETTER(get_low, answer_number_if(of->has_allocated && of->allocated_error >= 0, of->allocated_low))
GETTER(get_high,
       answer_number_if(of->has_allocated && of->allocated_error >= 0 && of->allocated_high >= 0,
                        of->allocated_high))
GETTER(get_share, answer_number_if(of->has_allocated && services->magnitude > 0,
                                   of->allocated / services->magnitude))
GETTER(get_in_use, answer_number_if(of->has_in_use, of->in_use))
GETTER(get_allocated_steps, answer_series(of->allocated_steps, services->steps))
GETTER(get_in_use_steps, answer_series(of->in_use_steps, services->steps))
GETTER(get_from, moment(of->from_us))
GETTER(get_until, moment(of->until_us))

#define OF_SERVICE(member) ANSWER_FIELD(struct service, member)

static const struct answer_column columns[] = {
    {"name", "NAME", ANSWER_NAME, OF_SERVICE(name),
     "the service, or the value of another label; empty for profiles without it"},
    {"allocated_bytes", "ALLOCATED", ANSWER_BYTES, get_allocated, "allocated in all profiles"},
    {"allocated_standard_error", "ERROR", ANSWER_BYTES, get_error,
     "standard error of that; null if a profile does not record how it was sampled"},
    {"allocated_low", NULL, ANSWER_BYTES, get_low,
     "in 95 of 100 answers the truth is not below this, nor above the next"},
    {"allocated_high", NULL, ANSWER_BYTES, get_high,
     "null where there is no sample in any profile"},
    {"share", "SHARE", ANSWER_SHARE, get_share, "part of what all of them allocated"},
    {"in_use_bytes", "IN USE", ANSWER_BYTES, get_in_use,
     "in use: the mean over the time that has profiles"},
    {"series", "SERIES", ANSWER_WHOLE, OF_SERVICE(series), "different sets of labels"},
    {"profiles", "PROFILES", ANSWER_WHOLE, OF_SERVICE(profiles), "profiles"},
    {"from", "FROM", ANSWER_TEXT, get_from, "when the first begins, UTC"},
    {"until", "UNTIL", ANSWER_TEXT, get_until, "when the last ends, UTC"},
    {"allocated_by_step", NULL, ANSWER_SERIES, get_allocated_steps,
     "allocated in each step; a profile's values are spread evenly over its time", HAS_STEPS},
    {"in_use_by_step", NULL, ANSWER_SERIES, get_in_use_steps, "in use: the mean of each step",
     HAS_STEPS},
};
static const struct answer_table services_table = {.key = "services",
                                                   .shape = ANSWER_ROWS,
                                                   .forms = ANSWER_IN_ALL,
                                                   ANSWER_COLUMNS(columns),
                                                   .help =
                                                       "a service, or a value of another label"};

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"store", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, store),
     "the store, with its conditions"},
    {"label", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, label),
     "the label whose values are the rows"},
    {"through", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, through),
     "the place: only what comes through it is counted", HAS_PLACE},
    {"from_us", NULL, ANSWER_INTEGER, ANSWER_FIELD(struct services, from_us),
     "where the first step begins, since 1970", HAS_STEPS},
    {"to_us", NULL, ANSWER_INTEGER, ANSWER_FIELD(struct services, to_us),
     "where the last step ends", HAS_STEPS},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

static const struct answer_column outlier_columns[] = {
    {"of", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, outlier.of),
     "of what it has so much: `allocated`, or `in use`"},
    {"label", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, outlier.label),
     "a label that tells the heaviest from most others; null where none does"},
    {"value", NULL, ANSWER_TEXT, ANSWER_FIELD(struct services, outlier.value), "its value"},
    {"series", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct services, outlier.series),
     "how many sets of labels have so much"},
    {"bytes", NULL, ANSWER_BYTES, ANSWER_FIELD(struct services, outlier.bytes),
     "what the heaviest has"},
    {"rest_bytes", NULL, ANSWER_BYTES, ANSWER_FIELD(struct services, outlier.rest),
     "what all that have less have together"},
};
static const struct answer_table outlier_table =
    ANSWER_JSON(ANSWER_RECORD, "outlier", outlier_columns,
                "a set of labels with a thousand times as much as all others, if there is one");

const struct answer_table *const services_tables[] = {&head_table, &services_table, &outlier_table,
                                                      NULL};

/* ---- The answer ---------------------------------------------------------------------- */

/* What each of the first allocates over time. */
static void draw(struct answer *answer, const struct services *services, size_t shown)
{
    size_t count = shown < CHARTS_MAX ? shown : CHARTS_MAX;
    double seconds = (double)(services->to_us - services->from_us) * 1e-6 / (double)services->steps;
    for (size_t i = 0; i < count; i++) {
        const struct service *of = &services->items[i];
        double rates[SERVICES_STEPS_MAX];
        for (size_t step = 0; step < services->steps; step++)
            rates[step] = of->allocated_steps[step] / seconds;
        struct answer_chart chart = {.title = *of->name ? of->name : "(none)",
                                     .kind = ANSWER_BYTES,
                                     .per = "/s",
                                     .is_rate = true,
                                     .values = rates,
                                     .count = services->steps,
                                     .rows = CHART_ROWS,
                                     .to_us = services->to_us - services->from_us,
                                     .has_times = i + 1 == count};
        answer_draw(answer, &chart);
    }
}

static void say(struct answer *answer, const struct services *services)
{
    char size[UNITS_TEXT_BYTES];
    units_bytes(size, services->allocated);
    if (services->through)
        answer_say(answer, "%s: %s allocated through %s, by %s", plain(services->store), size,
                   plain(services->through), services->label);
    else
        answer_say(answer, "%s: %s allocated, by %s", plain(services->store), size,
                   services->label);
    if (services->through && services->count > 0 && services->allocated == 0)
        answer_say(answer, "Nothing selected comes through that: give a function's whole name, or "
                           "FILE:LINE.");
}

static void say_outlier(struct answer *answer, const struct services_outlier *outlier)
{
    char much[UNITS_TEXT_BYTES], rest[UNITS_TEXT_BYTES], way[512] = "";
    if (outlier->label)
        snprintf(way, sizeof way, ": leave it out by '%s!=%s'", plain(outlier->label),
                 plain(outlier->value));
    answer_say(answer, "One set of labels has %s %s, all %s together have %s%s",
               units_bytes(much, outlier->bytes), outlier->of,
               outlier->series > 1 ? "that have less" : "others", units_bytes(rest, outlier->rest),
               way);
}

void services_put(struct answer *answer, const struct services *services)
{
    unsigned has = (services->steps > 0 ? HAS_STEPS : 0) | (services->through ? HAS_PLACE : 0);
    size_t shown = question_rows(services->options, 0, services->count);
    struct answer_section head = {.table = &head_table, .context = services, .has = has};
    struct answer_section outlier = {.table = &outlier_table};
    struct answer_section section = {.table = &services_table, .context = services, .has = has};
    if (services->steps > 0)
        answer_title(answer, "%s over time, by %s", plain(services->store), services->label);
    answer_record(answer, &head, services);
    say(answer, services);
    if (services->outlier.of) {
        say_outlier(answer, &services->outlier);
        answer_record(answer, &outlier, services);
    }
    ANSWER_ITEMS(answer, &section, services->items, shown);
    if (services->steps > 0 && answer_is_read(answer))
        draw(answer, services, shown);
}
