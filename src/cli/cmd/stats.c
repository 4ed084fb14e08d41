/* heaptap stats: sizes and lifetimes of blocks. */
#include <string.h>

#include "answer/forms.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_command.h"
#include "cli/report_options.h"
#include "cli/report_output.h"
#include "report/blocks/stats.h"

/* Where it is drawn, besides the question. */
struct options {
    struct question question;
    const char *svg; /* NULL unless asked for */
};

enum { OPTION_SVG = 1000 };

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

/* ---- With a picture beside the answer -------------------------------------------------- */

static bool print_svg(void *counted, FILE *file)
{
    struct answer *answer = svg_answer(file);
    if (answer)
        stats_tell(answer, &((struct stats_counted *)counted)->report);
    return answer && answer_close(answer);
}

static int print_both(const struct options *options, struct stats_counted *counted)
{
    int status = report_output_write(options->svg, print_svg, counted);
    struct answer *answer = answer_output_open(options->question.format, &status);
    if (!answer)
        return status;
    stats_tell(answer, &counted->report);
    return answer_output_close(answer, true, status);
}

static int answer_both(const struct options *options)
{
    struct report report;
    struct stats_counted counted;
    int status;
    if (!report_open(&report, &options->question, &status))
        return status;
    enum report_outcome outcome = stats_count(&counted, &report);
    if (outcome == REPORT_SAID)
        status = print_both(options, &counted);
    else if (outcome == REPORT_UNFINISHED)
        cli_fail_memory(&status);
    stats_release(&counted);
    if (status == CLI_DONE)
        status = report_status(&report);
    report_close(&report);
    return status;
}

/* ---- The command ----------------------------------------------------------------------- */

int cmd_stats(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("stats");
    struct options options = {.question = question_of(entry)};
    cli_parse(report_entry_argp(entry, &picture_argp, &options), argc, argv, 0, &options.question);
    bool is_picture = options.svg && strcmp(options.svg, "-") == 0;
    if (is_picture)
        options.question.format = REPORT_SVG;
    int status = options.svg && !is_picture ? answer_both(&options)
                                            : report_command_answer(&options.question);
    question_release(&options.question);
    return status;
}
