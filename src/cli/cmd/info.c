/* heaptap info: what a trace is, and its figures. */
#include <string.h>

#include "analyze/summary.h"
#include "cli/cli.h"
#include "cli/info_text.h"
#include "cli/pprof_info.h"
#include "cli/stack_input.h"
#include "export/summary_report.h"

struct options {
    struct cli_trace_argument trace;
    bool memtrace, json;
};

enum { OPTION_JSON = 1000, EVENTS_AT_ONCE = 256 };

static const struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0,
     "text (the default), or memtrace: just as memtrace's identify prints it", 0},
    {"json", OPTION_JSON, NULL, 0, "Print a JSON document", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'f':
        options->memtrace = strcmp(argument, "memtrace") == 0;
        if (!options->memtrace && strcmp(argument, "text") != 0)
            argp_error(state, "--format takes text or memtrace, not '%s'", argument);
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        if (options->json && options->memtrace)
            argp_error(state, "--json and --format=memtrace exclude each other");
        break;
    }
    return cli_parse_trace_argument(key, argument, state, &options->trace);
}

static const struct argp argp = {
    option_table,
    parse,
    "TRACE",
    "Tells what TRACE is, where it comes from, and its figures: how much was allocated, promoted, "
    "collected, is left.\v"
    "TRACE may also be a pprof profile: then its values are told, and what they are of. "
    "Bytes and blocks are estimates from the samples; at rate 1 they are exact. A trace is read "
    "once, from front to back.",
    0,
    0,
    0};

static int print(const struct options *options, const struct trace_input *input,
                 const struct summary *summary)
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
    };
    report.metadata = heaptap_reader_metadata(input->reader, &report.metadata_count);
    if (options->json)
        summary_print_json(stdout, &report);
    else if (options->memtrace)
        summary_print_memtrace(stdout, &report);
    else if (!info_text_print(&report))
        return CLI_FAILED;
    return CLI_DONE;
}

static int print_pprof(const struct options *options, struct trace_input *input, struct input *file)
{
    struct pprof_info info = {
        .name = strcmp(input->path, "-") == 0 ? trace_input_name(input) : input->path,
    };
    struct pprof *pprof = stack_input_read_pprof(input, file);
    info.pprof = pprof;
    info.stored_bytes = input_stored_bytes(file);
    info.compression = input_compression(file);
    input_close(file);
    if (pprof && options->memtrace) {
        cli_warn("%s: this is a pprof profile: --format=memtrace is for traces", input->path);
        input->exit_status = CLI_USAGE;
    } else if (pprof && options->json) {
        pprof_info_print_json(&info);
    } else if (pprof) {
        pprof_info_print_text(&info);
    }
    pprof_free(pprof);
    return input->exit_status;
}

int cmd_info(int argc, char **argv)
{
    struct options options = {0};
    struct trace_input input;
    struct summary summary;
    struct heaptap_event events[EVENTS_AT_ONCE];
    struct input *other;
    size_t count;
    argp_parse(&argp, argc, argv, 0, NULL, &options);

    struct heaptap_reader_options how = {.skip_stacks = true};
    if (!trace_input_open_any(&input, options.trace.path, &how, &other))
        return input.exit_status;
    if (other)
        return print_pprof(&options, &input, other);
    bool enough = summary_init(&summary, heaptap_reader_info(input.reader));
    while (enough && (count = trace_input_next_many(&input, events, EVENTS_AT_ONCE)) > 0)
        enough = summary_add(&summary, events, count);
    int status = CLI_FAILED;
    if (enough) {
        summary_finish(&summary);
        status = print(&options, &input, &summary);
    }
    if (status == CLI_FAILED)
        cli_warn("out of memory");
    summary_release(&summary);
    trace_input_close(&input);
    return status != CLI_DONE ? status : input.exit_status;
}
