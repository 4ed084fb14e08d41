#include "report/sites/filling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static const double longest = 100; /* of the run: how far ahead is told unasked */

/* All that grows, together; of a store, in one instance. */
struct filling {
    double limit;         /* bytes */
    const char *limit_of; /* "option", or as the recorder has it */
    double alive;         /* bytes */
    double rate;          /* bytes a second */
    struct estimate_range range;
};

static struct filling filling_of(const struct fates *fates, double limit)
{
    const struct model *model = fates->sites->model;
    struct filling filling = {.limit = limit > 0 ? limit : model->memory_limit,
                              .limit_of = limit > 0 ? "option" : model->memory_limit_of};
    for (size_t i = 0; fates->span.steps > 0 && i < fates->sites->count; i++)
        filling.alive += fates->items[i].live_bytes;
    for (const struct site *site = NULL; (site = fates_next(fates, site));) {
        const struct survival *survival = fates_survival(fates, site);
        filling.rate += survival->growth_bytes;
        filling.range.low += survival->growth_range.low;
        filling.range.high += survival->growth_range.high;
    }
    return filling;
}

/* At a rate, from what is alive at the end; microseconds. */
static double full_us(const struct filling *filling, double rate)
{
    return 1e6 * fmax(0, filling->limit - filling->alive) / rate;
}

static struct answer_value full_at(const struct filling *filling, double rate)
{
    return rate > 0 ? answer_number(full_us(filling, rate)) : answer_nothing();
}

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(name, const struct filling *filling = row, const void *all = context, expression)

GETTER(get_full, full_at(filling, filling->rate))
GETTER(get_full_low, full_at(filling, filling->range.high))
GETTER(get_full_high, full_at(filling, filling->range.low))

static const struct answer_column filling_columns[] = {
    {"limit_bytes", NULL, ANSWER_BYTES, ANSWER_FIELD(struct filling, limit),
     "what the process may have"},
    {"limit_of", NULL, ANSWER_TEXT, ANSWER_FIELD(struct filling, limit_of),
     "option (--limit), cgroup, address-space (ulimit -v) or machine"},
    {"growth", NULL, ANSWER_BYTES, ANSWER_BOUNDED(struct filling, rate, range),
     "bytes a second by which all that leaks or grows does so", .flags = ANSWER_HAS_RANGE},
    {"full_us", NULL, ANSWER_TIME, get_full, "from the end until that much is alive, at this rate"},
    {"full_us_low", NULL, ANSWER_TIME, get_full_low, "the same at the highest rate"},
    {"full_us_high", NULL, ANSWER_TIME, get_full_high,
     "at the lowest; null where that may be none"},
};
const struct answer_table filling_table = {
    "full",
    ANSWER_RECORD,
    ANSWER_FITTED,
    ANSWER_IN_JSON,
    ANSWER_COLUMNS(filling_columns),
    "when memory is full, where a limit is known and something grows"};

static void say_limit(char *text, size_t size, const struct filling *filling)
{
    static const struct {
        const char *of, *before, *behind;
    } limits[] = {{"option", "the ", " of --limit"},
                  {"cgroup", "the cgroup's ", ""},
                  {"address-space", "the ", " of address space that the process may have"},
                  {"machine", "the machine's ", ""}};
    char bytes[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].of, filling->limit_of) == 0)
            snprintf(text, size, "%s%s%s", limits[i].before, units_bytes(bytes, filling->limit),
                     limits[i].behind);
}

/* From two days on in days, from two years on in years; of more than a thousand, no more than that. */
static const char *long_time(char text[UNITS_TEXT_BYTES], double us)
{
    static const double day = 86400, year = 365.25 * 86400, most = 1000;
    double seconds = us * 1e-6;
    if (seconds < 2 * day)
        return units_duration(text, seconds);
    if (seconds < 2 * year)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g days", seconds / day);
    else if (seconds < most * year)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g years", seconds / year);
    else
        snprintf(text, UNITS_TEXT_BYTES, "over %.0f years", most);
    return text;
}

static void say(struct answer *answer, const struct filling *filling)
{
    char of[80] = "", alive[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES],
         high[UNITS_TEXT_BYTES] = "never";
    say_limit(of, sizeof of, filling);
    if (filling->rate <= 0) {
        answer_say(answer, "Nothing is found to grow: when it is full can't be said of %s", of);
        return;
    }
    if (filling->alive >= filling->limit) {
        answer_say(answer, "Already full: %s are alive at the end, of %s",
                   units_bytes(alive, filling->alive), of);
        return;
    }
    if (filling->range.low > 0)
        long_time(high, full_us(filling, filling->range.low));
    answer_say(answer, "Full in %s at this rate (%s to %s): %s",
               long_time(time, full_us(filling, filling->rate)),
               long_time(low, full_us(filling, filling->range.high)), high, of);
}

/* Of a limit that nobody has named, only what is near is told. */
void filling_put(struct answer *answer, const struct fates *fates, double limit)
{
    struct filling filling = filling_of(fates, limit);
    double run_us = (double)fates->sites->model->end_us;
    bool is_far = filling.rate <= 0 || full_us(&filling, filling.rate) > longest * run_us;
    if (filling.limit <= 0 || (limit <= 0 && is_far))
        return;
    say(answer, &filling);
    if (filling.rate > 0)
        answer_record(answer, &(struct answer_section){.table = &filling_table}, &filling);
}
