/* heaptap file convert: the same trace in another version of the format, or otherwise compressed. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_table.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/pprof_input.h"
#include "cli/trace_input.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "pprof/read/events.h"
#include "spec/pprof_fields.h"

struct options {
    struct cli_output_argument output;
    const char *trace;
    unsigned version; /* 0: as it is, or 3 for version 1 */
    int encoding;     /* OUTPUT_BY_NAME unless asked for */
};

static const struct option_word versions[] = {{"2", 2}, {"3", 3}, {NULL, 0}};
static const struct option_word encodings[] = {
    {"none", OUTPUT_PLAIN}, {"gzip", OUTPUT_GZIP}, {"zstd", OUTPUT_ZSTD}, {NULL, 0}};

static const struct question_option rows[] = {
    {.kind = OPTION_ROWS, .rows = cli_output_rows, .field = offsetof(struct options, output)},
    {"to", 't', OPTION_WORD, 0, "2|3",
     "Version of the format to write, 2 or 3 (3 unless the trace has version 2)",
     offsetof(struct options, version), .words = versions},
    {"compress", 0, OPTION_WORD, 0, "none|gzip|zstd",
     "Compression: none, gzip or zstd. Default: by the end of FILE's name: .gz, .zst, or anything "
     "else",
     offsetof(struct options, encoding), .words = encodings},
    {.kind = OPTION_TRACE, .field = offsetof(struct options, trace)},
    {0}};

static const struct command_line line = {
    .check = cli_check_output,
    .arguments = "TRACE",
    .about =
        "Rewrites TRACE in another version of the format or with another compression.\v"
        "Events, stacks, names, block ids and metadata stay as they are. Version 2 has no domains: "
        "converting a trace with several to it merges them in true order, and renumbers the blocks.",
};

/* Copies all domains into one.  Events of blocks whose allocation isn't in the trace are left out:
 * they have no number. */
static void merge(struct trace_input *input, struct trace_output *output)
{
    struct id_table numbers;
    struct heaptap_event event;
    uint64_t left_out = 0;
    bool fresh;
    id_table_init(&numbers, sizeof(uint64_t));
    while (trace_input_next(input, &event)) {
        trace_output_see(output, &event);
        bool is_alloc = event.kind == HEAPTAP_ALLOC;
        uint64_t *number =
            is_alloc ? id_table_put(&numbers, event.id, &fresh) : id_table_find(&numbers, event.id);
        if (!number && is_alloc) {
            trace_output_out_of_memory(output);
            break;
        }
        if (!number) {
            left_out++;
        } else if (is_alloc) {
            *number = trace_output_alloc(output, 0, TRACE_OUTPUT_NEXT_ID, &event, true);
        } else if (event.kind == HEAPTAP_PROMOTE) {
            trace_output_promote(output, 0, *number, event.time_us);
        } else {
            trace_output_collect(output, 0, *number, event.time_us);
            id_table_remove(&numbers, event.id);
        }
    }
    id_table_release(&numbers);
    if (left_out > 0)
        cli_warn("%s: note: %llu events of blocks whose allocation is not in the trace left out",
                 trace_input_subject(input), (unsigned long long)left_out);
}

/* Is there an event of a domain other than 0, the only one that version 2 has, for events and metadata? */
static bool has_other_domain(const struct options *options)
{
    struct heaptap_reader *reader;
    struct heaptap_reader_options quick = {.skip_stacks = true};
    struct heaptap_event event;
    bool found = false;
    if (heaptap_reader_open(&reader, options->trace, &quick, NULL) != HEAPTAP_OK)
        return false;
    while (!found && heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        found = event.domain != 0;
    heaptap_reader_close(reader);
    return found;
}

/* ---- From a profile that holds its trace's events ------------------------------------ */

static uint64_t profile_code(void *reader, uint32_t location)
{
    return pprof_events_code(reader, location);
}

/* Copies the events; false with a message where they are damaged. */
static void copy_events(struct trace_input *input, struct pprof_events_reader *reader,
                        struct trace_output *output)
{
    struct heaptap_event event;
    struct heaptap_error error;
    enum heaptap_status status;
    while ((status = pprof_events_next(reader, &event, &error)) == HEAPTAP_OK)
        trace_output_copy(output, &event, true);
    if (status != HEAPTAP_END)
        input->exit_status = cli_fail(trace_input_subject(input), &error);
}

static void write_events(const struct options *options, struct trace_input *input,
                         struct pprof_events_reader *reader, const struct profile_file *file)
{
    struct trace_output *output;
    struct trace_output_names names = {profile_code, pprof_events_describe, reader};
    struct trace_output_options where = {
        .path = options->output.path,
        .json = options->output.json,
        .encoding = options->encoding,
        .keep_order = true,
        .info = *pprof_events_info(reader),
        .names = &names,
    };
    if (options->version == 2 && where.info.version > 2) {
        cli_warn("%s: its events are those of a trace of version %u: convert them to that version "
                 "first",
                 trace_input_subject(input), where.info.version);
        input->exit_status = CLI_USAGE;
        return;
    }
    if (options->version || where.info.version == 1)
        where.info.version = options->version ? options->version : 3;
    if (trace_output_open(&output, &where, input, &input->exit_status)) {
        size_t count;
        copy_events(input, reader, output);
        const struct heaptap_metadata *records = pprof_events_metadata(reader, &count);
        trace_output_metadata(output, records, count);
        if (profile_comment(file, PPROF_CUT) && input->exit_status == CLI_DONE)
            trace_output_cut(output);
        trace_output_close(output, &input->exit_status);
    }
}

static int convert_profile(const struct options *options, struct trace_input *input,
                           struct profile_input *profile)
{
    struct pprof_events_reader *reader;
    struct heaptap_error error;
    struct model *model = pprof_input_read(input, profile);
    profile_input_close(profile);
    if (!model)
        return input->exit_status;
    if (!pprof_has_events(model)) {
        cli_warn("%s: this pprof profile holds no events; heaptap pprof --with-events writes some "
                 "that do",
                 trace_input_subject(input));
        input->exit_status = CLI_BAD_INPUT;
    } else if (pprof_events_open(&reader, model, &error) != HEAPTAP_OK) {
        input->exit_status = cli_fail(trace_input_subject(input), &error);
    } else {
        write_events(options, input, reader, model->file);
        pprof_events_close(reader);
    }
    model_free(model);
    return input->exit_status;
}

int cmd_convert(int argc, char **argv)
{
    struct options options = {.encoding = OUTPUT_BY_NAME};
    struct trace_input input;
    struct trace_output *output;
    cli_parse(rows, &line, argc, argv, 0, &options);

    /* Standard input can be read once only: it is always merged when version 2 is asked for. */
    bool to_2 = options.version == 2;
    bool merging = to_2 && (strcmp(options.trace, "-") == 0 || has_other_domain(&options));
    struct heaptap_reader_options how = {.order =
                                             merging ? HEAPTAP_TRUE_ORDER : HEAPTAP_FILE_ORDER};
    struct profile_input profile;
    if (!trace_input_open_any(&input, &(struct input_names){.path = options.trace, .is_one = true},
                              &how, &profile))
        return input.exit_status;
    if (profile_input_is_open(&profile))
        return convert_profile(&options, &input, &profile);
    struct trace_output_options where = {
        .path = options.output.path,
        .json = options.output.json,
        .encoding = options.encoding,
        .keep_order = !merging,
        .info = *heaptap_reader_info(input.reader),
    };
    if (options.version)
        where.info.version = options.version;
    else if (where.info.version == 1)
        where.info.version = 3;
    if (trace_output_open(&output, &where, &input, &input.exit_status)) {
        if (merging)
            merge(&input, output);
        else
            trace_output_copy_all(output, &input);
        trace_output_copy_metadata(output, input.reader);
        trace_output_close(output, &input.exit_status);
    }
    trace_input_close(&input);
    return input.exit_status;
}
