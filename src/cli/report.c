#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/measure.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "profile/quantity.h"
#include "profile/sample_type.h"

/* ---- Sample types -------------------------------------------------------------------- */

/* Says what there is instead. */
static bool fail_sample(const struct report *report, const char *const *names, size_t count,
                        bool is_ambiguous)
{
    struct text known = {0};
    for (size_t i = 0; i < count; i++) {
        text_put_string(&known, i > 0 ? ", " : "");
        text_put_string(&known, plain(names[i]));
    }
    text_put_char(&known, 0);
    cli_warn(is_ambiguous ? "%s: several sample types have '%s' in their names; there are: %s"
                          : "%s: there is no sample type '%s'; there are: %s",
             trace_input_subject(&report->input.trace), report->options->sample,
             known.failed ? "" : known.bytes);
    text_release(&known);
    return false;
}

static bool find_type(const struct report *report, const char *const *names, size_t count,
                      size_t usual, size_t *type)
{
    long found = sample_type_find(report->options->sample, names, count, usual);
    *type = (size_t)found;
    return found >= 0 || fail_sample(report, names, count, found == SAMPLE_TYPE_AMBIGUOUS);
}

static bool choose_quantity(struct report *report)
{
    const char *names[QUANTITY_COUNT];
    size_t type;
    for (size_t i = 0; i < QUANTITY_COUNT; i++)
        names[i] = quantity_at(i)->name;
    if (!find_type(report, names, QUANTITY_COUNT, 0, &type))
        return false;
    const struct quantity *quantity = quantity_at(type);
    report->sample = quantity->name;
    report->unit = quantity->unit;
    report->what.quantity = quantity->quantity;
    report->weight = quantity->weight;
    return true;
}

static bool choose_value_type(struct report *report)
{
    const struct model_samples *samples = &report->input.model->samples;
    const char **names = calloc(samples->type_count + 1, sizeof *names);
    size_t type;
    if (!names) {
        cli_warn("out of memory");
        return false;
    }
    for (size_t i = 0; i < samples->type_count; i++)
        names[i] = samples->types[i].name;
    bool is_found = find_type(report, names, samples->type_count, samples->default_type, &type);
    free(names);
    if (!is_found)
        return false;
    report->weight = WEIGHT_VALUE;
    report->what.value_type = type;
    report->sample = samples->types[type].name;
    report->unit = samples->types[type].unit;
    return true;
}

/* ---- The filter ---------------------------------------------------------------------- */

static size_t width_of(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void report_tell_filter(const char *text, size_t offset, size_t length, const char *message)
{
    cli_warn("filter: %s", message);
    size_t size = strlen(text);
    offset = offset < size ? offset : size;
    length = length < size - offset ? length : size - offset;
    fprintf(stderr, "    %s\n    %*s", text, (int)width_of(text, offset), "");
    for (size_t i = width_of(text + offset, length); i > 1; i--)
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

void report_note_empty(const struct trace_input *input)
{
    cli_warn("%s: note: the filter leaves nothing of it", trace_input_subject(input));
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

int report_with_filter(struct report_options *options,
                       int (*show)(const void *context, const struct filter *filter),
                       const void *context)
{
    struct filter filter;
    int status;
    if (report_parse_filter(&filter, &options->filter, &status)) {
        status = show(context, &filter);
        filter_release(&filter);
    }
    report_options_release(options);
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

static bool check_unit(const struct report *report)
{
    const char *unit = report->options->unit;
    if (!unit || measure_can_be(report->unit, unit))
        return true;
    cli_warn("%s: %s is in %s, which can't be printed in '%s'",
             trace_input_subject(&report->input.trace), report->sample, report->unit, unit);
    return false;
}

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

static bool select_rows(struct report *report, int *status)
{
    const struct model *model = report->input.model;
    if (report->options->by_site && model->is_native)
        filter_hide_allocators(&report->filter);
    if (!(model->kind == MODEL_OBJECTS ? choose_quantity(report) : choose_value_type(report)) ||
        !check_unit(report)) {
        *status = CLI_USAGE;
        return false;
    }
    if (!report_match(&report->matcher, model, &report->filter, status))
        return false;
    if (!selection_init(&report->selection, &report->matcher, &report->filter, &report->what)) {
        matcher_release(&report->matcher);
        return cli_fail_memory(status);
    }
    report->selection.frames.no_inlines = report->options->no_inlines;
    if (*report->filter.text && report->selection.profile.total.events == 0 &&
        report->selection.whole.events > 0)
        report_note_empty(&report->input.trace);
    report->whole = report->options->is_relative ? whole_of_selected(report)
                                                 : report_value(report, &report->selection.whole);
    return true;
}

/* What remains when the file has been read, or not. */
static bool finish_open(struct report *report, bool is_read, int *status)
{
    if (!is_read) {
        *status = report->input.trace.exit_status;
    } else {
        if (select_rows(report, status))
            return true;
        model_input_close(&report->input);
    }
    filter_release(&report->filter);
    return false;
}

bool report_open(struct report *report, const struct report_options *options, int *status)
{
    *report = (struct report){.options = options};
    return report_parse_filter(&report->filter, &options->filter, status) &&
           finish_open(report,
                       model_input_open_many(&report->input, options->path, options->more,
                                             options->more_count),
                       status);
}

bool report_open_other(struct report *report, const struct report_options *options,
                       const struct trace_input *trace, struct input *file, int *status)
{
    *report = (struct report){.options = options};
    if (report_parse_filter(&report->filter, &options->filter, status))
        return finish_open(report, model_input_open_other(&report->input, trace, file), status);
    input_close(file);
    return false;
}

void report_close_model(struct report *report)
{
    selection_release(&report->selection);
    matcher_release(&report->matcher);
    model_input_close(&report->input);
}

void report_close(struct report *report)
{
    report_close_model(report);
    filter_release(&report->filter);
}

int report_status(const struct report *report)
{
    return report->input.trace.exit_status;
}

/* ---- Heads --------------------------------------------------------------------------- */

static const char *grain_name(enum symbol_grain grain)
{
    return grain == GRAIN_NAME       ? "functions"
           : grain == GRAIN_FUNCTION ? "filefunctions"
           : grain == GRAIN_FILE     ? "files"
           : grain == GRAIN_LINE     ? "lines"
                                     : "addresses";
}

void report_put_head(const struct report *report, struct json *json)
{
    const struct model *model = report->input.model;
    json_put_string(json, "trace", trace_input_name(&report->input.trace));
    json_put_bool(json, "complete", trace_input_is_whole(&report->input.trace));
    if (model->kind == MODEL_OBJECTS) {
        json_put_string(json, "executable", model->info.executable);
        json_put_double(json, "sample_rate", model->info.sample_rate);
    }
    json_put_string(json, "sample_type", report->sample);
    json_put_string(json, "unit", report->unit);
    json_put_string(json, "granularity", grain_name(report->options->grain));
    json_put_string(json, "filter", report->filter.text);
    json_put_double(json, "total", report->whole);
    json_put_double(json, "selected", report_value(report, &report->selection.profile.total));
}

static void print_file(const struct model *model)
{
    const struct model_module *program = model_program(model);
    const char *name = model_program_name(model);
    if (*name)
        printf("File: %s\n", plain(name));
    if (program && *program->build_id)
        printf("Build ID: %s\n", plain(program->build_id));
}

/* As pprof writes it: "Nov 2, 2026 at 3:04pm (UTC)". */
static void print_time(int64_t start_us)
{
    char month[16];
    time_t seconds = (time_t)(start_us / 1000000);
    struct tm local;
    if (start_us == 0 || !localtime_r(&seconds, &local) ||
        strftime(month, sizeof month, "%b", &local) == 0)
        return;
    printf("Time: %s %d, %d at %d:%02d%s (%s)\n", month, local.tm_mday, local.tm_year + 1900,
           (local.tm_hour + 11) % 12 + 1, local.tm_min, local.tm_hour < 12 ? "am" : "pm",
           local.tm_zone);
}

void report_print_head(const struct report *report)
{
    const struct model *model = report->input.model;
    print_file(model);
    printf("Type: %s\n", plain(report->sample));
    print_time(model->info.start_us);
    if (*report->filter.text)
        printf("Filter: %s\n", plain(report->filter.text));
}
