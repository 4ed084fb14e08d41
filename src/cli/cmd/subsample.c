/* heaptap file subsample: a smaller trace, as a lower sampling rate would have given it, or of a part of
 * the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/copy_blocks.h"
#include "cli/parse.h"
#include "cli/trace_input.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"

struct options {
    struct cli_trace_argument trace;
    struct cli_output_argument output;
    double factor;          /* one sample in so many is kept */
    int64_t from_us, to_us; /* blocks allocated from here to before there are kept */
    uint64_t seed;
};

enum { OPTION_FROM = 1000, OPTION_TO, OPTION_SEED };

static const struct argp_option option_table[] = {
    CLI_OUTPUT_OPTIONS,
    {"factor", 'f', "N", 0, "Keep one sample in N, a number of at least 1 (default: 1, all)", 0},
    {"from", OPTION_FROM, "SECONDS", 0,
     "Keep blocks allocated at this time or later, in seconds since the start", 0},
    {"to", OPTION_TO, "SECONDS", 0, "Keep blocks allocated before this time", 0},
    {"seed", OPTION_SEED, "N", 0,
     "Seed of the choice (default: 1); the same seed gives the same trace", 0},
    {0},
};

static double parse_number(const char *option, const char *text, double least,
                           struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value < least)
        argp_error(state, "%s takes a number of at least %g, not '%s'", option, least, text);
    return value;
}

static uint64_t parse_seed(const char *text, struct argp_state *state)
{
    uint64_t seed;
    if (!cli_parse_whole(text, 0, UINT64_MAX, &seed))
        argp_error(state, "--seed takes a whole number, not '%s'", text);
    return seed;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'f':
        options->factor = parse_number("--factor", argument, 1, state);
        return 0;
    case OPTION_FROM:
        options->from_us = (int64_t)(fmin(parse_number("--from", argument, 0, state), 1e12) * 1e6);
        return 0;
    case OPTION_TO:
        options->to_us = (int64_t)(fmin(parse_number("--to", argument, 0, state), 1e12) * 1e6);
        return 0;
    case OPTION_SEED:
        options->seed = parse_seed(argument, state);
        return 0;
    case ARGP_KEY_END:
        if (options->from_us >= options->to_us)
            argp_error(state, "--from must be before --to");
        break;
    }
    return cli_parse_output_argument(key, argument, state, &options->trace, &options->output);
}

static const struct argp argp = {
    option_table,
    parse,
    "TRACE",
    "Writes a part of TRACE: fewer samples, or the blocks allocated in a part of the time.\v"
    "With --factor N every sample is kept with probability 1/N, and the sampling rate is divided "
    "by N, so that all estimates stay right, with a larger error. All later events of a kept block "
    "are kept too. Blocks are renumbered.",
    0,
    0,
    0};

/* What the choice is made with. */
struct thinning {
    const struct options *options;
    struct random random;
};

/* What is kept of an event's samples; 0 leaves the block out. */
static uint64_t thin(void *context, const struct heaptap_event *event)
{
    struct thinning *thinning = context;
    const struct options *options = thinning->options;
    if (event->time_us < options->from_us || event->time_us >= options->to_us)
        return 0;
    return options->factor > 1
               ? random_binomial(&thinning->random, event->samples, 1 / options->factor)
               : event->samples;
}

int cmd_subsample(int argc, char **argv)
{
    struct options options = {.factor = 1, .to_us = INT64_MAX, .seed = 1};
    struct trace_input input;
    struct trace_output *output;
    struct thinning thinning = {.options = &options};
    cli_parse(&argp, argc, argv, 0, &options);
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(&input, &(struct input_names){.path = options.trace.path, .is_one = true},
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
    if (trace_output_open(&output, &where, &input, &input.exit_status)) {
        random_init(&thinning.random, options.seed);
        if (!copy_blocks(&input, output, thin, &thinning))
            trace_output_out_of_memory(output);
        trace_output_copy_metadata(output, input.reader);
        trace_output_close(output, &input.exit_status);
    }
    trace_input_close(&input);
    return input.exit_status;
}
