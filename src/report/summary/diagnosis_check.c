#include "report/summary/diagnosis_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/advice/heads.h"
#include "report/change/budget.h"

/* What `heaptap check` calls the figure of a card; NULL: it has no limit for it. */
static const char *measure_of(const struct card *card)
{
    static const struct {
        const char *card;
        enum budget_measure measure;
    } measures[] = {{"peak", BUDGET_PEAK},
                    {"left", BUDGET_LIVE_AT_END},
                    {"in-use", BUDGET_LIVE_AT_END},
                    {"total", BUDGET_ALLOCATED}};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].card, card->kind->name) == 0)
            return strcmp(card->report.unit, "bytes") == 0
                       ? budget_measure_name(measures[i].measure)
                       : NULL;
    return NULL;
}

/* What a check is of. */
struct checked {
    const char *measure; /* NULL: there is none for it */
    bool is_count;
    double low, high; /* bounds of what it is now */
    double value;
    double saved; /* of it, by the remedy; 0: none is known */
};

static struct checked objects_checked(const struct diagnosis *diagnosis, const struct cause *cause)
{
    const struct stack_profile *profile = &diagnosis->report->selection.profile;
    struct estimate_range range = stack_tally_objects_range(&profile->total, &profile->estimate);
    return (struct checked){.measure = budget_measure_name(BUDGET_OBJECTS),
                            .is_count = true,
                            .low = range.low,
                            .high = range.high,
                            .value = stack_tally_objects(&profile->total, &profile->estimate),
                            .saved = cause->advice->objects};
}

/* The site of which a cause says that it leaks; NULL where it says something else. */
static const struct site *leaking(const struct diagnosis *diagnosis, const struct cause *cause)
{
    const struct advice *advice = cause->advice;
    if (!diagnosis->has_blocks || cause->card != diagnosis_card(diagnosis, "left"))
        return NULL;
    if (advice)
        return !advice->cause && advice->rule == ADVICE_GROWING ? advice->site : NULL;
    const struct site *worst = advice_leak(&diagnosis->advised.fates);
    return worst && diagnosis_is_place(cause->source, &worst->symbol) ? worst : NULL;
}

/* Of a place that leaks or grows, all that it has: where that is no longer kept, it is gone. */
static double saved_of(const struct diagnosis *diagnosis, const struct cause *cause)
{
    return leaking(diagnosis, cause) ? cause->bytes : cause->saved;
}

/* What saves the allocator's room beside each block saves blocks: bytes don't show it. */
static struct checked checked_of(const struct diagnosis *diagnosis, const struct cause *cause)
{
    if (cause->advice && cause->advice->cause && cause->advice->cause->spares_overhead)
        return objects_checked(diagnosis, cause);
    const struct card *card = strcmp(cause->card->kind->name, "churn") == 0
                                  ? diagnosis_card(diagnosis, "total") /* of which that is a part */
                                  : cause->card;
    return (struct checked){measure_of(card), false,       card->range.low,
                            card->range.high, card->value, saved_of(diagnosis, cause)};
}

const char *diagnosis_check(char text[DIAGNOSIS_CHECK_BYTES], const struct diagnosis *diagnosis,
                            const struct cause *cause)
{
    static const double room = 1.05, part = 0.25;
    struct checked of = checked_of(diagnosis, cause);
    double high = of.high * room, low = of.high;
    char limit[UNITS_TEXT_BYTES];
    if (of.saved > 0) {
        high = fmin(of.value - part * of.saved, of.low);
        low = fmax(of.value - (1 - part) * of.saved, 0);
    }
    if (!of.measure || *diagnosis->report->filter.text || low >= high)
        return strcpy(text, "");
    budget_limit(limit, of.is_count, low, high);
    snprintf(text, DIAGNOSIS_CHECK_BYTES, "heaptap check after.ctf --max-%s=%s", of.measure, limit);
    return text;
}
