/* heaptap pprof: a trace's allocations as a pprof profile. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/write/block_fates.h"
#include "profile/run_bounds.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtered_groups.h"
#include "cli/parse.h"
#include "cli/pprof_output.h"
#include "cli/filtering.h"
#include "cli/pprof_input.h"
#include "cli/trace_frames.h"
#include "cli/trace_input.h"
#include "cli/trace_open.h"
#include "profile/list/rows.h"
#include "profile/list/select.h"
#include "pprof/write/encode.h"
#include "pprof/write/profile.h"

struct options {
    struct question report; /* the trace and the filter */
    const char *output;
    int compress; /* enum output_encoding; OUTPUT_PLAIN: not given, by the number of samples */
    bool no_sizes, unsymbolized, with_host, with_events;
};

#define FIELD(name) offsetof(struct options, name)

static const struct option_word compressions[] = {
    {"quick", OUTPUT_GZIP_QUICK}, {"small", OUTPUT_GZIP}, {NULL, 0}};

static const struct question_option rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE",
     "Write to FILE, compressed by gzip whatever its name; - for standard output. Required",
     FIELD(output)},
    {"no-sizes", 0, OPTION_FLAG, 0, NULL,
     "Write one sample per stack, without the label for sizes of blocks: a smaller file",
     FIELD(no_sizes)},
    {"unsymbolized", 0, OPTION_FLAG, 0, NULL,
     "Write addresses instead of names; pprof then looks them up in the program. Native traces "
     "only",
     FIELD(unsymbolized)},
    {"with-events", 0, OPTION_FLAG, 0, NULL,
     "Add every event with its time, in a field that pprof skips: `heaptap file convert` restores the "
     "trace. Columns after inuse_space are left out, because the events have them",
     FIELD(with_events)},
    {"compress", 0, OPTION_WORD, 0, "quick|small",
     "small, or quick: a sixth larger, in a third of the time. Without it, profiles of 10000 "
     "samples are quick. With events it is always small",
     FIELD(compress), .words = compressions},
    {"host", 0, OPTION_FLAG, 0, NULL, "Name the machine in the file's comments", FIELD(with_host)},
    {.kind = OPTION_QUESTION, .parts = PART_FILES | PART_FILTER, .field = FIELD(report)},
    {0}};

static void check(struct argp_state *state)
{
    struct options *options = state->input;
    if (options->report.path && !options->output)
        argp_error(state, "no output file: use -o FILE");
    if (options->with_events && options->report.filter.size > 0)
        argp_error(state, "--with-events takes all events, not those under a filter");
    if (options->with_events && (options->no_sizes || options->unsymbolized))
        argp_error(state, "--with-events and %s exclude each other",
                   options->no_sizes ? "--no-sizes" : "--unsymbolized");
}

static const struct command_line line = {
    .check = check,
    .arguments = "TRACE [CLAUSE...]\nPROFILE... [CLAUSE...]",
    .about =
        "Writes the allocations of TRACE as a profile that pprof and similar tools read; with a "
        "filter, those that pass it. Several profiles, in pprof's or another format, are merged into "
        "one.\v"
        "The profile says for each stack how many objects and bytes it allocated, how many of them are "
        "in use at the end, how many were promoted, and how long they lived altogether. All are "
        "estimates from the samples; at rate 1 they are exact.",
};

/* One trace on its way into a profile. */
struct conversion {
    const struct options *options;
    struct trace_input *input;
    struct block_fates fates;
    struct pprof_events events;
    struct frame_source frames;
    struct pprof_export export;
};

static int encode(const void *export, struct heaptap_sink sink)
{
    return pprof_export_write(export, sink);
}

/* What is known of the trace only when it has been read. */
static void fill_in(struct conversion *conversion)
{
    const struct heaptap_reader *reader = conversion->input->reader;
    struct pprof_export *export = &conversion->export;
    export->metadata = heaptap_reader_metadata(reader, &export->metadata_count);
    export->complete = conversion->input->exit_status == CLI_DONE;
}

/* A small profile is a small file, and takes no time at that. */
static enum output_encoding encoding_of(const struct conversion *conversion)
{
    enum { SAMPLES_OF_A_LARGE_ONE = 10000 };
    int compress = conversion->options->compress;
    bool is_large = conversion->export.groups->count >= SAMPLES_OF_A_LARGE_ONE;
    return compress ? compress : is_large ? OUTPUT_GZIP_QUICK : OUTPUT_GZIP;
}

/* Writes what has been read. */
static int write_profile(struct conversion *conversion)
{
    const struct options *options = conversion->options;
    fill_in(conversion);
    if (options->unsymbolized && !pprof_export_has_modules(&conversion->export)) {
        cli_warn("%s: --unsymbolized needs the modules of the traced program, which this trace "
                 "doesn't have",
                 trace_input_subject(conversion->input));
        return CLI_BAD_INPUT;
    }
    return pprof_output_write(options->output, encoding_of(conversion), encode,
                              &conversion->export);
}

static int fail_memory(const struct conversion *conversion)
{
    cli_warn("%s: out of memory", trace_input_subject(conversion->input));
    return CLI_FAILED;
}

/* ---- Without a filter: as the trace is read ------------------------------------------ */

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
    if (!enough)
        return false;
    block_fates_finish(fates, run_end_us(conversion->input->reader, fates->groups.last_us));
    conversion->frames = trace_frames(conversion->input);
    return true;
}

static int read_while_writing(void *context, struct pprof_writing *writing)
{
    struct conversion *conversion = context;
    if (!read_trace(conversion, writing))
        return ENOMEM;
    fill_in(conversion);
    return 0;
}

static int convert_with_events(struct conversion *conversion)
{
    struct pprof_export *export = &conversion->export;
    int status = CLI_FAILED;
    if (!pprof_events_init(&conversion->events, export->info, conversion->options->with_host)) {
        status = fail_memory(conversion);
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
    int status;
    conversion->export.groups = &conversion->fates.groups;
    conversion->export.frames = &conversion->frames;
    if (!block_fates_init(&conversion->fates, conversion->export.info))
        status = fail_memory(conversion);
    else if (conversion->options->with_events)
        status = convert_with_events(conversion);
    else
        status = read_trace(conversion, NULL) ? write_profile(conversion) : fail_memory(conversion);
    block_fates_release(&conversion->fates);
    return status;
}

/* ---- The rest ------------------------------------------------------------------------ */

static int convert_filtered(struct conversion *conversion, const struct filter *filter)
{
    struct filtered_groups filtered;
    int status;
    if (!filtered_groups_read(&filtered, conversion->input, filter, &status))
        return status;
    conversion->export.info = heaptap_reader_info(conversion->input->reader); /* perhaps another */
    conversion->export.groups = &filtered.groups;
    conversion->export.frames = &filtered.frames;
    conversion->export.filter = filter->text;
    status = write_profile(conversion);
    filtered_groups_release(&filtered);
    return status;
}

/* Each event is one of a single process. */
static bool is_of_several(const struct trace_input *input)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(input->reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_PROCESS)
            return true;
    return false;
}

static int run(const struct options *options, struct trace_input *input,
               const struct filter *filter)
{
    const struct heaptap_trace_info *info = heaptap_reader_info(input->reader);
    struct conversion conversion = {.options = options, .input = input};
    conversion.export = (struct pprof_export){
        .info = info,
        .no_sizes = options->no_sizes,
        .unsymbolized = options->unsymbolized,
        .with_host = options->with_host,
    };
    if (options->unsymbolized && info->word_bits > 8) {
        cli_warn("%s: --unsymbolized is for traces of native programs; the codes of an OCaml trace "
                 "are no addresses that pprof could look up",
                 trace_input_subject(input));
        return CLI_USAGE;
    }
    if (options->with_events && is_of_several(input)) {
        cli_warn("%s: --with-events is for a single trace, and these are several: give each a "
                 "profile of its own",
                 trace_input_subject(input));
        return CLI_USAGE;
    }
    return *filter->text ? convert_filtered(&conversion, filter) : convert(&conversion);
}

/* ---- Profiles ------------------------------------------------------------------------ */

static int encode_profile(const void *model, struct heaptap_sink sink)
{
    return pprof_encode(model, sink);
}

static bool note_filter(struct model *profile, const struct filter *filter)
{
    char *text = NULL;
    if (!*filter->text)
        return true;
    bool done =
        asprintf(&text, "filter: %s", filter->text) >= 0 && profile_add_comment(profile, text);
    free(text);
    return done;
}

static int write_selected(const struct options *options, const struct trace_input *input,
                          const struct matcher *matcher, struct model *model,
                          const struct filter *filter)
{
    struct selection selection;
    struct selection_options what = {0};
    struct model *selected = NULL;
    int status = CLI_FAILED;
    if (matcher_leaves_nothing(matcher))
        filtering_note_empty(trace_input_subject(input));
    if (selection_init(&selection, matcher, filter, &what, NULL)) {
        selected = profile_select(model, matcher, &selection);
        selection_release(&selection);
    }
    if (selected && note_filter(selected, filter))
        status = pprof_output_write(options->output,
                                    options->compress ? options->compress : OUTPUT_GZIP_QUICK,
                                    encode_profile, selected);
    else
        cli_warn("out of memory");
    model_free(selected);
    return status;
}

static int select_profile(const struct options *options, const struct trace_input *input,
                          struct model *model, const struct filter *filter)
{
    struct matcher matcher;
    int status = CLI_FAILED;
    if (!profile_to_rows(model)) {
        cli_warn("out of memory");
    } else if (filtering_match(&matcher, model, filter, &status)) {
        status = write_selected(options, input, &matcher, model, filter);
        matcher_release(&matcher);
    }
    return status;
}

/* Takes over `model`, which may be NULL where a message has been printed. */
static int convert_profile(const struct options *options, const struct trace_input *input,
                           struct model *model, const struct filter *filter)
{
    bool of_trace =
        options->no_sizes || options->unsymbolized || options->with_events || options->with_host;
    int status = input->exit_status;
    if (model && of_trace) {
        cli_warn("%s: --no-sizes, --unsymbolized, --with-events and --host are for traces, and "
                 "this is a %s profile",
                 trace_input_subject(input), model->file->format);
        status = CLI_USAGE;
    } else if (model) {
        status = select_profile(options, input, model, filter);
    }
    model_free(model);
    return status;
}

static int open_and_run(const struct options *options, const struct filter *filter)
{
    struct trace_input input;
    struct profile_input profile;
    struct heaptap_reader_options how = {
        .order = *filter->text ? HEAPTAP_TRUE_ORDER : HEAPTAP_FILE_ORDER,
    };
    const struct input_names files = question_files(&options->report);
    if (!trace_input_open_any(&input, &files, &how, &profile))
        return input.exit_status;
    if (profile_input_is_open(&profile)) {
        struct model *model = pprof_input_read_many(&input, &profile, &files);
        profile_input_close(&profile);
        return convert_profile(options, &input, model, filter);
    }
    int status = run(options, &input, filter);
    if (status != CLI_DONE)
        input.exit_status = status;
    trace_input_close(&input);
    return input.exit_status;
}

int cmd_pprof(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct filter filter;
    int status;
    cli_parse(rows, &line, argc, argv, 0, &options);
    if (filtering_parse(&filter, &options.report.filter, &status)) {
        status = open_and_run(&options, &filter);
        filter_release(&filter);
    }
    question_release(&options.report);
    return status;
}
