/* heaptap check: do traces keep to their budgets? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "cli/answer_output.h"
#include "cli/budget_list.h"
#include "cli/budgets_asked.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/file_names.h"
#include "cli/passing_series.h"
#include "cli/report_command.h"
#include "cli/model_input.h"
#include "cli/filtering.h"
#include "cli/lack.h"
#include "cli/suppressions.h"
#include "cli/test_budgets.h"
#include "profile/unmatched.h"
#include "report/change/check.h"

struct options {
    struct question question; /* of the files, one after the other */
    struct suppressions suppressions;
};

static const struct check_question *own(const struct options *options)
{
    return (const struct check_question *)options->question.own;
}

/* ---- One budget ---------------------------------------------------------------------- */

static bool measure(struct budget_figure *figure, const struct model *model, const char *file,
                    const struct budget *budget, int *status)
{
    struct heaptap_error error;
    size_t length;
    if (budget_measure(figure, model, &budget->filter, budget_counted(budget), &length, &error) ==
        HEAPTAP_OK)
        return true;
    *status =
        length > 0 ? filtering_status(&budget->filter, &error, length) : cli_fail(file, &error);
    return false;
}

/* ---- All of them --------------------------------------------------------------------- */

/* The worst status, so that what is wrong with one file doesn't hide behind another. */
static void worsen(int *status, int other)
{
    *status = other > *status ? other : *status;
}

struct checking {
    const struct options *options;
    const struct model *base; /* NULL for none */
    bool base_is_whole;
    bool is_whole; /* the files so far are, and the base */
    struct answer *answer;
    size_t broken;
    size_t
        open; /* budgets of which nothing is sure, as the file lacks a part, or the base; and files that are cut */
    size_t refused; /* tests that are not judged, as a limit of theirs is none */
    struct check_tests tests;
    struct check_suppressed *suppressed; /* of each file, where there are suppressions */
    size_t files, capacity;
    struct names *told; /* clauses of the budgets of a file's tests that match no name of it */
};

/* Is it the peak of some blocks, which folded rows do not know? */
static bool is_unknown_peak(const struct model *model, const struct budget *budget)
{
    return budget->measure == BUDGET_PEAK && budget->filter.count > 0 && model->objects.blocks;
}

static bool measure_peak(struct budget_figure *figure, const struct model_input *input,
                         const struct budget *budget, int *status)
{
    struct series series;
    const struct passing_input passing = {input->files, input->model, false,
                                          input->trace.exit_status};
    if (!passing_series(&series, &passing, &budget->filter, 1, status))
        return false;
    budget_measure_series(figure, &series);
    series_release(&series);
    return true;
}

/* The sites of a budget that is broken; of a peak that folded rows do not know, by a model of all blocks, `whole`, whose texts the sites
 * borrow: it is to be closed after them, in either case. */
static bool find_sites(struct outcome *outcome, const struct model_input *input,
                       struct model_input *whole, int *status)
{
    const struct budget *budget = outcome->budget;
    bool is_unknown = is_unknown_peak(input->model, budget);
    if (is_unknown && (!model_input_open(whole, &(struct model_wanted){input->files}) ||
                       !measure(&outcome->figure, whole->model, outcome->file, budget, status)))
        return false;
    return budget_sites(&outcome->sites, &outcome->figure, is_unknown ? whole->model : input->model,
                        &budget->filter, budget_counted(budget)) ||
           cli_fail_memory(status);
}

/* Counts a budget that has been judged, and puts it into the answer. */
static bool tell_outcome(struct checking *checking, struct outcome *outcome,
                         const struct model_input *input, int *status)
{
    struct model_input whole = {0};
    bool has_sites = outcome->verdict != VERDICT_HOLDS;
    bool done = !has_sites || find_sites(outcome, input, &whole, status);
    if (done) {
        checking->broken += outcome->verdict == VERDICT_BROKEN;
        checking->open += outcome->is_open;
        check_outcome(checking->answer, outcome, own(checking->options)->is_verbose);
    }
    if (done && has_sites)
        call_graph_release(&outcome->sites);
    model_input_close(&whole);
    return done;
}

/* A test has not all that the file has; but a name that is nowhere in the file is told, once for all of its tests. */
static void note_empty(const struct checking *checking, const struct model_input *input,
                       const struct budget *budget)
{
    const struct filter *filter = &budget->filter;
    if (budget->test) {
        size_t told = checking->told->count;
        const struct filter_clause *clause = unmatched_clause(input->model, filter);
        if (clause)
            names_intern(checking->told, filter->text + clause->offset, clause->length);
        if (checking->told->count == told)
            return;
    }
    filtering_note(trace_input_subject(&input->trace), input->model, filter, true);
}

static bool measure_both(struct outcome *outcome, const struct checking *checking,
                         const struct model_input *input, int *status)
{
    const struct budget *budget = outcome->budget;
    if (is_unknown_peak(input->model, budget)
            ? !measure_peak(&outcome->figure, input, budget, status)
            : !measure(&outcome->figure, input->model, trace_input_subject(&input->trace), budget,
                       status))
        return false;
    if (outcome->figure.is_empty) /* its function has another name now, perhaps */
        note_empty(checking, input, budget);
    return !budget->is_growth ||
           measure(&outcome->base, checking->base, own(checking->options)->base, budget, status);
}

static bool check_budget(struct checking *checking, const struct model_input *input,
                         const struct budget *budget, int *status)
{
    struct outcome outcome = {.budget = budget,
                              .file = trace_input_name(&input->trace),
                              .is_whole = trace_input_has_all(&input->trace)};
    if (!measure_both(&outcome, checking, input, status))
        return false;
    verdict_judge(&outcome, own(checking->options)->is_strict);
    bool is_cut = input->trace.exit_status != CLI_DONE;
    verdict_doubt(&outcome, is_cut || input->trace.lacks_a_part, !checking->base_is_whole);
    return tell_outcome(checking, &outcome, input, status);
}

static void sum_suppressed(const struct checking *checking, const struct model_input *input,
                           double *suppressed, int *status)
{
    const struct suppressions *suppressions = &checking->options->suppressions;
    struct selection_options what = {.value_type = input->model->samples.default_type};
    enum stack_weight weight = input->model->kind == MODEL_OBJECTS ? WEIGHT_BYTES : WEIGHT_VALUE;
    struct report_suppressed sum;
    if (suppressions_sum(suppressions, trace_input_subject(&input->trace), input->model, &what,
                         weight, &sum, status))
        *suppressed = stack_tally_weight(&sum.sum, &input->model->estimate, weight);
}

/* What budgets ask of a trace, as folded rows can answer it; false where they can't.  The peak of some blocks needs all of their
 * times: of a large file it is measured in readings of its own. */
static bool folded_question_of(struct folded_question *question,
                               const struct filter *filters[FOLDED_FILTERS_MAX],
                               const struct budget_list *list, bool is_large)
{
    *question = (struct folded_question){.filters = filters, .count = list->count};
    for (size_t i = 0; i < list->count; i++) {
        const struct budget *budget = &list->items[i];
        bool is_peak = budget->measure == BUDGET_PEAK;
        if (i == FOLDED_FILTERS_MAX || (is_peak && budget->filter.count > 0 && !is_large))
            return false;
        filters[i] = &budget->filter;
        question->at_peak |= is_peak;
    }
    return true;
}

/* A model with the rows in which a test's blocks are, and few others: each limit is asked of these alone.  The rest is the
 * whole model's, and so is the ownership. */
static struct model rows_of_test(const struct model *model, const struct model_test *test)
{
    struct model part = *model;
    struct model_objects *rows = &part.objects;
    size_t first = 0, end = rows->count;
    while (first < end && model_row_born_us(model, first) < test->begin_us)
        first++;
    while (end > first && model_row_born_us(model, end - 1) > test->end_us)
        end--;
    rows->count = end - first;
    rows->stack += first;
    rows->shape += first;
    rows->born_us = wide_column_from(&rows->born_us, first);
    rows->died_us = wide_column_from(&rows->died_us, first);
    rows->promoted_us = wide_column_from(&rows->promoted_us, first);
    rows->birth = wide_column_from(&rows->birth, first);
    rows->end = wide_column_from(&rows->end, first);
    if (rows->end_domain)
        rows->end_domain += first;
    rows->first_birth += first;
    return part;
}

/* A test, with its own limits and those of all.  One whose limits are none is told as such; it has figures anyway. */
static void check_test_of(struct checking *checking, const struct model_input *input,
                          const struct model_test *of, const struct budget_list *list,
                          bool has_imports, int *status)
{
    const struct text *clauses = &checking->options->question.filter;
    struct budget_list budgets = {0};
    struct check_test *test = NULL;
    size_t broken = checking->broken;
    int judged = CLI_DONE;
    struct text said = {0};
    if (test_measure(&checking->tests, &test, input, of, clauses, has_imports, status)) {
        cli_keep_warnings(&said);
        test_budgets(&budgets, trace_input_name(&input->trace), of, list, clauses, has_imports,
                     &judged);
        for (size_t i = 0; i < budgets.count && judged == CLI_DONE; i++)
            check_budget(checking, input, &budgets.items[i], &judged);
        cli_keep_warnings(NULL);
        test->limits = budgets.count;
        test->broken = checking->broken - broken;
        test->is_refused = judged == CLI_USAGE;
        checking->refused += test->is_refused;
        if (test->is_refused || budgets.count == 0)
            check_test(checking->answer, test, &said);
        worsen(status, test->is_refused ? CLI_DONE : judged);
    }
    text_release(&said);
    budget_list_release(&budgets);
}

/* What is wrong with one of them is no matter of the others. */
static void check_tests(struct checking *checking, const struct model_input *input,
                        const struct budget_list *list, int *status)
{
    bool has_imports = test_budgets_has_imports(input->model);
    for (size_t i = 0; i < input->model->test_count && *status < CLI_FAILED; i++) {
        const struct model_test *of = &input->model->tests[i];
        struct model part = rows_of_test(input->model, of);
        struct model_input narrowed = *input;
        narrowed.model = &part;
        check_test_of(checking, &narrowed, of, list, has_imports, status);
    }
}

/* Is it one of the growths of all that both have, and the file hasn't it? */
static bool is_lacking(const struct model_input *input, const struct budget *budget)
{
    if (!budget->where_known || budget_has(input->model, budget->measure))
        return false;
    budget_note_lack(trace_input_subject(&input->trace), input->model, budget->measure);
    return true;
}

static void check_all(struct checking *checking, const struct model_input *input,
                      const struct budget_list *list, int *status)
{
    size_t lacking = 0;
    for (size_t i = 0; i < list->count && *status == CLI_DONE; i++)
        if (is_lacking(input, &list->items[i]))
            lacking++;
        else
            check_budget(checking, input, &list->items[i], status);
    if (lacking > 0 && lacking == list->count)
        budget_fail_growth(trace_input_subject(&input->trace), status);
}

/* All of it, or its tests; `*suppressed` is set where that has been summed up.  What is wrong with a test is said of the test. */
static int check_model(struct checking *checking, const struct model_input *input,
                       const struct budget_list *list, double *suppressed)
{
    int status = CLI_DONE;
    names_release(checking->told);
    if (own(checking->options)->is_tests)
        check_tests(checking, input, list, &status);
    else
        check_all(checking, input, list, &status);
    if (status == CLI_DONE)
        sum_suppressed(checking, input, suppressed, &status);
    return status;
}

/* What was wrong with a file so far is `*said`, which is kept no longer. */
static void end_file(struct checking *checking, const struct model_input *input, bool is_wrong,
                     struct text *said)
{
    cli_keep_warnings(NULL);
    if (is_wrong)
        check_file_refused(checking->answer, trace_input_name(&input->trace), said);
    text_release(said);
}

static void check_file(struct checking *checking, const char *path, const struct budget_list *list,
                       double *suppressed, int *status)
{
    struct model_input input;
    struct text said = {0};
    const struct filter *filters[FOLDED_FILTERS_MAX];
    struct folded_question question;
    bool is_tests = own(checking->options)->is_tests;
    const struct input_names files = {path};
    bool can_fold =
        !is_tests && folded_question_of(&question, filters, list, large_files_are(&files));
    const struct model_wanted wanted = {.files = files, .question = can_fold ? &question : NULL};
    cli_keep_warnings(&said);
    bool is_open = model_input_open(&input, &wanted) && model_input_to_base_units(&input);
    int met = is_open ? check_model(checking, &input, list, suppressed) : CLI_DONE;
    bool is_wrong = input.trace.exit_status != CLI_DONE || (met != CLI_DONE && !is_tests);
    end_file(checking, &input, is_wrong, &said);
    if (is_open && input.trace.exit_status == CLI_BAD_INPUT)
        checking->open++; /* it is cut: what it exceeds by then it exceeds */
    else
        worsen(status, input.trace.exit_status);
    worsen(status, met);
    checking->is_whole &= is_open && trace_input_is_whole(&input.trace);
    if (is_open)
        model_input_close(&input);
}

static void check_next(struct checking *checking, const char *path, const struct budget_list *list,
                       int *status)
{
    if (!ARRAY_RESERVE(&checking->suppressed, &checking->capacity, checking->files + 1)) {
        cli_fail_memory(status);
        return;
    }
    struct check_suppressed *row = &checking->suppressed[checking->files++];
    *row = (struct check_suppressed){path, checking->options->suppressions.count, NAN};
    check_file(checking, path, list, &row->value, status);
}

static void refuse_without_tests(struct checking *checking, const char *path)
{
    const struct trace_input input = {.path = path};
    struct text said = {0};
    cli_keep_warnings(&said);
    cli_warn("%s: it has no tests: a test marks its begin and end with heaptap/test.h", path);
    cli_keep_warnings(NULL);
    check_file_refused(checking->answer, trace_input_name(&input), &said);
    text_release(&said);
}

/* The end of an answer, after the first of its files and perhaps others. */
static int end_answer(struct checking *checking, const char *first, int status)
{
    const struct options *options = checking->options;
    if (own(options)->is_tests && checking->tests.count == 0 && status == CLI_DONE) {
        refuse_without_tests(checking, first);
        status = CLI_BAD_INPUT;
    }
    bool shows_tests = own(options)->is_verbose || options->question.format != REPORT_TEXT;
    check_end(checking->answer, shows_tests ? &checking->tests : NULL,
              options->suppressions.path ? checking->suppressed : NULL, checking->files,
              &(struct check_sum){checking->broken, checking->is_whole && !lack_said()});
    if (lack_said()) /* known once the files are read */
        answer_lacks(checking->answer, lack_said());
    const char *remarks = lack_take_remarks();
    if (remarks)
        answer_remark(checking->answer, remarks);
    return answer_output_close(checking->answer, true, status);
}

/* Of what was judged. */
struct judged {
    size_t broken, open, refused;
};

static void count_judged(struct judged *judged, const struct checking *checking)
{
    judged->broken += checking->broken;
    judged->open += checking->open;
    judged->refused += checking->refused;
}

/* What is exceeded counts before what can't be told, and that before what is no limit. */
static int verdict_status(int status, const struct judged *judged)
{
    return status != CLI_DONE    ? status
           : judged->broken > 0  ? CLI_FOUND
           : judged->open > 0    ? CLI_BAD_INPUT
           : judged->refused > 0 ? CLI_USAGE
                                 : CLI_DONE;
}

static bool begin_answer(struct checking *checking, int *status)
{
    checking->answer = answer_output_open(checking->options->question.format, status);
    if (checking->answer)
        check_begin(checking->answer);
    return checking->answer;
}

/* One answer for all files, one after the other. */
static int check_files(struct checking *checking, struct file_names *names,
                       const struct budget_list *list)
{
    int status = CLI_DONE;
    const char *first = file_names_next(names), *path = first;
    if (!first) {
        cli_warn("%s: it names no files", checking->options->question.list);
        return CLI_USAGE;
    }
    if (!begin_answer(checking, &status))
        return status;
    for (; path; path = file_names_next(names))
        check_next(checking, path, list, &status);
    status = end_answer(checking, first, status);
    struct judged judged = {0};
    count_judged(&judged, checking);
    return verdict_status(status, &judged);
}

/* An answer for each file, which is out before the next file is asked for. */
static int check_each(struct checking *checking, struct file_names *names,
                      const struct budget_list *list)
{
    int status = CLI_DONE;
    struct judged judged = {0};
    for (const char *path; (path = file_names_next(names)) && status < CLI_FAILED;) {
        int met = CLI_DONE;
        if (begin_answer(checking, &met)) {
            check_next(checking, path, list, &met);
            met = end_answer(checking, path, met);
        }
        fflush(stdout);
        worsen(&status, met);
        check_tests_release(&checking->tests);
        count_judged(&judged, checking);
        checking->broken = checking->open = checking->refused = checking->files = 0;
        checking->is_whole = checking->base_is_whole;
    }
    return verdict_status(status, &judged);
}

static int check(struct checking *checking, const struct budget_list *list)
{
    const struct question *question = &checking->options->question;
    struct file_names names;
    int status = CLI_DONE;
    if (!file_names_open(&names, question, &status))
        return status;
    status = question->format == REPORT_JSON_LINES ? check_each(checking, &names, list)
                                                   : check_files(checking, &names, list);
    if (file_names_failed(&names))
        worsen(&status, CLI_BAD_INPUT);
    file_names_close(&names);
    free(checking->suppressed);
    return status;
}

static int run(const struct options *options)
{
    struct model_input base = {0};
    struct budget_list list = {0};
    struct names told = {0};
    int status = CLI_DONE;
    if (own(options)->base &&
        !(model_input_open(&base, &(struct model_wanted){.files.path = own(options)->base}) &&
          model_input_to_base_units(&base)))
        return base.trace.exit_status;
    if (budgets_asked(&list, &options->question, base.model, &status)) {
        bool base_is_whole = !own(options)->base || trace_input_has_all(&base.trace);
        struct checking checking = {.options = options,
                                    .base = base.model,
                                    .base_is_whole = base_is_whole,
                                    .is_whole = base_is_whole,
                                    .told = &told};
        status = check(&checking, &list);
        check_tests_release(&checking.tests);
        names_release(&told);
    }
    budget_list_release(&list);
    model_input_close(&base);
    return status != CLI_DONE ? status : base.trace.exit_status;
}

int cmd_check(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("check");
    struct options options = {.question = question_of(entry)};
    int status;
    report_parse(&options.question, argc, argv);
    options.suppressions.path = options.question.suppressions;
    if (suppressions_add(&options.suppressions, &options.question.filter, &status))
        status = run(&options);
    suppressions_release(&options.suppressions);
    question_release(&options.question);
    return status;
}
