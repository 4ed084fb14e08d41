/* heaptap info: what a trace is, and its figures.  Without a filter it is read once, from front to
 * back; with one, into a model. */
#include <stdlib.h>
#include <string.h>

#include "analyze/summary.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/info_text.h"
#include "cli/parse.h"
#include "cli/pprof_info.h"
#include "cli/report.h"
#include "cli/stack_input.h"
#include "cli/trace_open.h"
#include "export/summary_report.h"
#include "pprof/read/model.h"
#include "profile/model_trace.h"

struct options {
    struct question report;
    bool memtrace, json;
};

enum { OPTION_JSON = 1000, EVENTS_AT_ONCE = 256 };

static const struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0,
     "text (the default), or memtrace: exactly what memtrace's identify prints", 0},
    {"json", OPTION_JSON, NULL, 0, "Print a JSON document", 0},
    {0},
};

static void finish(const struct options *options, struct argp_state *state)
{
    if (options->json && options->memtrace)
        argp_error(state, "--json and --format=memtrace exclude each other");
    if (options->memtrace && options->report.filter.size > 0)
        argp_error(state, "--format=memtrace is about the whole trace: it takes no filter");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->report;
        return 0;
    case 'f':
        options->memtrace = strcmp(argument, "memtrace") == 0;
        if (!options->memtrace && strcmp(argument, "text") != 0)
            argp_error(state, "--format takes text or memtrace, not '%s'", argument);
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Shows what TRACE is, where it comes from, and how much was allocated, promoted, collected and "
    "left.\v"
    "TRACE may also be a pprof profile: then its values are shown, with their types. Bytes and "
    "blocks are estimates from the samples; at rate 1 they are exact. Without a filter a trace is "
    "read once, from front to back.",
    children,
    0,
    0};

static int fail_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

/* ---- Traces -------------------------------------------------------------------------- */

static int print(const struct options *options, const struct trace_input *input,
                 const struct summary *summary, const char *filter)
{
    bool is_stdin = strcmp(input->path, "-") == 0;
    struct summary_report report = {
        .name = is_stdin ? trace_input_name(input) : input->path,
        .stored_bytes = heaptap_reader_stored_bytes(input->reader),
        .compression = heaptap_reader_compression(input->reader),
        .info = heaptap_reader_info(input->reader),
        .summary = summary,
        .notes = heaptap_reader_notes(input->reader),
        .complete = input->exit_status == CLI_DONE,
        .filter = filter,
    };
    report.metadata = heaptap_reader_metadata(input->reader, &report.metadata_count);
    if (options->json)
        summary_print_json(stdout, &report);
    else if (options->memtrace)
        summary_print_memtrace(stdout, &report);
    else if (!info_text_print(&report))
        return fail_memory();
    return CLI_DONE;
}

static int stream(const struct options *options, struct trace_input *input)
{
    struct summary summary;
    struct heaptap_event events[EVENTS_AT_ONCE];
    size_t count;
    bool enough = summary_init(&summary, heaptap_reader_info(input->reader));
    while (enough && (count = trace_input_next_many(input, events, EVENTS_AT_ONCE)) > 0)
        enough = summary_add(&summary, events, count);
    if (enough)
        summary_finish(&summary);
    int status = enough ? print(options, input, &summary, "") : fail_memory();
    summary_release(&summary);
    return status;
}

static int print_filtered(const struct options *options, const struct trace_input *input,
                          const struct model *model, const struct filter *filter)
{
    struct matcher matcher;
    struct summary summary;
    int status;
    if (!report_match(&matcher, model, filter, &status))
        return status;
    if (matcher_leaves_nothing(&matcher))
        report_note_empty(trace_input_subject(input));
    status = summary_init_filtered(&summary, &matcher)
                 ? print(options, input, &summary, filter->text)
                 : fail_memory();
    summary_release(&summary);
    matcher_release(&matcher);
    return status;
}

static int filter_trace(const struct options *options, struct trace_input *input,
                        const struct filter *filter)
{
    struct model *model;
    enum heaptap_status status = model_read(&model, input->reader, &input->error);
    if (status != HEAPTAP_OK)
        trace_input_end(input, status);
    int done = model ? print_filtered(options, input, model, filter) : input->exit_status;
    model_free(model);
    return done;
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* What the filter leaves of each type; malloc'ed, NULL with a message and the status. */
static double *sum_samples(const struct trace_input *input, const struct model *model,
                           const struct filter *filter, size_t *rows, int *status)
{
    const struct model_samples *samples = &model->samples;
    struct matcher matcher;
    if (!report_match(&matcher, model, filter, status))
        return NULL;
    if (matcher_leaves_nothing(&matcher))
        report_note_empty(trace_input_subject(input));
    double *sums = calloc(samples->type_count + 1, sizeof *sums);
    for (size_t i = 0; sums && i < samples->count; i++) {
        if (!matcher_sample(&matcher, i))
            continue;
        ++*rows;
        for (size_t type = 0; type < samples->type_count; type++)
            sums[type] += (double)samples->values[i * samples->type_count + type];
    }
    matcher_release(&matcher);
    if (!sums)
        *status = fail_memory();
    return sums;
}

static int print_profile(const struct options *options, const struct trace_input *input,
                         struct pprof_info *info, const struct filter *filter)
{
    int status = CLI_DONE;
    double *sums = NULL;
    if (filter->count > 0) {
        struct model *model = pprof_model(info->pprof);
        if (!model)
            return fail_memory();
        info->filtered = sums = sum_samples(input, model, filter, &info->rows, &status);
        model_free(model);
    }
    if (status == CLI_DONE)
        options->json ? pprof_info_print_json(info) : pprof_info_print_text(info);
    free(sums);
    return status;
}

static int show_profile(const struct options *options, struct trace_input *input,
                        struct input *file, const struct filter *filter)
{
    struct pprof_info info = {
        .name = strcmp(input->path, "-") == 0 ? trace_input_name(input) : input->path,
        .filter = filter->text,
    };
    struct pprof *pprof = filter->count > 0 ? stack_input_read_named(input, file)
                                            : stack_input_read_pprof(input, file);
    int status = input->exit_status;
    info.pprof = pprof;
    info.stored_bytes = input_stored_bytes(file);
    info.compression = input_compression(file);
    input_close(file);
    if (pprof && options->memtrace) {
        cli_warn("%s: this is a pprof profile: --format=memtrace is for traces", input->path);
        status = CLI_USAGE;
    } else if (pprof) {
        status = print_profile(options, input, &info, filter);
    }
    pprof_free(pprof);
    return status;
}

/* ---- The command --------------------------------------------------------------------- */

static int show(const void *command_options, const struct filter *filter)
{
    const struct options *options = command_options;
    struct trace_input input;
    struct input *other;
    bool is_filtered = filter->count > 0;
    struct heaptap_reader_options how = {
        .skip_stacks = !is_filtered, .order = HEAPTAP_TRUE_ORDER, /* of the peak */
    };
    if (!trace_input_open_any(&input, options->report.path, &how, &other))
        return input.exit_status;
    if (other)
        return show_profile(options, &input, other, filter);
    input.quiet = !options->memtrace; /* it says all that itself */
    int status = is_filtered ? filter_trace(options, &input, filter) : stream(options, &input);
    trace_input_close(&input);
    return status != CLI_DONE ? status : input.exit_status;
}

int cmd_info(int argc, char **argv)
{
    struct options options = {.report = question_default()};
    cli_parse(&argp, argc, argv, 0, &options);
    return report_with_filter(&options.report, show, &options);
}
