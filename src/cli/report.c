#include "cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/passing_series.h"
#include "cli/report_file.h"
#include "cli/report_pattern.h"
#include "cli/suppressions.h"
#include "report/reports.h"

/* ---- Opening ------------------------------------------------------------------------- */

static void take_input(struct report *report, const struct model_input *input)
{
    report->input = (struct report_input){
        .model = input->model,
        .path = input->trace.path,
        .name = trace_input_name(&input->trace),
        .subject = trace_input_subject(&input->trace),
        .is_whole = trace_input_is_whole(&input->trace),
        .status = input->trace.exit_status,
    };
}

static void tell_problem(const struct report *report, const struct report_problem *problem,
                         int *status)
{
    switch (problem->kind) {
    case REPORT_NO_MEMORY:
        cli_fail_memory(status);
        return;
    case REPORT_BAD_FILTER:
        filtering_fail(&problem->error, report->filter.text, problem->length, status);
        return;
    case REPORT_BAD_QUESTION:
        cli_warn("%s: %s", report->input.subject, problem->error.message);
        *status = CLI_USAGE;
    }
}

/* Closes the model where it fails. */
static bool select_rows(struct report *report, int *status)
{
    struct report_problem problem;
    if (!report_select(report, &problem)) {
        tell_problem(report, &problem, status);
        model_free(report->input.model);
        return false;
    }
    filtering_note(report->input.subject, report->input.model, &report->filter,
                   report->is_filtered_empty);
    return true;
}

/* The question's filter, with what suppressions leave out. */
static bool parse_filter(struct report *report, struct suppressions *suppressions, int *status)
{
    const struct text *given = &report->options->filter;
    struct text clauses = {.failed = given->failed};
    text_put(&clauses, given->bytes, given->size);
    bool done = suppressions_add(suppressions, &clauses, status) &&
                filtering_parse(&report->filter, &clauses, status);
    text_release(&clauses);
    return done;
}

/* The question's filter and pattern, before any file is read. */
static bool parse_words(struct report *report, struct suppressions *suppressions, int *status)
{
    const struct question *question = report->options;
    if (!parse_filter(report, suppressions, status))
        return false;
    if (!question->pattern || (report->pattern = report_pattern(question->pattern, status)))
        return true;
    filter_release(&report->filter);
    return false;
}

static void release_words(struct report *report)
{
    pattern_free(report->pattern);
    filter_release(&report->filter);
}

/* What remains when the file has been read, or not. */
static bool finish_open(struct report *report, struct model_input *input, bool is_read, int *status)
{
    if (is_read && report->options->in_base_units)
        is_read = model_input_to_base_units(input);
    take_input(report, input);
    *status = report->input.status;
    if (is_read && select_rows(report, status))
        return true;
    release_words(report);
    return false;
}

/* NULL where the question asks for none. */
static const struct profile_label_frames *label_frames(struct profile_label_frames *frames,
                                                       const struct question *question)
{
    *frames = (struct profile_label_frames){question->tag_root, question->tag_leaf, question->unit};
    return question->tag_root || question->tag_leaf ? frames : NULL;
}

/* Which block replaces another is known only after the other has died, and a filter of lives may leave the other out. */
static bool is_foldable(const struct question *question, const struct filter *filter)
{
    return question->folds_blocks && (!question->asks_lives || filter_is_of_stacks(filter));
}

/* Does it ask for nothing but what was allocated by stack? */
static bool is_of_sums(const struct question *question, const struct filter *filter)
{
    bool is_allocated = !question->sample || begins_with(question->sample, "alloc_");
    return question->sums_stacks && is_allocated && filter_is_of_stacks(filter);
}

/* ---- Series made while a trace is read -------------------------------------------------
 *
 * The model has folded rows then.  What passes a filter is summed up in readings of its own, where the file is large. */

static bool reads_series(const struct question *question, const struct filter *filter)
{
    const struct input_names files = question_files(question);
    return question->series_steps > 0 && (!question->asks_lives || filter_is_of_stacks(filter)) &&
           (question->filter.size == 0 || large_files_are(&files));
}

static void release_series(struct report *report)
{
    if (report->series) {
        series_builder_free(report->series->all);
        series_release(&report->series->passing);
    }
    free(report->series);
    report->series = NULL;
}

/* Takes over what was made of the trace.  False with a message and the status. */
static bool take_series(struct report *report, const struct series_reading *reading, int *status)
{
    const struct passing_input input = {question_files(report->options), report->input.model,
                                        report->is_filtered_empty, report->input.status};
    if (!reading->all)
        return true;
    report->series = calloc(1, sizeof *report->series);
    if (!report->series) {
        series_builder_free(reading->all);
        return cli_fail_memory(status);
    }
    report->series->all = reading->all;
    return !*report->filter.text || passing_series(&report->series->passing, &input,
                                                   &report->filter, reading->steps, status);
}

/* ---- The whole -------------------------------------------------------------------------- */

static bool read_file(struct report *report, struct series_reading *reading, int *status)
{
    struct model_input input;
    struct profile_label_frames frames;
    const struct question *question = report->options;
    const struct filter *filter = &report->filter;
    const struct folded_watcher watcher = series_reading_watcher(reading);
    bool has_series = reads_series(question, filter);
    const struct folded_question folded = {.filters = &filter,
                                           .count = 1,
                                           .at_peak = question->at_peak || has_series,
                                           .asks_lives = question->asks_lives,
                                           .watcher = has_series ? &watcher : NULL};
    const struct model_wanted wanted = {
        .files = question_files(question),
        .label_frames = label_frames(&frames, question),
        .question = has_series || is_foldable(question, filter) ? &folded : NULL,
        .only_sums = is_of_sums(question, filter),
        .in_any_order = question->in_any_order};
    return finish_open(report, &input, model_input_open(&input, &wanted), status);
}

static bool reads_events(const struct question *question)
{
    return question->report && question->report->traits & REPORT_READS_EVENTS;
}

static bool open_it(struct report *report, struct suppressions *suppressions, int *status)
{
    struct series_reading reading = {.steps = report->options->series_steps};
    if (!parse_words(report, suppressions, status))
        return false;
    if (reads_events(report->options)) {
        if (report_file_open(report, status))
            return true;
        release_words(report);
        return false;
    }
    if (!read_file(report, &reading, status)) {
        series_builder_free(reading.all);
        return false;
    }
    if (take_series(report, &reading, status) &&
        suppressions_sum(suppressions, report->input.subject, report->input.model, &report->what,
                         report->weight, &report->suppressed, status))
        return true;
    report_close(report);
    return false;
}

bool report_open(struct report *report, const struct question *options, int *status)
{
    struct suppressions suppressions = {.takes_own = options->hides_suppressed,
                                        .path = options->suppressions};
    *report = (struct report){.options = options};
    bool is_open = open_it(report, &suppressions, status);
    suppressions_release(&suppressions);
    return is_open;
}

void report_close_model(struct report *report)
{
    report_release_selection(report);
    model_free(report->input.model);
    report->input.model = NULL;
}

void report_close(struct report *report)
{
    if (report->file) {
        report_file_close(report);
    } else {
        release_series(report);
        report_close_model(report);
    }
    release_words(report);
}

int report_status(const struct report *report)
{
    return report->input.status;
}

bool report_needs_objects(const struct report *report)
{
    if (report->input.model->kind == MODEL_OBJECTS)
        return true;
    cli_warn("%s: this is a profile of values by stack; it has no single blocks and times, which "
             "this report needs",
             report->input.subject);
    return false;
}

bool report_have_one_unit(const struct report *base, const struct report *other)
{
    if (strcmp(base->unit, other->unit) == 0)
        return true;
    cli_warn("%s of %s is in %s, %s of %s in %s: they can't be compared; --sample chooses",
             base->sample, base->input.subject, plain(base->unit), other->sample,
             other->input.subject, plain(other->unit));
    return false;
}
