/* heaptap hotspots: which places allocate most, and who calls them. */
#include <stdio.h>
#include <string.h>

#include "analyze/hotspots.h"
#include "analyze/memtrace_hotspots.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/selected_input.h"
#include "export/memtrace_hotspots.h"
#include "report/hotspots.h"
#include "report/options.h"

enum { FORMAT_MEMTRACE = REPORT_MARKDOWN + 1 };

struct options {
    struct question report;
    struct hotspots_options analysis;
    int format; /* of enum report_format, or FORMAT_MEMTRACE */
    bool by_given;
    bool format_given, shape_given; /* shape: what memtrace's format leaves no choice of */
    long top, callers;              /* -1: as the format is */
    bool all_callers;
};

enum {
    OPTION_BY = 1000,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_ALL_CALLERS,
    TOP_TEXT = 10,
    CALLERS_TEXT = 5,
};

static const struct argp_option option_table[] = {
    {"by", OPTION_BY, "WHAT", 0,
     "Rank by bytes (the default), samples or objects. Bytes and samples give the same order", 0},
    {"granularity", 'g', "UNIT", 0,
     "What a site is: a line (of a function), a function (the default) or a file", 0},
    {"top", 'n', "N", 0, "Show N sites (10; all of them with --json and --csv); 0 for all", 0},
    {"callers", 'c', "N", 0, "Show N callers of each site (5; none with --csv)", 0},
    {"all-callers", OPTION_ALL_CALLERS, NULL, 0,
     "Show callers even if they say little of the site: by default one is left out, such as main, "
     "when less than 10 % of what comes through it comes here, or hardly more than the site's "
     "share of everything",
     0},
    {"format", 'f', "FORMAT", 0,
     "text (the default), json, csv, markdown, or memtrace: the report of memtrace's hotspots, with "
     "exact callers",
     0},
    {"json", OPTION_JSON, NULL, 0, "The same as --format=json", 0},
    {"csv", OPTION_CSV, NULL, 0, "The same as --format=csv", 0},
    {"markdown", OPTION_MARKDOWN, NULL, 0, "The same as --format=markdown", 0},
    {0},
};

/* The place of `text` in a list that ends with NULL; an error if it isn't there. */
static int choose(const char *text, const char *const *list, const char *option,
                  struct argp_state *state)
{
    for (int i = 0; list[i]; i++)
        if (option_is_word(text, list[i]))
            return i;
    char known[128] = "";
    for (int i = 0; list[i]; i++) {
        strcat(known, i == 0 ? "" : list[i + 1] ? ", " : " or ");
        strcat(known, list[i]);
    }
    argp_error(state, "--%s takes %s, not '%s'", option, known, text);
    return 0;
}

static void set_format(struct options *options, int format, struct argp_state *state)
{
    if (options->format_given && options->format != format)
        argp_error(state, "one format at a time");
    options->format = format;
    options->format_given = true;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const weights[] = {"bytes", "samples", "objects", NULL};
    static const char *const grains[] = {"file", "function", "line", NULL};
    static const char *const formats[] = {"text", "json", "csv", "markdown", "memtrace", NULL};
    struct options *options = state->input;
    options->shape_given |=
        key == OPTION_BY || key == 'g' || key == 'n' || key == 'c' || key == OPTION_ALL_CALLERS;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->report;
        return 0;
    case OPTION_BY:
        options->analysis.weight = (enum stack_weight)choose(argument, weights, "by", state);
        options->by_given = true;
        return 0;
    case 'g':
        options->analysis.grain =
            (enum symbol_grain)(GRAIN_FILE + choose(argument, grains, "granularity", state));
        return 0;
    case 'n':
        options->top = report_count(argument, "top", state);
        return 0;
    case 'c':
        options->callers = report_count(argument, "callers", state);
        return 0;
    case OPTION_ALL_CALLERS:
        options->all_callers = true;
        return 0;
    case 'f':
        set_format(options, choose(argument, formats, "format", state), state);
        return 0;
    case OPTION_JSON:
        set_format(options, REPORT_JSON, state);
        return 0;
    case OPTION_CSV:
        set_format(options, REPORT_CSV, state);
        return 0;
    case OPTION_MARKDOWN:
        set_format(options, REPORT_MARKDOWN, state);
        return 0;
    case ARGP_KEY_END:
        if (options->format == FORMAT_MEMTRACE && options->shape_given)
            argp_error(state, "--format=memtrace leaves no choice of ranking, granularity, sites "
                              "and callers");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_sample_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Tells which places allocate most in TRACE, or weigh most in a pprof profile, and through "
    "which "
    "callers.\v"
    "A site is where the innermost function of a stack allocates, inlined or not. A caller counts "
    "once a stack, however often it recurs, with all that the stack allocates; a caller's SHARE is "
    "of its site. Bytes and objects are estimates from the samples; at rate 1 they are exact.",
    children,
    0,
    0};

static int print_memtrace(const struct selected_input *input)
{
    struct memtrace_hotspots hotspots;
    int status = input->trace.exit_status;
    if (!memtrace_hotspots_init(&hotspots, &input->profile, &input->frames)) {
        cli_fail_memory(&status);
        return status;
    }
    memtrace_hotspots_print(&hotspots, input->info, stdout);
    memtrace_hotspots_release(&hotspots);
    return status;
}

static bool put_hotspots(struct answer *answer, const struct options *options,
                         const struct selected_input *input)
{
    struct hotspots hotspots;
    bool is_read = answer_is_read(answer), is_csv = options->format == REPORT_CSV;
    if (!hotspots_init(&hotspots, &input->profile, &input->frames, &options->analysis))
        return false;
    long top = options->top >= 0 ? options->top : is_read ? TOP_TEXT : 0;
    long callers = options->callers >= 0 ? options->callers : is_csv ? 0 : CALLERS_TEXT;
    struct hotspots_question question = {
        .how = &options->analysis,
        .estimate = &input->profile.estimate,
        .info = input->info,
        .trace = trace_input_name(&input->trace),
        .sample = input->quantity,
        .filter = input->has_report ? input->report.filter.text : "",
        .top = top > 0 ? (size_t)top : SIZE_MAX,
        .callers = (size_t)callers,
        .all_callers = options->all_callers,
        .is_whole = trace_input_is_whole(&input->trace),
        .hides_allocators = input->hides_allocators,
    };
    bool done = hotspots_put(answer, &hotspots, &question);
    hotspots_release(&hotspots);
    return done;
}

static int print_answer(const struct options *options, const struct selected_input *input)
{
    int status = input->trace.exit_status;
    struct answer *answer = answer_output_open((enum report_format)options->format, &status);
    return answer ? answer_output_close(answer, put_hotspots(answer, options, input), status)
                  : status;
}

/* What options ask for that a pprof profile doesn't have; NULL for nothing. */
static const char *not_in_pprof(const struct options *options)
{
    return options->by_given                    ? "--by is for traces; --sample chooses the values"
           : options->format == FORMAT_MEMTRACE ? "--format=memtrace is for traces"
                                                : NULL;
}

static int report(struct options *options, const struct selected_input *input)
{
    const char *problem = input->is_values ? not_in_pprof(options) : NULL;
    if (problem) {
        cli_warn("%s: this is a pprof profile: %s", trace_input_subject(&input->trace), problem);
        return CLI_USAGE;
    }
    if (input->is_values || !options->by_given)
        options->analysis.weight = input->weight;
    return options->format == FORMAT_MEMTRACE ? print_memtrace(input)
                                              : print_answer(options, input);
}

int cmd_hotspots(int argc, char **argv)
{
    struct options options = {.report = question_many(),
                              .analysis = {GRAIN_FUNCTION, WEIGHT_BYTES},
                              .top = -1,
                              .callers = -1};
    struct selected_input input;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    options.report.by_site = options.format != FORMAT_MEMTRACE;
    if (selected_input_open(&input, &options.report, &status)) {
        status = report(&options, &input);
        selected_input_close(&input);
    }
    question_release(&options.report);
    return status;
}
