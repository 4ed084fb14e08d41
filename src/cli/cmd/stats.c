/* heaptap stats: sizes and lifetimes of blocks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/stats_report.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtered_events.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "export/stats_svg.h"
#include "report/stats.h"

struct options {
    struct question report;
    bool major_only, estimate;
    size_t parts;
    const char *svg; /* NULL unless asked for */
};

enum { OPTION_ESTIMATE = 1000, OPTION_SVG, PARTS_DEFAULT = 10, PARTS_MAX = 100000 };

static const struct argp_option option_table[] = {
    {"major-only", 'm', NULL, 0,
     "Leave out what dies in the minor heap; a promotion counts as the allocation", 0},
    {"parts", 'p', "N", 0, "Also show sizes in each of N equal parts of the run (10)", 0},
    {"estimate", OPTION_ESTIMATE, NULL, 0,
     "Count each sampled block as the blocks it stands for, not as one", 0},
    {"svg", OPTION_SVG, "FILE", 0, "Also draw the histograms into FILE; - for standard output", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    uint64_t parts;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = &options->report;
        return 0;
    case 'm':
        options->major_only = true;
        return 0;
    case 'p':
        if (!cli_parse_whole(argument, 1, PARTS_MAX, &parts))
            argp_error(state, "--parts takes a number from 1 to %d, not '%s'", PARTS_MAX, argument);
        options->parts = parts;
        return 0;
    case OPTION_ESTIMATE:
        options->estimate = true;
        return 0;
    case OPTION_SVG:
        options->svg = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->svg && strcmp(options->svg, "-") == 0 && options->report.format != REPORT_TEXT)
            argp_error(state, "one format at a time on standard output: give --svg a file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Shows the sizes of TRACE's blocks and how long they live.\v"
    "Lifetimes are given in time, and in events: each beginning and each end of a block that "
    "counts is one. A block that is alive at the end of the trace ends there. With a filter the "
    "trace is read up to four times.",
    children,
    0,
    0};

static bool print_svg(void *report, FILE *file)
{
    stats_svg_print(file, report);
    return true;
}

static int print(const struct options *options, struct stats_report *report)
{
    int status = options->svg ? report_output_write(options->svg, print_svg, report) : CLI_DONE;
    if (options->svg && strcmp(options->svg, "-") == 0)
        return status;
    struct answer *answer = answer_output_open(options->report.format, &status);
    return answer ? answer_output_close(answer, stats_put(answer, report), status) : status;
}

static int report_on(const struct options *options, const struct trace_input *input,
                     const struct block_stats *stats, const char *filter)
{
    struct stats_report report;
    int status = CLI_FAILED;
    if (stats_report_init(&report, stats, options->parts)) {
        report.name = trace_input_name(input);
        report.filter = filter;
        report.word_bits = heaptap_reader_info(input->reader)->word_bits;
        status = print(options, &report);
    } else {
        cli_warn("out of memory");
    }
    stats_report_release(&report);
    return status;
}

/* Where a filter wants blocks of the minor heap alone, a promotion ends them, and their later end
 * is nobody's. */
static bool add(struct block_stats *stats, const struct filtered_events *events,
                struct heaptap_event *event)
{
    if (events->blocks.moves_deaths && event->kind == HEAPTAP_PROMOTE)
        event->kind = HEAPTAP_COLLECT;
    else if (events->blocks.moves_deaths && event->kind == HEAPTAP_COLLECT &&
             !id_table_find(&stats->blocks, event->id))
        return true;
    return block_stats_add(stats, event);
}

static int show(const void *command_options, const struct filter *filter)
{
    const struct options *options = command_options;
    struct filtered_events events;
    struct block_stats stats;
    struct heaptap_event event;
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER, .skip_stacks = true};
    int status;
    if (!filtered_events_open(&events, options->report.path, filter, &how, &status))
        return status;
    block_stats_init(&stats, heaptap_reader_info(events.input.reader),
                     options->major_only || events.blocks.moves_births, options->estimate);
    bool enough = true;
    while (enough && filtered_events_next(&events, &event))
        enough = add(&stats, &events, &event);
    enough = enough && block_stats_finish(&stats);
    if (!enough)
        cli_warn("out of memory");
    status = enough ? report_on(options, &events.input, &stats, filter->text) : CLI_FAILED;
    block_stats_release(&stats);
    filtered_events_close(&events);
    return status != CLI_DONE ? status : events.input.exit_status;
}

int cmd_stats(int argc, char **argv)
{
    struct options options = {.report = question_default(), .parts = PARTS_DEFAULT};
    cli_parse(&argp, argc, argv, 0, &options);
    return report_with_filter(&options.report, show, &options);
}
