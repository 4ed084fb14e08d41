/* heaptap file strip: a trace that can be given away. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/anonymous_names.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/trace_input.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "profile/estimate.h"

struct options {
    struct cli_output_argument output;
    const char *trace;
    bool params;    /* leave out the runtime's parameters */
    bool no_stacks; /* leave out all stacks */
};

static const struct question_option rows[] = {
    {.kind = OPTION_ROWS, .rows = cli_output_rows, .field = offsetof(struct options, output)},
    {"params", 0, OPTION_FLAG, 0, NULL,
     "Leave out the parameters of the runtime (OCAMLRUNPARAM) too",
     offsetof(struct options, params)},
    {"no-stacks", 0, OPTION_FLAG, 0, NULL,
     "Leave out the call stacks altogether, not only their names",
     offsetof(struct options, no_stacks)},
    {.kind = OPTION_TRACE, .field = offsetof(struct options, trace)},
    {0}};

static const struct command_line line = {
    .check = cli_check_output,
    .arguments = "TRACE",
    .about = "Writes TRACE without private details, so that you can give it "
             "away.\v"
             "Left out: the names of executable and host, the pid, the "
             "context, the time of day (the trace starts at 0), addresses, and "
             "all metadata except the counts of dropped samples and when the "
             "recording and the program ended. Files become "
             "m1, m2, ..., functions f1, f2, ..., and positions in a function "
             "lines 1, 2, ..., so that the stacks keep their shape. Sizes, "
             "times since the start, domains and lifetimes stay.",
};

static struct heaptap_trace_info anonymous_info(const struct heaptap_trace_info *info,
                                                const struct options *options)
{
    struct heaptap_trace_info anonymous = {
        .version = info->version == 1 ? 3 : info->version,
        .sample_rate = info->sample_rate,
        .start_us = (int64_t)estimate_seed_number(info), /* no time: what its estimates rest on */
        .word_bits = info->word_bits,
        .executable = "<anonymous>",
        .host = "<anonymous>",
        .runtime_params = options->params ? "" : info->runtime_params,
        .context = "",
        .initial_domain = info->initial_domain,
    };
    return anonymous;
}

static void copy_events(const struct options *options, struct trace_input *input,
                        struct trace_output *output)
{
    struct heaptap_event event;
    while (trace_input_next(input, &event))
        trace_output_copy(output, &event, !options->no_stacks);
}

static void copy_gaps_and_ends(struct trace_input *input, struct trace_output *output)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(input->reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_DROPS || records[i].kind == HEAPTAP_STOPPED)
            trace_output_metadata(output, &records[i], 1);
        else if (records[i].kind == HEAPTAP_ENDED)
            trace_output_ended(output, records[i].number);
}

static void strip(const struct options *options, struct trace_input *input)
{
    struct anonymous_names names;
    struct trace_output *output;
    if (!anonymous_names_init(&names, input->reader)) {
        cli_warn("out of memory");
        input->exit_status = CLI_FAILED;
        return;
    }
    struct trace_output_names anonymous = {anonymous_names_code, anonymous_names_describe, &names};
    struct trace_output_options where = {
        .path = options->output.path,
        .json = options->output.json,
        .encoding = OUTPUT_BY_NAME,
        .keep_order = true,
        .info = anonymous_info(heaptap_reader_info(input->reader), options),
        .names = &anonymous,
    };
    if (trace_output_open(&output, &where, input, &input->exit_status)) {
        copy_events(options, input, output);
        copy_gaps_and_ends(input, output);
        if (names.out_of_memory)
            trace_output_out_of_memory(output);
        trace_output_close(output, &input->exit_status);
    }
    anonymous_names_release(&names);
}

int cmd_strip(int argc, char **argv)
{
    struct options options = {0};
    struct trace_input input;
    cli_parse(rows, &line, argc, argv, 0, &options);
    struct heaptap_reader_options how = {.order = HEAPTAP_FILE_ORDER};
    if (!trace_input_open(&input, &(struct input_names){.path = options.trace, .is_one = true},
                          &how))
        return input.exit_status;
    strip(&options, &input);
    trace_input_close(&input);
    return input.exit_status;
}
