/* heaptap export: stacks in the formats of other tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/export_format.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_output.h"

struct options {
    struct question report;
    const struct export_format *format;
    const char *output;
};

static struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0, NULL, 0},
    {"format", 'f', NULL, OPTION_HIDDEN, NULL, 0}, /* for completion: their names */
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {0},
};

static const struct export_format *format_of(const char *text, struct argp_state *state)
{
    const struct export_format *format = export_format_find(text);
    char *names = export_format_names();
    if (!format)
        argp_error(state, "--format takes %s, not '%s'", names ? names : "other names", text);
    free(names);
    return format;
}

static const char *listed_formats(void)
{
    static char *names;
    if (!names)
        names = export_format_names();
    return names ? names : "one of those of --help";
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

static void check(struct options *options, struct argp_state *state)
{
    if (!options->format)
        options->format = export_format_of_file(options->output);
    if (!options->format)
        argp_error(state, "no format given: use --format with %s", listed_formats());
    if (options->format->needs & EXPORT_IS_DATABASE)
        check_database(options, state);
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
        check(options, state);
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

/* "speedscope|dhat|sqlite"; it lives as long as the program. */
static const char *names_of_formats(void)
{
    static char names[256];
    const struct export_format *format;
    for (size_t i = 0, size = 0; (format = export_format_at(i)) && size < sizeof names; i++)
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%s", i > 0 ? "|" : "",
                                 format->name);
    return names;
}

/* The text of --format has their names; it lives as long as the program. */
static void describe_format(void)
{
    char *names = export_format_names(), *text;
    if (names && asprintf(&text, "%s. Default: by the end of FILE's name", names) >= 0)
        option_table[0].doc = text;
    option_table[1].arg = names_of_formats();
    free(names);
}

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Writes the stacks of TRACE, or of a pprof profile, for another tool.\v",
    children,
    help,
    0};

int cmd_export(int argc, char **argv)
{
    struct options options = {.report = question_many()};
    struct report report;
    int status = CLI_DONE;
    options.report.grain = GRAIN_LINE;
    describe_format();
    cli_parse(&argp, argc, argv, 0, &options);
    unsigned needs = options.format->needs;
    options.report.folds_blocks = !(needs & (EXPORT_NEEDS_BLOCKS | EXPORT_KEEPS_BLOCKS));
    if (report_open(&report, &options.report, &status)) {
        if (needs & EXPORT_NEEDS_BLOCKS && !report_needs_objects(&report))
            status = CLI_BAD_INPUT;
        else
            status = export_format_write(options.format, &report, options.output);
        if (status == CLI_DONE)
            status = report_status(&report);
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
