/* heaptap pprof: a trace's allocations as a pprof profile. */
#include <errno.h>

#include "analyze/block_fates.h"
#include "cli/cli.h"
#include "cli/pprof_output.h"
#include "cli/trace_frames.h"
#include "cli/trace_input.h"
#include "export/pprof.h"

struct options {
    struct cli_trace_argument trace;
    const char *output;
    bool no_sizes, unsymbolized, with_host, with_events;
};

enum { OPTION_NO_SIZES = 1000, OPTION_UNSYMBOLIZED, OPTION_HOST, OPTION_EVENTS };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE, compressed by gzip whatever its name; - for standard output. Required", 0},
    {"no-sizes", OPTION_NO_SIZES, NULL, 0,
     "One sample a stack, without the label that tells sizes of blocks apart: a smaller file", 0},
    {"unsymbolized", OPTION_UNSYMBOLIZED, NULL, 0,
     "Write addresses instead of names, for pprof to find these in the program. Native traces only",
     0},
    {"with-events", OPTION_EVENTS, NULL, 0,
     "Add every event with its time, in a field that pprof skips: `heaptap convert` gives back the "
     "trace. Columns behind inuse_space are left out, as the events tell them",
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
    case OPTION_EVENTS:
        options->with_events = true;
        return 0;
    case OPTION_HOST:
        options->with_host = true;
        return 0;
    case ARGP_KEY_END:
        if (options->trace.path && !options->output)
            argp_error(state, "where to? Name a file with -o");
        if (options->with_events && (options->no_sizes || options->unsymbolized))
            argp_error(state, "--with-events and %s exclude each other",
                       options->no_sizes ? "--no-sizes" : "--unsymbolized");
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

/* One trace on its way into a profile. */
struct conversion {
    const struct options *options;
    struct trace_input *input;
    struct block_fates fates;
    struct pprof_events events;
    struct frame_source frames;
    struct pprof_export export;
};

/* Reads the whole trace, and codes its events where `writing` wants them; false when there is no
 * memory. */
static bool read_trace(struct conversion *conversion, struct pprof_writing *writing)
{
    struct block_fates *fates = &conversion->fates;
    struct heaptap_event event;
    bool enough = true;
    while (enough && trace_input_next(conversion->input, &event)) {
        enough = block_fates_add(fates, &event);
        if (!writing || !enough)
            continue;
        pprof_events_add(&conversion->events, &event, fates->last_group);
        if (pprof_events_due(&conversion->events))
            pprof_export_chunk(writing);
    }
    if (enough)
        block_fates_finish(fates);
    return enough;
}

/* What is known of the trace only when it has been read. */
static void fill_in(struct conversion *conversion)
{
    const struct heaptap_reader *reader = conversion->input->reader;
    struct pprof_export *export = &conversion->export;
    conversion->frames = trace_frames(conversion->input);
    export->metadata = heaptap_reader_metadata(reader, &export->metadata_count);
    export->complete = conversion->input->exit_status == CLI_DONE;
}

static int read_while_writing(void *context, struct pprof_writing *writing)
{
    struct conversion *conversion = context;
    if (!read_trace(conversion, writing))
        return ENOMEM;
    fill_in(conversion);
    return 0;
}

static int encode(const void *export, struct heaptap_sink sink)
{
    return pprof_export_write(export, sink);
}

static int convert_with_events(struct conversion *conversion)
{
    struct pprof_export *export = &conversion->export;
    int status = CLI_FAILED;
    if (!pprof_events_init(&conversion->events, export->info, conversion->options->with_host)) {
        cli_warn("out of memory");
    } else {
        export->events = &conversion->events;
        export->read = read_while_writing;
        export->read_context = conversion;
        status = pprof_output_write(conversion->options->output, OUTPUT_GZIP, encode, export);
    }
    pprof_events_release(&conversion->events);
    return status;
}

static int convert(struct conversion *conversion)
{
    if (conversion->options->with_events)
        return convert_with_events(conversion);
    if (!read_trace(conversion, NULL)) {
        cli_warn("%s: out of memory", trace_input_subject(conversion->input));
        return CLI_FAILED;
    }
    fill_in(conversion);
    if (conversion->options->unsymbolized && !pprof_export_has_modules(&conversion->export)) {
        cli_warn("%s: --unsymbolized needs the modules of the traced program, which this trace "
                 "doesn't tell",
                 trace_input_subject(conversion->input));
        return CLI_BAD_INPUT;
    }
    return pprof_output_write(conversion->options->output, OUTPUT_GZIP_QUICK, encode,
                              &conversion->export);
}

static int run(const struct options *options, struct trace_input *input)
{
    const struct heaptap_trace_info *info = heaptap_reader_info(input->reader);
    struct conversion conversion = {.options = options, .input = input};
    int status = CLI_FAILED;
    conversion.export = (struct pprof_export){
        .groups = &conversion.fates.groups,
        .info = info,
        .frames = &conversion.frames,
        .no_sizes = options->no_sizes,
        .unsymbolized = options->unsymbolized,
        .with_host = options->with_host,
    };
    if (options->unsymbolized && info->word_bits > 8) {
        cli_warn("%s: --unsymbolized is for traces of native programs; the codes of an OCaml trace "
                 "are no addresses that pprof could look up",
                 input->path);
        return CLI_USAGE;
    }
    if (block_fates_init(&conversion.fates, info))
        status = convert(&conversion);
    else
        cli_warn("out of memory");
    block_fates_release(&conversion.fates);
    return status;
}

int cmd_pprof(int argc, char **argv)
{
    struct options options = {0};
    struct trace_input input;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!trace_input_open(&input, options.trace.path, NULL))
        return input.exit_status;
    int status = run(&options, &input);
    if (status != CLI_DONE)
        input.exit_status = status;
    trace_input_close(&input);
    return input.exit_status;
}
