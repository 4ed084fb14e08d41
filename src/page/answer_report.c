#include "page/answer_report.h"

#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "base/error.h"
#include "profile/pattern.h"
#include "profile/unmatched.h"
#include "answer/forms.h"
#include "answer/schema.h"

/* ---- Which there are --------------------------------------------------------------------- */

/* How the page asks for an option's value; as text where it has nothing better. */
static const char *kind_of(const struct question_option *option)
{
    static const char *const kinds[] = {
        [OPTION_FLAG] = "flag", [OPTION_NUMBER] = "number", [OPTION_SHARE] = "share",
        [OPTION_WORD] = "word", [OPTION_FORM] = "form",     [OPTION_CLAUSES] = "filter"};
    bool is_known = option->kind < sizeof kinds / sizeof *kinds && kinds[option->kind];
    return is_known ? kinds[option->kind] : "text";
}

static void put_option(struct json *json, const struct question_option *option)
{
    json_begin_object(json);
    json_put_string(json, "word", option->word);
    json_put_string(json, "kind", kind_of(option));
    json_put_string(json, "value", option->value);
    json_put_string(json, "help", option->help);
    json_key(json, "values");
    json_begin_array(json);
    for (size_t i = 0; option->words && option->words[i].word; i++)
        json_text(json, option->words[i].word);
    json_end(json);
    json_end(json);
}

/* callers and callees have the tables of tree, which comes before them. */
static const struct answer_table *const *tables_of(size_t number)
{
    while (number > 0 && !report_entry_at(number)->tables)
        number--;
    return report_entry_at(number)->tables;
}

static void put_entry(struct json *json, const struct report_entry *entry, size_t number)
{
    const struct question_option *option;
    json_begin_object(json);
    json_put_string(json, "name", entry->name);
    json_put_string(json, "command", report_entry_command(entry));
    json_put_string(json, "summary", entry->summary);
    json_put_bool(json, "needs_blocks", entry->traits & REPORT_NEEDS_BLOCKS);
    json_put_bool(json, "needs_function", entry->traits & REPORT_NEEDS_PATTERN);
    json_key(json, "options");
    json_begin_array(json);
    for (size_t i = 0; (option = report_entry_option(entry, i)); i++)
        if (question_option_is_asked(option) && option->help)
            put_option(json, option);
    json_end(json);
    schema_put_json(json, tables_of(number));
    json_end(json);
}

static bool is_there(const struct report_entry *entry, const struct viewer_state *state)
{
    return entry->put && (state->base || !(entry->traits & REPORT_TAKES_TWO)) &&
           (state->reading || !(entry->traits & REPORT_READS_EVENTS));
}

void answer_put_reports(struct json *json, const struct viewer_state *state)
{
    const struct report_entry *entry;
    json_key(json, "reports");
    json_begin_array(json);
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (is_there(entry, state))
            put_entry(json, entry, i);
    json_end(json);
}

/* ---- One that is asked --------------------------------------------------------------------- */

static bool refuse(struct heaptap_error *error, const char *message)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", message);
    return false;
}

static bool take_options(struct question *question, const struct viewer_request *request,
                         struct heaptap_error *error)
{
    for (size_t i = 0; i < request->option_count; i++)
        if (!question_take(question, request->options[i].word, request->options[i].value, error))
            return false;
    return !request->report->check || request->report->check(question, error);
}

/* The size of a column's key without what its bounds have behind it: "live_bytes_low". */
static size_t size_of_key(const char *key, size_t size)
{
    static const char *const ends[] = {"_low", "_high"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(ends[i]);
        if (size > length && memcmp(key + size - length, ends[i], length) == 0)
            return size - length;
    }
    return size;
}

static bool has_key(const struct answer_table *const *tables, const char *key, size_t size)
{
    for (; *tables; tables++)
        for (size_t i = 0; i < (*tables)->count; i++) {
            const char *name = (*tables)->columns[i].key;
            if (name && strlen(name) == size && memcmp(name, key, size) == 0)
                return true;
        }
    return false;
}

static bool has_column(const struct answer_table *const *tables, const char *key, size_t size)
{
    return has_key(tables, key, size) || has_key(tables, key, size_of_key(key, size));
}

static bool check_columns(const struct viewer_request *request, struct heaptap_error *error)
{
    size_t number = 0;
    while (report_entry_at(number) != request->report)
        number++;
    for (const char *at = request->columns; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t size = strcspn(at, ",");
        if (size == 0 || has_column(tables_of(number), at, size))
            continue;
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s has no column '%.*s'", request->report->name,
                  (int)(size < 60 ? size : 60), at);
        return false;
    }
    return true;
}

/* The pattern of the functions that the request names, where the report needs one. */
static bool take_pattern(struct report *report, const struct viewer_request *request,
                         struct heaptap_error *error)
{
    char message[160];
    size_t offset;
    if (!(request->report->traits & REPORT_NEEDS_PATTERN))
        return true;
    if (!*request->function)
        return refuse(error, "no functions given: 'function' takes a regular expression");
    report->pattern =
        pattern_new(request->function, strlen(request->function), message, sizeof message, &offset);
    if (!report->pattern)
        error_set(error, *message ? HEAPTAP_BAD_ARGUMENT : HEAPTAP_NO_MEMORY,
                  "no regular expression: %s", message);
    return report->pattern;
}

static struct report_input input_of(struct viewer_dataset *file)
{
    return (struct report_input){.model = file->model,
                                 .path = file->name,
                                 .name = file->name,
                                 .subject = file->name,
                                 .is_whole = !file->remark && !file->is_growing};
}

struct sources {
    struct report_sources sources; /* first: reports get it */
    const struct viewer_sources *from;
};

/* One allocation: the lines, and their text behind them.  NULL when there is no memory. */
static char **copy_lines(char *const *lines, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(lines[i]) + 1;
    char **copy = malloc(count * sizeof *copy + size + 1);
    char *text = copy ? (char *)(copy + count) : NULL;
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = text;
        text = stpcpy(text, lines[i]) + 1;
    }
    return copy;
}

/* Whoever runs the viewer has the lines of one file at a time; a report may have several open. */
static void open_source(const struct report_sources *sources, struct report_source *source,
                        const char *name)
{
    const struct viewer_sources *from = ((const struct sources *)sources)->from;
    char **lines = from ? from->lines(from->context, name, &source->count) : NULL;
    source->owner = lines ? copy_lines(lines, source->count) : NULL;
    source->lines = source->owner;
    source->path = source->lines ? name : NULL;
}

static void close_source(struct report_source *source)
{
    free(source->owner);
}

static enum viewer_verdict verdict_of(const struct heaptap_error *error)
{
    return error->status == HEAPTAP_NO_MEMORY ? VIEWER_NO_MEMORY : VIEWER_BAD_REQUEST;
}

static enum viewer_verdict tell_problem(const struct report_problem *problem, size_t *length,
                                        struct heaptap_error *error)
{
    if (problem->kind == REPORT_NO_MEMORY)
        return VIEWER_NO_MEMORY;
    *error = problem->error;
    *length = problem->kind == REPORT_BAD_FILTER ? problem->length : 0;
    return VIEWER_BAD_REQUEST;
}

static struct answer *open_answer(FILE *file, const struct viewer_request *request)
{
    return request->form        ? request->form(file)
           : request->by_column ? columns_answer(file, request->columns)
                                : json_answer_shown(file, request->columns);
}

/* Says why the answer is as it is, where the filter is not about this file. */
static bool put_remark(struct answer *answer, const struct report *report)
{
    struct text text = {0};
    text_put_string(&text, report->input.name);
    text_put_string(&text, ": ");
    bool is_told = unmatched_put_remark(&text, report->input.model, &report->filter,
                                        report->is_filtered_empty);
    text_put_char(&text, 0);
    bool done = !text.failed;
    if (done && is_told)
        answer_remark(answer, text.bytes);
    text_release(&text);
    return done;
}

/* Of a report that reads the file itself; `report` has its filter. */
static enum viewer_verdict put_read(FILE *file, const struct viewer_state *state,
                                    const struct viewer_request *request,
                                    const struct report *report, struct heaptap_error *error)
{
    size_t number = request->of_base ? VIEWER_FILES_MAX : request->file;
    struct answer *answer = open_answer(file, request);
    if (!answer)
        return VIEWER_NO_MEMORY;
    bool is_remarked = put_remark(answer, report);
    enum report_outcome outcome = state->reading->put(state->reading->context, number,
                                                      report->options, report->filter.text, answer);
    bool done = answer_close(answer) && is_remarked && outcome != REPORT_UNFINISHED;
    if (outcome == REPORT_UNREAD)
        return refuse(error, "the file can't be read again"), VIEWER_BAD_REQUEST;
    return done ? VIEWER_FINE : VIEWER_NO_MEMORY;
}

/* A report that is selected.  Where no function matches, its answer is empty. */
static enum viewer_verdict put(FILE *file, const struct viewer_request *request,
                               const struct report *report, struct heaptap_error *error)
{
    const struct report_entry *entry = report->options->report;
    const char *refusal = entry->refuse ? entry->refuse(report) : NULL;
    if (refusal)
        return refuse(error, refusal), VIEWER_BAD_REQUEST;
    struct answer *answer = open_answer(file, request);
    if (!answer)
        return VIEWER_NO_MEMORY;
    bool is_remarked =
        put_remark(answer, report->is_filtered_empty || !report->base ? report : report->base);
    enum report_outcome outcome = entry->put(answer, report);
    bool done = answer_close(answer) && is_remarked && outcome != REPORT_UNFINISHED;
    if (done && report->pattern && pattern_check(report->pattern, error) != HEAPTAP_OK)
        return verdict_of(error);
    return done ? VIEWER_FINE : VIEWER_NO_MEMORY;
}

static bool wants_base(const struct viewer_request *request)
{
    return request->against_base || request->report->traits & REPORT_TAKES_TWO;
}

static enum viewer_verdict refuse_values(struct heaptap_error *error)
{
    return refuse(error, "the base's values are in another unit"), VIEWER_BAD_REQUEST;
}

/* Both files' stacks together, where the report wants them. */
static enum viewer_verdict put_both(FILE *file, const struct viewer_request *request,
                                    struct report *report, struct heaptap_error *error)
{
    struct comparison both;
    if (!(request->report->traits & REPORT_TAKES_BASE))
        return put(file, request, report, error);
    if (!comparison_init(&both, &report->selection, &report->base->selection))
        return VIEWER_NO_MEMORY;
    both.frames.no_inlines = report->options->no_inlines;
    report->both = &both;
    enum viewer_verdict verdict = put(file, request, report, error);
    comparison_release(&both);
    return verdict;
}

/* With the base beside it where the report takes two files, or the request wants it. */
static enum viewer_verdict put_with_base(FILE *file, const struct viewer_state *state,
                                         const struct viewer_request *request,
                                         struct report *report, size_t *length,
                                         struct heaptap_error *error)
{
    struct report_problem problem;
    if (!wants_base(request))
        return put(file, request, report, error);
    struct report base = {.options = report->options, .input = input_of(state->base)};
    if (!viewer_dataset_report(state->base, request->filter, &base, &problem))
        return tell_problem(&problem, length, error);
    report->base = &base;
    enum viewer_verdict verdict = strcmp(base.unit, report->unit) == 0
                                      ? put_both(file, request, report, error)
                                      : refuse_values(error);
    report_release_figures(&base);
    return verdict;
}

static struct viewer_dataset *dataset_of(const struct viewer_state *state,
                                         const struct viewer_request *request)
{
    return request->of_base ? state->base : state->files[request->file];
}

static enum viewer_verdict put_question(FILE *file, const struct viewer_state *state,
                                        const struct viewer_request *request,
                                        struct question *question, size_t *length,
                                        struct heaptap_error *error)
{
    struct viewer_dataset *dataset = dataset_of(state, request);
    struct sources sources = {{open_source, close_source}, state->sources};
    struct report report = {
        .options = question, .input = input_of(dataset), .sources = &sources.sources};
    struct report_problem problem;
    if (!take_options(question, request, error) || !check_columns(request, error) ||
        !take_pattern(&report, request, error))
        return verdict_of(error);
    enum viewer_verdict verdict;
    if (viewer_dataset_report(dataset, request->filter, &report, &problem)) {
        verdict = request->report->traits & REPORT_READS_EVENTS
                      ? put_read(file, state, request, &report, error)
                      : put_with_base(file, state, request, &report, length, error);
        report_release_figures(&report);
    } else {
        verdict = tell_problem(&problem, length, error);
    }
    pattern_free(report.pattern);
    return verdict;
}

/* Why this report can't be made of this file; NULL where it can. */
static const char *find_refusal(const struct viewer_state *state,
                                const struct viewer_request *request)
{
    if (!request->report)
        return "'report' is missing: the name of a report";
    if (request->file >= state->file_count)
        return "there is no file of this number";
    if (request->report->traits & REPORT_READS_EVENTS && !state->reading)
        return "this report reads the file itself, which is not there";
    if (request->of_base && !state->base)
        return "there is no base to compare with";
    enum model_kind kind = dataset_of(state, request)->model->kind;
    if (request->report->traits & REPORT_NEEDS_BLOCKS && kind != MODEL_OBJECTS)
        return "this file has no single blocks, which the report needs";
    if (request->against_base &&
        !(request->report->traits & (REPORT_TAKES_TWO | REPORT_TAKES_BASE)))
        return "this report is of one file: it takes no base";
    if (!wants_base(request))
        return NULL;
    return !state->base                       ? "there is no base to compare with"
           : state->base->model->kind != kind ? "a trace and a profile of values cannot be compared"
                                              : NULL;
}

enum viewer_verdict answer_report_put(FILE *file, const struct viewer_state *state,
                                      const struct viewer_request *request, size_t *length,
                                      struct heaptap_error *error)
{
    if (state->file_count == 0)
        return refuse(error, "the trace is still being read"), VIEWER_NOT_YET;
    const char *refusal = find_refusal(state, request);
    if (refusal)
        return refuse(error, refusal), VIEWER_BAD_REQUEST;
    struct question question = question_of(request->report);
    enum viewer_verdict verdict = put_question(file, state, request, &question, length, error);
    question_release(&question);
    return verdict;
}
