/* heaptap file subsample: a smaller trace, as a lower sampling rate would have given it, or of a part of
 * the time. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/random.h"
#include "base/stop_reason.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/copy_blocks.h"
#include "cli/parse.h"
#include "cli/trace_input.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "profile/run_bounds.h"

struct options {
    struct cli_output_argument output;
    const char *trace;
    double factor;         /* one sample in so many is kept */
    double from_us, to_us; /* blocks allocated from here to before there are kept */
    uint64_t seed;
};

static bool take_factor(void *field, const char *text, struct heaptap_error *error)
{
    double *factor = field;
    return (amount_plain(text, factor) && *factor >= 1) ||
           option_refuse(error, "a number of at least 1", text);
}

static bool take_seed(void *field, const char *text, struct heaptap_error *error)
{
    return cli_parse_whole(text, 0, UINT64_MAX, field) ||
           option_refuse(error, "a whole number", text);
}

static const struct question_option rows[] = {
    {.kind = OPTION_ROWS, .rows = cli_output_rows, .field = offsetof(struct options, output)},
    {"factor", 'f', OPTION_TAKEN, 0, "N",
     "Keep one sample in N, a number of at least 1 (default: 1, all)",
     offsetof(struct options, factor), .take = take_factor},
    {"from", 0, OPTION_TIME, 0, "TIME",
     "Keep blocks allocated at this time or later, such as 1.5s or 20ms; since the start, in seconds without a unit",
     offsetof(struct options, from_us)},
    {"to", 0, OPTION_TIME, 0, "TIME", "Keep blocks allocated before this time",
     offsetof(struct options, to_us)},
    {"seed", 0, OPTION_TAKEN, 0, "N",
     "Seed of the choice (default: 1); the same seed gives the same trace",
     offsetof(struct options, seed), .take = take_seed},
    {.kind = OPTION_TRACE, .field = offsetof(struct options, trace)},
    {0}};

static void check(struct argp_state *state)
{
    const struct options *options = state->input;
    if (options->from_us >= options->to_us)
        argp_error(state, "--from must be before --to");
    cli_check_output(state);
}

static const struct command_line line = {
    .check = check,
    .arguments = "TRACE",
    .about =
        "Writes a part of TRACE: fewer samples, or the blocks allocated in a part of the time.\v"
        "With --factor N every sample is kept with probability 1/N, and the sampling rate is divided "
        "by N, so that all estimates stay right, with a larger error. All later events of a kept block "
        "are kept too. Blocks are renumbered.",
};

/* What the choice is made with. */
struct thinning {
    const struct options *options;
    struct random random;
    bool left_out; /* a block, by its time */
};

/* What is kept of an event's samples; 0 leaves the block out. */
static uint64_t thin(void *context, const struct heaptap_event *event)
{
    struct thinning *thinning = context;
    const struct options *options = thinning->options;
    if ((double)event->time_us < options->from_us || (double)event->time_us >= options->to_us) {
        thinning->left_out = true;
        return 0;
    }
    return options->factor > 1
               ? random_binomial(&thinning->random, event->samples, 1 / options->factor)
               : event->samples;
}

/* A part of the time is not all that the program did. */
static void tell_part(void *context, struct trace_output *output,
                      const struct heaptap_reader *reader)
{
    const struct thinning *thinning = context;
    const struct options *options = thinning->options;
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES], reason[200];
    if (!thinning->left_out)
        return;
    bool has_from = options->from_us > 0, has_to = options->to_us < INFINITY;
    snprintf(reason, sizeof reason, STOP_PART "blocks that were allocated%s%s%s%s",
             has_from ? " from " : "",
             has_from ? units_duration(from, options->from_us * 1e-6) : "",
             has_to ? has_from ? " to " : " before " : " on",
             has_to ? units_duration(to, options->to_us * 1e-6) : "");
    trace_output_stopped(output, reason, run_end_us(reader, trace_output_last_us(output)));
}

int cmd_subsample(int argc, char **argv)
{
    struct options options = {.factor = 1, .to_us = INFINITY, .seed = 1};
    struct trace_input input;
    struct thinning thinning = {.options = &options};
    cli_parse(rows, &line, argc, argv, 0, &options);
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(&input, &(struct input_names){.path = options.trace, .is_one = true},
                          &how))
        return input.exit_status;
    struct trace_output_options where = {
        .path = options.output.path,
        .json = options.output.json,
        .encoding = OUTPUT_BY_NAME,
        .info = *heaptap_reader_info(input.reader),
    };
    where.info.sample_rate /= options.factor;
    if (where.info.version == 1)
        where.info.version = 3;
    random_init(&thinning.random, options.seed);
    copy_blocks(&input, &where, &(struct copy_choice){thin, tell_part, &thinning});
    trace_input_close(&input);
    return input.exit_status;
}
