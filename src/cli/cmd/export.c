/* heaptap export: stacks in the formats of other tools. */
#include <stdio.h>
#include <string.h>

#include "analyze/call_tree.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/output_file.h"
#include "cli/report_output.h"
#include "export/folded.h"
#include "export/stack_lines.h"
#include "store/write_profile.h"

enum format {
    NO_FORMAT,
    FORMAT_SPEEDSCOPE,
    FORMAT_CALLGRIND,
    FORMAT_DHAT,
    FORMAT_FOLDED,
    FORMAT_SQLITE
};

struct options {
    struct question report;
    enum format format;
    const char *output;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0, "speedscope, callgrind, dhat, folded or sqlite. Required", 0},
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {0},
};

static enum format format_of(const char *text, struct argp_state *state)
{
    static const char *const names[] = {"", "speedscope", "callgrind", "dhat", "folded", "sqlite"};
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum format)i;
    argp_error(state, "--format takes speedscope, callgrind, dhat, folded or sqlite, not '%s'",
               text);
    return NO_FORMAT;
}

/* A database is more than one report's view of a file, and SQLite moves about in it while it writes. */
static void check_database(const struct options *options, struct argp_state *state)
{
    if (!options->output || strcmp(options->output, "-") == 0)
        argp_error(state, "a database needs a file: use -o FILE");
    if (options->report.sample)
        argp_error(state, "--sample is for the other formats: a database has all sample types");
    if (options->report.grain != GRAIN_LINE)
        argp_error(state,
                   "--granularity is for the other formats: a database has lines and addresses");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] =
            state->child_inputs[3] = &options->report;
        return 0;
    case 'f':
        options->format = format_of(argument, state);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->format == NO_FORMAT)
            argp_error(state, "no format given: use --format");
        if (options->format == FORMAT_SQLITE)
            check_database(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_sample_argp, 0, NULL, 0},
                                             {&report_grain_argp, 0, NULL, 0},
                                             {&report_inlines_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Writes the stacks of TRACE, or of a pprof profile, for another tool: speedscope, "
    "callgrind_annotate and KCachegrind, DHAT's dh_view, those that read folded stacks, or SQLite.\v"
    "`heaptap pprof` writes profiles for pprof.",
    children,
    0,
    0};

static bool print_folded(const struct report *report, FILE *file)
{
    struct call_tree tree;
    struct call_tree_options how = {.grain = report->options->grain};
    struct folded_options folded = {.weight = report->weight,
                                    .with_positions = report->options->grain == GRAIN_LINE};
    if (!call_tree_init_walked(&tree, &report->selection.profile, &report->selection.frames, &how))
        return false;
    bool done = folded_print(&tree, &report->selection.profile.estimate, &folded, file);
    call_tree_release(&tree);
    return done;
}

struct writing {
    const struct options *options;
    const struct report *report;
};

static bool print(void *context, FILE *file)
{
    const struct writing *writing = context;
    const struct report *report = writing->report;
    struct export_head head = {
        .name = report->input.name,
        .command = report->input.model->info.executable ? report->input.model->info.executable : "",
        .sample = report->sample,
        .unit = report->unit,
        .weight = report->weight,
        .grain = report->options->grain,
        .no_inlines = report->options->no_inlines,
    };
    switch (writing->options->format) {
    case FORMAT_SPEEDSCOPE:
        return speedscope_print(&report->selection.profile, &report->selection.frames, &head, file);
    case FORMAT_CALLGRIND:
        return callgrind_print(&report->selection.profile, &report->selection.frames, &head, file);
    case FORMAT_DHAT:
        return dhat_print(&report->matcher, &report->filter, &head, file);
    default:
        return print_folded(report, file);
    }
}

static bool fill_database(struct database *database, const char *path, const struct report *report)
{
    struct store_profile profile = {report->input.name, report->input.is_whole, &report->filter,
                                    &report->matcher, &report->selection};
    bool done = !database_create(database, path) || store_write_profile(database, 1, &profile);
    return database_close(database) && done;
}

static int write_database(const char *path, const struct report *report)
{
    struct output_file file;
    struct database database;
    int code = output_file_open(&file, path);
    if (code)
        return output_file_fail(path, "a database", code);
    if (!file.temporary) {
        cli_warn("%s: a database needs a regular file", path);
        output_file_release(&file);
        return CLI_FAILED;
    }
    bool done = fill_database(&database, file.temporary, report);
    if (done && (code = output_file_commit(&file)))
        output_file_fail(path, "a database", code);
    else if (!done)
        cli_warn("%s: %s", path, *database.message ? database.message : "out of memory");
    output_file_release(&file);
    return done && !code ? CLI_DONE : CLI_FAILED;
}

int cmd_export(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    options.report.grain = GRAIN_LINE;
    cli_parse(&argp, argc, argv, 0, &options);
    options.report.folds_blocks = options.format != FORMAT_DHAT && options.format != FORMAT_SQLITE;
    if (report_open(&report, &options.report, &status)) {
        struct writing writing = {&options, &report};
        if (options.format == FORMAT_DHAT && !report_needs_objects(&report))
            status = CLI_BAD_INPUT;
        else if (options.format == FORMAT_SQLITE)
            status = write_database(options.output, &report);
        else
            status = report_output_write(options.output, print, &writing);
        if (status == CLI_DONE)
            status = report_status(&report);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
