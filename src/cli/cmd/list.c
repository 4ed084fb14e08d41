/* heaptap list: functions line by line, with their sources. */
#include <stdlib.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_pattern.h"
#include "cli/source_file.h"
#include "report/list.h"

/* ---- Sources --------------------------------------------------------------------------- */

struct sources {
    struct list_sources sources; /* first: the report's functions get it */
    const char *folders;
};

static void open_source(const struct list_sources *sources, struct list_source *source,
                        const char *name)
{
    struct source_file *file = calloc(1, sizeof *file);
    if (file && source_file_open(file, name, ((const struct sources *)sources)->folders))
        *source = (struct list_source){file->path, file->lines, file->count, file};
    else
        free(file);
}

static void close_source(struct list_source *source)
{
    if (source->owner)
        source_file_release(source->owner);
    free(source->owner);
}

/* ---- The command ----------------------------------------------------------------------- */

enum { OPTION_SOURCE_PATH = 1000 };

struct options {
    struct question report;
    const char *folders;
};

static const struct argp_option option_table[] = {
    {"source-path", OPTION_SOURCE_PATH, "DIR[:DIR...]", 0,
     "Read sources below these folders, too; without it, below the present one alone", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 7; i++)
            state->child_inputs[i] = &options->report;
        return 0;
    case OPTION_SOURCE_PATH:
        options->folders = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_filter_argp, 0, NULL, 0},   {&report_sample_argp, 0, NULL, 0},
    {&report_inlines_argp, 0, NULL, 0},  {&report_unit_argp, 0, NULL, 0},
    {&report_relative_argp, 0, NULL, 0}, {&report_format_argp, 0, NULL, 0},
    {&report_markdown_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE REGEX [CLAUSE...]",
    "Shows the functions of TRACE whose names match REGEX line by line, with their sources where "
    "these "
    "are found.\v"
    "flat is what a line allocates itself, cum what it and what it calls allocate.",
    children,
    0,
    0};

static int show(const struct report *report, const struct pattern *pattern, const char *folders)
{
    struct sources sources = {{open_source, close_source}, folders};
    struct list list;
    if (!list_init(&list, report, pattern, &sources.sources))
        return cli_out_of_memory();
    int status = list.count == 0 ? report_pattern_missed(report->options->pattern)
                                 : answer_output_put(report, list_put, &list);
    list_release(&list);
    return status;
}

int cmd_list(int argc, char **argv)
{
    struct options options = {.report = question_many(), .folders = ""};
    struct report report;
    int status = CLI_DONE;
    options.report.takes_pattern = true;
    options.report.grain = GRAIN_LINE;
    cli_parse(&argp, argc, argv, 0, &options);
    struct pattern *pattern = report_pattern(options.report.pattern, &status);
    if (pattern && report_open(&report, &options.report, &status)) {
        status = show(&report, pattern, options.folders);
        report_close(&report);
    }
    pattern_free(pattern);
    question_release(&options.report);
    return status;
}
