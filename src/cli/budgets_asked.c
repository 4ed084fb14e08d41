#include "cli/budgets_asked.h"

#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/lack.h"
#include "report/change/check.h"

static const struct check_question *own(const struct question *question)
{
    return (const struct check_question *)question->own;
}

static bool fail_limit(const char *option, const char *text, int *status)
{
    cli_warn("--%s takes %s, not '%s'", option,
             strcmp(option, "max-growth") == 0    ? "a part such as 5%"
             : strcmp(option, "max-objects") == 0 ? "a number, or a growth such as +5%"
                                                  : "a size such as 20MB, or a growth such as +5%",
             text);
    *status = CLI_USAGE;
    return false;
}

static bool add_limit(struct budget_list *list, const struct question *question,
                      enum budget_measure measure, int *status)
{
    struct budget budget = {.measure = measure};
    char option[32];
    snprintf(option, sizeof option, "max-%s", budget_measure_name(measure));
    if (!budget_parse_limit(&budget, own(question)->limits[measure]))
        return fail_limit(option, own(question)->limits[measure], status);
    return budget_list_add(list, &budget, &question->filter, "", status);
}

static const char *expectation_option(enum budget_measure measure)
{
    return measure == BUDGET_OBJECTS     ? "expect"
           : measure == BUDGET_ALLOCATED ? "expect-bytes"
           : measure == BUDGET_PEAK      ? "expect-peak"
                                         : "expect-live-at-end";
}

static bool add_expectation(struct budget_list *list, const struct question *question,
                            enum budget_measure measure, int *status)
{
    struct budget budget = {.measure = measure, .is_expected = true};
    const char *text = own(question)->expected[measure];
    if (measure == BUDGET_OBJECTS ? amount_count(text, &budget.limit)
                                  : amount_bytes(text, &budget.limit))
        return budget_list_add(list, &budget, &question->filter, "", status);
    cli_warn("--%s takes %s, not '%s'", expectation_option(measure),
             measure == BUDGET_OBJECTS ? "a number such as 1000, 100k or 2.9M"
                                       : "a size such as 64, 317kB or 1.5M",
             text);
    *status = CLI_USAGE;
    return false;
}

void budget_note_lack(const char *file, const struct model *model, enum budget_measure measure)
{
    char sentence[160];
    const struct model_value_type *odd = budget_odd_type(model, measure);
    if (odd)
        snprintf(sentence, sizeof sentence,
                 "%s is in '%.40s', which can't be turned into bytes: growth of '%s' isn't checked",
                 odd->name, plain(odd->unit), budget_measure_name(measure));
    else
        snprintf(sentence, sizeof sentence,
                 "this profile has no '%s', so that growth of it isn't checked",
                 budget_measure_name(measure));
    lack_say(file, sentence);
}

/* In a heap with a garbage collector, what is live is what it has not collected yet, be it needed
 * or not: peak and end move by megabytes with its timing. */
static bool is_comparable(const struct model *base, enum budget_measure measure)
{
    bool is_live = measure == BUDGET_PEAK || measure == BUDGET_LIVE_AT_END;
    return budget_has(base, measure) && !(is_live && base->is_collected);
}

bool budget_fail_growth(const char *file, int *status)
{
    cli_warn("%s: this profile has nothing whose growth could be checked", file);
    *status = CLI_USAGE;
    return false;
}

static bool add_growth(struct budget_list *list, const struct question *question,
                       const struct model *base, int *status)
{
    struct budget budget = {.where_known = true};
    size_t before = list->count;
    char text[64];
    snprintf(text, sizeof text, "%s%.60s", *own(question)->growth == '+' ? "" : "+",
             own(question)->growth);
    if (!budget_parse_limit(&budget, text))
        return fail_limit("max-growth", own(question)->growth, status);
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        budget.measure = (enum budget_measure)i;
        if (!budget_has(base, budget.measure) && i != BUDGET_PEAK)
            budget_note_lack(own(question)->base, base, budget.measure);
        if (is_comparable(base, budget.measure) &&
            !budget_list_add(list, &budget, &question->filter, "", status))
            return false;
    }
    return list->count > before || budget_fail_growth(own(question)->base, status);
}

bool budgets_asked(struct budget_list *list, const struct question *question,
                   const struct model *base, int *status)
{
    for (int i = 0; i < BUDGET_MEASURES; i++)
        if ((own(question)->limits[i] &&
             !add_limit(list, question, (enum budget_measure)i, status)) ||
            (own(question)->expected[i] &&
             !add_expectation(list, question, (enum budget_measure)i, status)))
            return false;
    if (own(question)->growth && !add_growth(list, question, base, status))
        return false;
    if (own(question)->budgets &&
        !budget_list_read(list, own(question)->budgets, &question->filter, status))
        return false;
    for (size_t i = 0; i < list->count && !base; i++)
        if (list->items[i].is_growth) {
            cli_warn("growth over what? Name the base with --base FILE");
            *status = CLI_USAGE;
            return false;
        }
    return true;
}
