#include "cli/report.h"
#include "base/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report_pattern.h"
#include "profile/unmatched.h"

/* ---- The filter ---------------------------------------------------------------------- */

/* Of a part of the text as it is shown. */
static size_t shown_width(const char *text, size_t size)
{
    char *part = strndup(text, size);
    const char *shown = part ? plain(part) : "";
    size_t width = 0;
    for (size_t i = 0; shown[i]; i++)
        width += ((unsigned char)shown[i] & 0xc0) != 0x80;
    free(part);
    return width;
}

void report_tell_filter(const char *text, size_t offset, size_t length, const char *message)
{
    cli_warn("filter: %s", message);
    size_t size = strlen(text);
    offset = offset < size ? offset : size;
    length = length < size - offset ? length : size - offset;
    fprintf(stderr, "    %s\n    %*s", plain(text), (int)shown_width(text, offset), "");
    for (size_t i = shown_width(text + offset, length); i > 1; i--)
        fputc('^', stderr);
    fputs("^\n", stderr);
}

static bool fail_filter(const struct heaptap_error *error, const char *text, size_t length,
                        int *status)
{
    if (error->status == HEAPTAP_NO_MEMORY)
        return cli_fail_memory(status);
    report_tell_filter(text, (size_t)error->offset, length, error->message);
    *status = CLI_USAGE;
    return false;
}

int report_fail_filter(const struct filter *filter, const struct heaptap_error *error,
                       size_t length)
{
    int status;
    fail_filter(error, filter->text, length, &status);
    return status;
}

void report_note_empty(const char *subject)
{
    cli_warn("%s: note: the filter leaves nothing of it", subject);
}

void report_note_empty_model(const char *subject, const struct model *model,
                             const struct filter *filter)
{
    const struct filter_clause *clause = unmatched_clause(model, filter);
    const char *near[UNMATCHED_NEAR];
    struct text text = {0};
    if (!clause) {
        report_note_empty(subject);
        return;
    }
    size_t count = unmatched_near(model, filter, clause, near);
    for (size_t i = 0; i < count; i++) {
        text_put_string(&text, i == 0 ? "; did you mean " : i + 1 < count ? ", " : " or ");
        plain_put(&text, near[i], PLAIN_NAME);
    }
    text_put_string(&text, count > 0 ? "?" : "");
    text_put_char(&text, 0);
    cli_warn("%s: note: the filter leaves nothing of it: '%.*s' matches none of its names%s",
             subject, (int)clause->length, filter->text + clause->offset,
             text.failed ? "" : text.bytes);
    text_release(&text);
}

/* Before the file is read: a wrong filter needs no waiting. */
bool report_parse_filter(struct filter *filter, const struct text *clauses, int *status)
{
    struct heaptap_error error;
    size_t length = 1;
    char *text =
        clauses->failed ? NULL : strndup(clauses->size > 0 ? clauses->bytes : "", clauses->size);
    if (!text)
        return cli_fail_memory(status);
    bool done = filter_parse(filter, text, &length, &error) == HEAPTAP_OK ||
                fail_filter(&error, text, length, status);
    free(text);
    return done;
}

int report_with_filter(struct question *options,
                       int (*show)(const void *context, const struct filter *filter),
                       const void *context)
{
    struct filter filter;
    int status;
    if (report_parse_filter(&filter, &options->filter, &status)) {
        status = show(context, &filter);
        filter_release(&filter);
    }
    question_release(options);
    return status;
}

bool report_match(struct matcher *matcher, const struct model *model, const struct filter *filter,
                  int *status)
{
    struct heaptap_error error;
    size_t length = 1;
    return matcher_init(matcher, model, filter, &length, &error) == HEAPTAP_OK ||
           fail_filter(&error, filter->text, length, status);
}

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
        fail_filter(&problem->error, report->filter.text, problem->length, status);
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
    if (report->is_filtered_empty)
        report_note_empty_model(report->input.subject, report->input.model, &report->filter);
    return true;
}

/* The question's filter and pattern, before any file is read. */
static bool parse_words(struct report *report, const struct question *question, int *status)
{
    if (!report_parse_filter(&report->filter, &question->filter, status))
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
static const struct pprof_label_frames *label_frames(struct pprof_label_frames *frames,
                                                     const struct question *question)
{
    *frames = (struct pprof_label_frames){question->tag_root, question->tag_leaf, question->unit};
    return question->tag_root || question->tag_leaf ? frames : NULL;
}

/* A block that replaces another is known when that has died, whose own life may not pass a filter of lives. */
static bool is_foldable(const struct question *question, const struct filter *filter)
{
    return question->folds_blocks && (!question->asks_lives || filter_is_of_stacks(filter));
}

/* Does it ask for nothing but what was allocated by stack? */
static bool is_of_sums(const struct question *question, const struct filter *filter)
{
    bool is_allocated = !question->sample || strncmp(question->sample, "alloc_", 6) == 0;
    return question->sums_stacks && is_allocated && filter_is_of_stacks(filter);
}

bool report_open(struct report *report, const struct question *options, int *status)
{
    struct model_input input;
    struct pprof_label_frames frames;
    const struct filter *filter = &report->filter;
    const struct folded_question folded = {.filters = &filter,
                                           .count = 1,
                                           .at_peak = options->at_peak,
                                           .asks_lives = options->asks_lives,
                                           .watcher = options->watcher};
    *report = (struct report){.options = options};
    if (!parse_words(report, options, status))
        return false;
    const struct model_wanted wanted = {.path = options->path,
                                        .more = options->more,
                                        .more_count = options->more_count,
                                        .label_frames = label_frames(&frames, options),
                                        .question = is_foldable(options, filter) ? &folded : NULL,
                                        .only_sums = is_of_sums(options, filter),
                                        .in_any_order = options->in_any_order};
    return finish_open(report, &input, model_input_open(&input, &wanted), status);
}

void report_close_model(struct report *report)
{
    report_release_selection(report);
    model_free(report->input.model);
    report->input.model = NULL;
}

void report_close(struct report *report)
{
    report_close_model(report);
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
