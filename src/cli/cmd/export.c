/* heaptap export: stacks in the formats of other tools. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/export_format.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_output.h"

struct options {
    struct question report;
    int format; /* its row, from 1 on; 0: none given, by the file's name */
    const char *output;
};

#define FIELD(name) offsetof(struct options, name)

static struct question_option rows[] = {
    {"format", 'f', OPTION_WORD, 0, "FORMAT", NULL, FIELD(format),
     .words = NULL}, /* describe_format */
    {"output", 'o', OPTION_TEXT, 0, "FILE", "Write to FILE; - for standard output, the default",
     FIELD(output)},
    {.kind = OPTION_QUESTION,
     .parts = PART_FILES | PART_FILTER | PART_SAMPLE | PART_GRAIN | PART_INLINES,
     .field = FIELD(report)},
    {0}};

static const struct export_format *format_of(const struct options *options)
{
    return options->format ? export_format_at((size_t)options->format - 1)
                           : export_format_of_file(options->output);
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

/* The file's name may be meant to say it. */
static void refuse_format(const char *file, struct argp_state *state)
{
    const char *const pictures[] = {".svg", ".png"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (report_output_ends_with(file, pictures[i]))
            argp_error(state, "'%s': export draws no pictures; graph, flamegraph and tree do",
                       file);
    if (file && strcmp(file, "-") != 0)
        argp_error(state, "'%s' ends as no format's files do: give --format with %s", file,
                   export_format_names());
    argp_error(state, "no format given: use --format with %s", export_format_names());
}

static void check(struct argp_state *state)
{
    const struct options *options = state->input;
    if (!format_of(options))
        refuse_format(options->output, state);
    if (format_of(options)->needs & EXPORT_IS_DATABASE)
        check_database(options, state);
}

/* What follows the options is made of the table. */
static char *help(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    FILE *file = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (!file)
        return (char *)text;
    fputs("Formats, their endings of file names, and the tools that read them:\n", file);
    const struct export_format *format;
    for (size_t i = 0; (format = export_format_at(i)); i++)
        fprintf(file, "  %-11s  %-16s  %s\n", format->name, format->suffix, format->what_for);
    fputs("\n`heaptap pprof` writes profiles for pprof.", file);
    fclose(file);
    return list;
}

static void describe_format(void)
{
    static char help[512];
    snprintf(help, sizeof help, "%s. Default: by the end of FILE's name", export_format_names());
    rows[0].help = help;
    rows[0].words = export_format_words();
}

static const struct command_line line = {
    .check = check,
    .arguments = "TRACE [CLAUSE...]",
    .about = "Writes the stacks of TRACE, or of a pprof profile, for another tool.\v",
    .help = help,
};

int cmd_export(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    options.report.grain = GRAIN_LINE;
    describe_format();
    cli_parse(rows, &line, argc, argv, 0, &options);
    const struct export_format *format = format_of(&options);
    unsigned needs = format->needs;
    options.report.folds_blocks = !(needs & (EXPORT_NEEDS_BLOCKS | EXPORT_KEEPS_BLOCKS));
    if (report_open(&report, &options.report, &status)) {
        if (needs & EXPORT_NEEDS_BLOCKS && !report_needs_objects(&report))
            status = CLI_BAD_INPUT;
        else
            status = export_format_write(format, &report, options.output);
        if (status == CLI_DONE)
            status = report_status(&report);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
