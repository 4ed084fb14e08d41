/* heaptap pprof: a trace's allocations as a pprof profile. */
#include "analyze/block_groups.h"
#include "cli/cli.h"
#include "cli/pprof_output.h"
#include "cli/trace_frames.h"
#include "cli/trace_input.h"
#include "export/pprof.h"

struct options {
    struct cli_trace_argument trace;
    const char *output;
    bool no_sizes, unsymbolized, with_host;
};

enum { OPTION_NO_SIZES = 1000, OPTION_UNSYMBOLIZED, OPTION_HOST };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE, compressed by gzip whatever its name; - for standard output. Required", 0},
    {"no-sizes", OPTION_NO_SIZES, NULL, 0,
     "One sample a stack, without the label that tells sizes of blocks apart: a smaller file", 0},
    {"unsymbolized", OPTION_UNSYMBOLIZED, NULL, 0,
     "Write addresses instead of names, for pprof to find these in the program. Native traces only",
     0},
    {"host", OPTION_HOST, NULL, 0, "Name the machine in the file's comments", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_NO_SIZES:
        options->no_sizes = true;
        return 0;
    case OPTION_UNSYMBOLIZED:
        options->unsymbolized = true;
        return 0;
    case OPTION_HOST:
        options->with_host = true;
        return 0;
    case ARGP_KEY_END:
        if (options->trace.path && !options->output)
            argp_error(state, "where to? Name a file with -o");
        break;
    }
    return cli_parse_trace_argument(key, argument, state, &options->trace);
}

static const struct argp argp = {
    option_table,
    parse,
    "TRACE",
    "Writes the allocations of TRACE as a profile that pprof and its relatives read.\v"
    "The profile tells of each stack how many objects and bytes it allocated, how many of them are "
    "in use at the end, how many were promoted, and how long they lived altogether. All are "
    "estimates from the samples; at rate 1 they are exact.",
    0,
    0,
    0};

/* Reads the whole trace; false with a message. */
static bool read_groups(struct trace_input *input, struct block_groups *groups)
{
    struct heaptap_event event;
    bool enough = true;
    while (enough && trace_input_next(input, &event))
        enough = block_groups_add(groups, &event);
    if (enough)
        block_groups_finish(groups);
    else
        cli_warn("%s: out of memory", trace_input_subject(input));
    return enough;
}

static int encode(const void *export, struct heaptap_sink sink)
{
    return pprof_export_write(export, sink);
}

static int write_profile(const struct options *options, const struct trace_input *input,
                         const struct block_groups *groups)
{
    struct frame_source frames = trace_frames(input);
    struct pprof_export export = {
        .groups = groups,
        .info = heaptap_reader_info(input->reader),
        .frames = &frames,
        .unsymbolized = options->unsymbolized,
        .with_host = options->with_host,
        .complete = input->exit_status == CLI_DONE,
    };
    export.metadata = heaptap_reader_metadata(input->reader, &export.metadata_count);
    if (options->unsymbolized && !pprof_export_has_modules(&export)) {
        cli_warn("%s: --unsymbolized needs the modules of the traced program, which this trace "
                 "doesn't tell",
                 trace_input_subject(input));
        return CLI_BAD_INPUT;
    }
    return pprof_output_write(options->output, encode, &export);
}

int cmd_pprof(int argc, char **argv)
{
    struct options options = {0};
    struct trace_input input;
    struct block_groups groups;
    int status = CLI_FAILED;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!trace_input_open(&input, options.trace.path, NULL))
        return input.exit_status;
    const struct heaptap_trace_info *info = heaptap_reader_info(input.reader);
    if (options.unsymbolized && info->word_bits > 8) {
        cli_warn("%s: --unsymbolized is for traces of native programs; the codes of an OCaml trace "
                 "are no addresses that pprof could look up",
                 input.path);
        input.exit_status = CLI_USAGE;
    } else {
        if (!block_groups_init(&groups, info, !options.no_sizes))
            cli_warn("out of memory");
        else if (read_groups(&input, &groups))
            status = write_profile(&options, &input, &groups);
        block_groups_release(&groups);
        if (status != CLI_DONE)
            input.exit_status = status;
    }
    trace_input_close(&input);
    return input.exit_status;
}
