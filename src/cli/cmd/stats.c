/* heaptap stats: sizes and lifetimes of blocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/blocks/stats_figures.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtered_events.h"
#include "cli/parse.h"
#include "cli/passing_series.h"
#include "cli/filtering.h"
#include "cli/report_options.h"
#include "cli/report_output.h"
#include "answer/forms.h"
#include "report/blocks/stats.h"

/* Where it is drawn, besides the question. */
struct options {
    struct question question;
    const char *svg; /* NULL unless asked for */
};

enum { OPTION_SVG = 1000 };

static const struct heaptap_reader_options true_order = {.order = HEAPTAP_TRUE_ORDER,
                                                         .skip_stacks = true};

static const struct argp_option option_table[] = {
    {"svg", OPTION_SVG, "FILE", 0, "Also draw the histograms into FILE; - for standard output", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case OPTION_SVG:
        options->svg = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->svg && strcmp(options->svg, "-") == 0 &&
            options->question.format != REPORT_TEXT)
            argp_error(state, "one format at a time on standard output: give --svg a file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp picture_argp = {option_table, parse, 0, 0, 0, 0, 0};

static const struct stats_question *own(const struct options *options)
{
    return (const struct stats_question *)options->question.own;
}

static bool print_svg(void *report, FILE *file)
{
    struct answer *answer = svg_answer(file);
    bool done = answer && stats_put(answer, report);
    return answer && answer_close(answer) && done;
}

static int print(const struct options *options, struct stats_report *report)
{
    int status = options->svg ? report_output_write(options->svg, print_svg, report) : CLI_DONE;
    if (options->svg && strcmp(options->svg, "-") == 0)
        return status;
    struct answer *answer = answer_output_open(options->question.format, &status);
    return answer ? answer_output_close(answer, stats_put(answer, report), status) : status;
}

static int report_on(const struct options *options, const struct trace_input *input,
                     struct block_stats *stats, const char *filter)
{
    struct stats_report report;
    int status = CLI_FAILED;
    if (stats_report_init(&report, stats, (size_t)own(options)->parts)) {
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

static bool add_all(struct block_stats *stats, struct filtered_events *events)
{
    struct heaptap_event event;
    bool enough = true;
    while (enough && filtered_events_next(events, &event))
        enough = add(stats, events, &event);
    return enough && block_stats_finish(stats);
}

/* The same events from the first on, once more. */
static bool look_again(const struct options *options, struct filtered_events *events,
                       struct block_stats *stats, int *status)
{
    if (!filtered_events_again(events, &true_order, status))
        return false;
    return (block_stats_look_again(stats, (size_t)own(options)->parts) && add_all(stats, events)) ||
           cli_fail_memory(status);
}

static int show(const void *command_options, const struct filter *filter)
{
    const struct options *options = command_options;
    struct filtered_events events;
    struct block_stats stats;
    int status;
    const struct input_names files = question_files(&options->question);
    bool twice = large_files_are(&files); /* what is counted may be much */
    if (!filtered_events_open(&events, &files, filter, &true_order, NULL, &status))
        return status;
    block_stats_init(&stats, heaptap_reader_info(events.input.reader),
                     own(options)->major_only || events.blocks.moves_births, own(options)->estimate,
                     twice);
    bool done = add_all(&stats, &events) || cli_fail_memory(&status);
    if (done && twice)
        done = look_again(options, &events, &stats, &status);
    if (done)
        status = report_on(options, &events.input, &stats, filter->text);
    block_stats_release(&stats);
    filtered_events_close(&events);
    return status != CLI_DONE ? status : events.input.exit_status;
}

int cmd_stats(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("stats");
    struct options options = {.question = question_of(entry)};
    cli_parse(report_entry_argp(entry, &picture_argp, &options), argc, argv, 0, &options.question);
    return filtering_run(&options.question, show, &options);
}
