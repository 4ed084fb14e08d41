#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/measure.h"
#include "base/plain.h"
#include "profile/quantity.h"
#include "profile/sample_type.h"

static bool fail_memory(struct report_problem *problem)
{
    problem->kind = REPORT_NO_MEMORY;
    return false;
}

static bool fail_empty(struct report_problem *problem)
{
    problem->kind = REPORT_BAD_QUESTION;
    snprintf(problem->error.message, sizeof problem->error.message, "it has no values");
    return false;
}

/* ---- Sample types -------------------------------------------------------------------- */

/* Puts names after what the message says, as many as it has room for. */
static void add_names(char *message, size_t room, const char *const *names, size_t count)
{
    size_t size = strlen(message);
    for (size_t i = 0; i < count; i++) {
        const char *name = plain(names[i]);
        if (size + strlen(name) + sizeof ", ..." >= room) {
            snprintf(message + size, room - size, ", ...");
            return;
        }
        size += (size_t)snprintf(message + size, room - size, "%s%s", i > 0 ? ", " : "", name);
    }
}

/* Says what there is instead. */
static bool fail_sample(const struct report *report, const char *const *names, size_t count,
                        bool is_ambiguous, struct report_problem *problem)
{
    char *message = problem->error.message;
    problem->kind = REPORT_BAD_QUESTION;
    snprintf(
        message, sizeof problem->error.message,
        report->options->needs_in_use
            ? "it has no values of what is in use, which this report is about (no '%.80s'); there are: "
        : is_ambiguous ? "several sample types have '%.80s' in their names; there are: "
                       : "there is no sample type '%.80s'; there are: ",
        report->options->sample);
    add_names(message, sizeof problem->error.message, names, count);
    return false;
}

static bool find_type(const struct report *report, const char *const *names, size_t count,
                      size_t usual, size_t *type, struct report_problem *problem)
{
    long found = sample_type_find(report->options->sample, names, count, usual);
    *type = (size_t)found;
    return found >= 0 || fail_sample(report, names, count, found == SAMPLE_TYPE_AMBIGUOUS, problem);
}

static bool choose_quantity(struct report *report, struct report_problem *problem)
{
    const char *names[QUANTITY_COUNT];
    size_t type;
    for (size_t i = 0; i < QUANTITY_COUNT; i++)
        names[i] = quantity_at(i)->name;
    if (!find_type(report, names, QUANTITY_COUNT, 0, &type, problem))
        return false;
    const struct quantity *quantity = quantity_at(type);
    report->sample = quantity->name;
    report->unit = quantity->unit;
    report->what.quantity = quantity->quantity;
    report->weight = quantity->weight;
    return true;
}

static bool choose_value_type(struct report *report, struct report_problem *problem)
{
    const struct model_samples *samples = &report->input.model->samples;
    const char **names = calloc(samples->type_count + 1, sizeof *names);
    size_t type;
    if (!names)
        return fail_memory(problem);
    for (size_t i = 0; i < samples->type_count; i++)
        names[i] = samples->types[i].name;
    if (samples->type_count == 0) {
        free(names);
        return fail_empty(problem);
    }
    bool is_found =
        find_type(report, names, samples->type_count, samples->default_type, &type, problem);
    free(names);
    if (!is_found)
        return false;
    report->weight = WEIGHT_VALUE;
    report->what.value_type = type;
    report->sample = samples->types[type].name;
    report->unit = samples->types[type].unit;
    return true;
}

const char *report_asked_unit(const struct report *report)
{
    const char *unit = report->options->unit;
    return unit && measure_can_be(report->unit, unit) ? unit : NULL;
}

static bool check_unit(const struct report *report, struct report_problem *problem)
{
    const char *unit = report->options->unit;
    bool is_of_others = unit && !measure_has_kind(report->unit) && measure_has_kind(unit);
    if (!unit || is_of_others || report_asked_unit(report))
        return true;
    problem->kind = REPORT_BAD_QUESTION;
    snprintf(problem->error.message, sizeof problem->error.message,
             "%.80s is in %.80s, which can't be printed in '%.80s'", report->sample, report->unit,
             unit);
    return false;
}

/* ---- Values -------------------------------------------------------------------------- */

/* The same as selection.whole of what passes the filter. */
static double whole_of_selected(const struct report *report)
{
    const struct model *model = report->input.model;
    const struct model_samples *samples = &model->samples;
    double sum = 0;
    if (model->kind == MODEL_OBJECTS)
        return report_value(report, &report->selection.profile.total);
    for (size_t i = 0; i < samples->count; i++)
        if (matcher_sample(&report->matcher, i) &&
            selection_stack(&report->selection, samples->stack[i]) != STACK_NONE)
            sum += fabs((double)samples->values[i * samples->type_count + report->what.value_type]);
    return sum;
}

static bool match(struct report *report, const struct report *of, struct report_problem *problem)
{
    if (of)
        return matcher_narrow(&report->matcher, &of->matcher, &report->filter) ||
               fail_memory(problem);
    problem->length = 1;
    if (matcher_init(&report->matcher, report->input.model, &report->filter, &problem->length,
                     &problem->error) != HEAPTAP_OK) {
        problem->kind =
            problem->error.status == HEAPTAP_NO_MEMORY ? REPORT_NO_MEMORY : REPORT_BAD_FILTER;
        return false;
    }
    if (matcher_decide(&report->matcher))
        return true;
    matcher_release(&report->matcher);
    return fail_memory(problem);
}

void report_release_figures(struct report *report)
{
    selection_release(&report->divisor_values);
}

void report_release_selection(struct report *report)
{
    selection_release(&report->selection);
    report_release_figures(report);
    matcher_release(&report->matcher);
}

static bool name_mean(struct report *report)
{
    struct text name = {0};
    text_put_string(&name, "mean_");
    text_put_string(&name, report->sample);
    text_put_char(&name, 0);
    report->sample = name.failed ? NULL : model_text(report->input.model, name.bytes);
    text_release(&name);
    return report->sample;
}

/* Of means: their divisor, and what percentages are of then. */
static bool choose_divisor(struct report *report, struct report_problem *problem)
{
    const struct selection *selection = &report->selection;
    bool is_relative = report->options->is_relative;
    if (!report->options->is_mean)
        return true;
    if (!name_mean(report))
        return fail_memory(problem);
    report->divisor = &selection->profile;
    report->divisor_weight = WEIGHT_OBJECTS;
    if (report->weight == WEIGHT_VALUE) {
        struct selection_options first = {.value_type = 0};
        if (!selection_init(&report->divisor_values, &report->matcher, &report->filter, &first,
                            report->edits))
            return fail_memory(problem);
        selection = &report->divisor_values;
        report->divisor = &selection->profile;
        report->divisor_weight = WEIGHT_VALUE;
    }
    const struct stack_tally *all = is_relative ? &selection->profile.total : &selection->whole;
    report->whole = stack_weight_mean(
        report->whole, stack_tally_weight(all, &report->divisor->estimate, report->divisor_weight),
        report->weight);
    return true;
}

bool report_choose(struct report *report, struct report_problem *problem)
{
    bool is_known = report->input.model->kind == MODEL_OBJECTS ? choose_quantity(report, problem)
                                                               : choose_value_type(report, problem);
    return is_known && check_unit(report, problem);
}

static bool is_same_quantity(const struct report *report, const struct report *other)
{
    return report->what.quantity == other->what.quantity &&
           report->what.value_type == other->what.value_type;
}

/* What passes, of another report's selection where that has it all. */
static bool sum_up(struct report *report, const struct report *of)
{
    return of && is_same_quantity(report, of)
               ? selection_narrow(&report->selection, &of->selection, &report->matcher,
                                  &report->what)
               : selection_init(&report->selection, &report->matcher, &report->filter,
                                &report->what, report->edits);
}

static bool bind(struct report *report, const struct report *of, struct report_problem *problem)
{
    report->filter.hides_suppressed = report->options->hides_suppressed;
    if (report->options->by_site)
        filter_hide_libraries(&report->filter);
    if (!match(report, of, problem))
        return false;
    if (!sum_up(report, of)) {
        matcher_release(&report->matcher);
        return fail_memory(problem);
    }
    if (of)
        return true;
    if (!report->options->is_compact || selection_compact(&report->selection))
        return true;
    report_release_selection(report);
    return fail_memory(problem);
}

bool report_bind(struct report *report, struct report_problem *problem)
{
    return bind(report, NULL, problem);
}

bool report_weigh(struct report *report, struct report_problem *problem)
{
    report->selection.frames.no_inlines = report->options->no_inlines;
    report->is_filtered_empty = *report->filter.text && matcher_leaves_nothing(&report->matcher);
    report->whole = report->options->is_relative ? whole_of_selected(report)
                                                 : report_value(report, &report->selection.whole);
    return choose_divisor(report, problem);
}

bool report_narrow(struct report *report, const struct report *of, struct report_problem *problem)
{
    if (!report_choose(report, problem) || !bind(report, of, problem))
        return false;
    if (report_weigh(report, problem))
        return true;
    report_release_selection(report);
    return false;
}

bool report_select(struct report *report, struct report_problem *problem)
{
    return report_narrow(report, NULL, problem);
}

static double value_or_mean(const struct report *report, const struct stack_tally *sum,
                            const struct stack_tally *divisor)
{
    double value = report_value(report, sum);
    if (!divisor)
        return value;
    return stack_weight_mean(
        value, stack_tally_weight(divisor, &report->divisor->estimate, report->divisor_weight),
        report->weight);
}

double report_stack_value(const struct report *report, uint32_t stack)
{
    return value_or_mean(report, &report->selection.profile.tallies[stack],
                         report->divisor ? &report->divisor->tallies[stack] : NULL);
}

double report_total(const struct report *report)
{
    return value_or_mean(report, &report->selection.profile.total,
                         report->divisor ? &report->divisor->total : NULL);
}

const char *report_grain_name(enum symbol_grain grain)
{
    return grain == GRAIN_NAME       ? "functions"
           : grain == GRAIN_FUNCTION ? "filefunctions"
           : grain == GRAIN_FILE     ? "files"
           : grain == GRAIN_LINE     ? "lines"
                                     : "addresses";
}
