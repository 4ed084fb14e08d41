/* heaptap flamegraph: allocation stacks, folded or as a picture. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_tree.h"
#include "base/amount.h"
#include "base/units.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_output.h"
#include "cli/selected_input.h"
#include "export/flamegraph_svg.h"
#include "export/folded.h"
#include "report/flamegraph.h"

enum format { FORMAT_BY_NAME, FORMAT_FOLDED, FORMAT_SVG, FORMAT_JSON, FORMAT_CSV, FORMAT_MEMTRACE };

struct options {
    struct question report;
    struct call_tree_options tree;
    enum format format;
    enum stack_weight weight;
    enum flamegraph_colour colour;
    const char *output; /* NULL or "-" for standard output */
    const char *title;  /* NULL for the trace's */
    double min_share;   /* NAN: as the format is */
    bool weight_given, colour_given;
    bool shape_given; /* something that memtrace's format leaves no choice of */
};

enum {
    OPTION_FOLDED = 1000,
    OPTION_SVG,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_TITLE,
    OPTION_MIN_SHARE,
    OPTION_LINES,
    OPTION_MERGE_RECURSION,
    OPTION_MAX_DEPTH,
    OPTION_COLOUR,
    MAX_DEPTH = 2000,
};

static const double svg_min_share = 0.0005;

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {"format", 'f', "FORMAT", 0,
     "folded, svg, json, csv, or memtrace: exactly what memtrace's flamegraph prints. Default: by "
     "the end of FILE's name, .svg, .json or .csv; else folded",
     0},
    {"format", 'f', "folded|svg|json|csv|memtrace", OPTION_HIDDEN, NULL, 0}, /* for completion */
    {"folded", OPTION_FOLDED, NULL, 0, "The same as --format=folded", 0},
    {"svg", OPTION_SVG, NULL, 0, "The same as --format=svg", 0},
    {"json", OPTION_JSON, NULL, 0, "The same as --format=json", 0},
    {"csv", OPTION_CSV, NULL, 0, "The same as --format=csv", 0},
    {"weight", 'w', "WHAT", 0, "What is counted: bytes (the default), samples or objects", 0},
    {"weight", 'w', "bytes|samples|objects", OPTION_HIDDEN, NULL, 0}, /* for completion */
    {"lines", OPTION_LINES, NULL, 0, "Show lines of a function separately", 0},
    {"reverse", 'r', NULL, 0, "Begin with the allocation sites, followed by their callers", 0},
    {"merge-recursion", OPTION_MERGE_RECURSION, NULL, 0,
     "Show each function once per stack, at its outermost call", 0},
    {"min-share", OPTION_MIN_SHARE, "PERCENT", 0,
     "Leave out what is less than this part of everything (0.05 for SVG, else 0)", 0},
    {"max-depth", OPTION_MAX_DEPTH, "N", 0,
     "Show what is deeper than N frames as <deeper> (2000); 0 for no limit", 0},
    {"title", OPTION_TITLE, "TEXT", 0, "Heading of the picture", 0},
    {"colour", OPTION_COLOUR, "file|function", 0,
     "Colour the picture by file (the default) or function", 0},
    {"color", OPTION_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {0},
};

/* The place of `text` in a list that ends with NULL; -1 if it isn't there. */
static int find(const char *text, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(text, list[i]) == 0)
            return i;
    return -1;
}

static void set_format(struct options *options, int format, const char *text,
                       struct argp_state *state)
{
    if (format < 0)
        argp_error(state, "--format takes folded, svg, json, csv or memtrace, not '%s'", text);
    if (options->format != FORMAT_BY_NAME && (int)options->format != format)
        argp_error(state, "one format at a time");
    options->format = (enum format)format;
}

static void set_weight(struct options *options, const char *text, struct argp_state *state)
{
    static const char *const names[] = {"bytes", "samples", "objects", NULL};
    int weight = find(text, names);
    if (weight < 0)
        argp_error(state, "--weight takes bytes, samples or objects, not '%s'", text);
    options->weight = (enum stack_weight)weight;
    options->weight_given = true;
}

static void set_min_share(struct options *options, const char *text, struct argp_state *state)
{
    const char *rest;
    double percent;
    bool is_number = amount_number(text, &percent, &rest);
    if (!is_number || (*rest && strcmp(rest, "%") != 0) || percent > 100)
        argp_error(state, "--min-share takes a percentage from 0 to 100, not '%s'", text);
    options->min_share = percent / 100;
}

static void set_max_depth(struct options *options, const char *text, struct argp_state *state)
{
    uint64_t depth;
    if (!cli_parse_whole(text, 0, UINT32_MAX, &depth))
        argp_error(state, "--max-depth takes a whole number, not '%s'", text);
    options->tree.max_depth = (uint32_t)depth;
}

static void set_colour(struct options *options, const char *text, struct argp_state *state)
{
    static const char *const names[] = {"file", "function", NULL};
    int colour = find(text, names);
    if (colour < 0)
        argp_error(state, "--colour takes file or function, not '%s'", text);
    options->colour = (enum flamegraph_colour)colour;
    options->colour_given = true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void finish(struct options *options, struct argp_state *state)
{
    if (options->format == FORMAT_MEMTRACE && options->shape_given)
        argp_error(state, "--format=memtrace leaves no choice of weight, order and names");
    const char *name = options->output ? options->output : "";
    if (options->format == FORMAT_BY_NAME)
        options->format = ends_with(name, ".svg")    ? FORMAT_SVG
                          : ends_with(name, ".json") ? FORMAT_JSON
                          : ends_with(name, ".csv")  ? FORMAT_CSV
                                                     : FORMAT_FOLDED;
    if (options->format != FORMAT_SVG && (options->title || options->colour_given))
        argp_error(state, "--title and --colour are for pictures: --svg draws one");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const formats[] = {"", "folded", "svg", "json", "csv", "memtrace", NULL};
    struct options *options = state->input;
    options->shape_given |= key == 'w' || key == 'r' || key == OPTION_LINES ||
                            key == OPTION_MERGE_RECURSION || key == OPTION_MAX_DEPTH ||
                            key == OPTION_MIN_SHARE;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->report;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'f':
        set_format(options, *argument ? find(argument, formats) : -1, argument, state);
        return 0;
    case OPTION_FOLDED:
    case OPTION_SVG:
    case OPTION_JSON:
    case OPTION_CSV:
        set_format(options, FORMAT_FOLDED + key - OPTION_FOLDED, NULL, state);
        return 0;
    case 'w':
        set_weight(options, argument, state);
        return 0;
    case OPTION_LINES:
        options->tree.grain = GRAIN_LINE;
        return 0;
    case 'r':
        options->tree.reverse = true;
        return 0;
    case OPTION_MERGE_RECURSION:
        options->tree.merge_recursion = true;
        return 0;
    case OPTION_MIN_SHARE:
        set_min_share(options, argument, state);
        return 0;
    case OPTION_MAX_DEPTH:
        set_max_depth(options, argument, state);
        return 0;
    case OPTION_TITLE:
        options->title = argument;
        return 0;
    case OPTION_COLOUR:
        set_colour(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_filter_argp, 0, NULL, 0}, {&report_sample_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Writes the stacks of TRACE folded (one per line, for flame graph tools), or draws a flame "
    "graph as one SVG file, which you can zoom and search in a browser.\v"
    "Stacks are whole, inlined functions included. Bytes and objects are estimates from the "
    "samples; at rate 1 they are exact. In the picture, callers are above their callees; / "
    "searches, Esc goes back.",
    children,
    0,
    0};

/* ---- Output -------------------------------------------------------------------------- */

static bool print_folded(const struct options *options, const struct call_tree *tree,
                         const struct estimate *estimate, FILE *file)
{
    bool is_memtrace = options->format == FORMAT_MEMTRACE;
    struct folded_options folded = {
        .weight = is_memtrace ? WEIGHT_SAMPLES : options->weight,
        .min_share = isnan(options->min_share) ? 0 : options->min_share,
        .keeps_semicolons = is_memtrace,
        .skip_short = is_memtrace,
        .with_positions = options->tree.grain == GRAIN_LINE,
    };
    return folded_print(tree, estimate, &folded, file);
}

static void describe_width(const struct options *options, const struct selected_input *input,
                           const struct call_tree *tree, const struct estimate *estimate,
                           char *text, size_t size)
{
    static const char *const weights[] = {"bytes", "samples", "objects"};
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    const struct stack_tally *total = &tree->total[STACK_ROOT];
    const char *order = options->tree.reverse ? ", callers below callees" : "";
    if (input->is_values) {
        snprintf(text, size, "%s; width: %s%s",
                 units_value(bytes, total->value, tree->measure.unit), tree->measure.type, order);
        return;
    }
    units_bytes(bytes, stack_tally_bytes(total, estimate));
    units_count(objects, stack_tally_objects(total, estimate));
    const char *filter = input->has_report ? input->report.filter.text : "";
    snprintf(text, size, "%s in %s objects%s; width: %s%s%s%.100s", bytes, objects,
             input->trace.exit_status == CLI_DONE ? "" : " before the trace was cut",
             weights[options->weight], order, *filter ? "; filter: " : "", filter);
}

/* What the picture of a trace shows. */
static const char *what_of(const struct selected_input *input)
{
    return strncmp(input->quantity, "inuse", 5) == 0       ? "Live memory of"
           : strncmp(input->quantity, "promoted", 8) == 0  ? "Promotions of"
           : strncmp(input->quantity, "collected", 9) == 0 ? "Collected blocks of"
                                                           : "Allocations of";
}

static bool print_svg(const struct options *options, const struct selected_input *input,
                      const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    char subtitle[256], title[512];
    describe_width(options, input, tree, estimate, subtitle, sizeof subtitle);
    snprintf(title, sizeof title, "%s %s",
             input->is_values ? input->profile.measure.type : what_of(input),
             trace_input_name(&input->trace));
    struct flamegraph_svg_options svg = {
        .weight = options->weight,
        .colour = options->colour,
        .min_share = isnan(options->min_share) ? svg_min_share : options->min_share,
        .title = options->title ? options->title : title,
        .subtitle = subtitle,
    };
    return flamegraph_svg_print(tree, estimate, &svg, file);
}

static bool print_nodes(const struct options *options, const struct selected_input *input,
                        const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    struct flamegraph nodes = {
        .trace = trace_input_name(&input->trace),
        .is_complete = input->trace.exit_status == CLI_DONE,
        .tree = tree,
        .estimate = estimate,
        .weight = options->weight,
        .min_share = isnan(options->min_share) ? 0 : options->min_share,
    };
    struct answer *answer =
        answer_output_on(file, options->format == FORMAT_CSV ? REPORT_CSV : REPORT_JSON);
    bool done = answer && flamegraph_put(answer, &nodes);
    return answer && answer_close(answer) && done;
}

static bool print(const struct options *options, const struct selected_input *input,
                  const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    switch (options->format) {
    case FORMAT_SVG:
        return print_svg(options, input, tree, estimate, file);
    case FORMAT_JSON:
    case FORMAT_CSV:
        return print_nodes(options, input, tree, estimate, file);
    default:
        return print_folded(options, tree, estimate, file);
    }
}

struct picture {
    const struct options *options;
    const struct selected_input *input;
    const struct call_tree *tree;
    const struct estimate *estimate;
};

static bool print_picture(void *context, FILE *file)
{
    const struct picture *picture = context;
    return print(picture->options, picture->input, picture->tree, picture->estimate, file);
}

static void tell_depth(const struct options *options, const struct call_tree *tree,
                       const struct selected_input *input)
{
    if (tree->cut_events > 0)
        cli_warn("%s: note: %llu of %llu %s have stacks deeper than %u frames, shown as "
                 "<deeper>; see --max-depth",
                 trace_input_subject(&input->trace), (unsigned long long)tree->cut_events,
                 (unsigned long long)tree->total[STACK_ROOT].events,
                 input->is_values ? "samples" : "sampled blocks", options->tree.max_depth);
}

static bool has_negative_values(const struct stack_profile *profile)
{
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        if (profile->tallies[i].value < 0)
            return true;
    return false;
}

/* Makes the options fit for a pprof profile; false with a message. */
static bool adapt_to_pprof(struct options *options, const struct selected_input *input)
{
    const char *problem =
        options->weight_given                ? "--weight is for traces; --sample chooses the values"
        : options->format == FORMAT_MEMTRACE ? "--format=memtrace is for traces"
        : has_negative_values(&input->profile)
            ? "some of its values are negative, as differences are: they have no width"
            : NULL;
    options->weight = WEIGHT_VALUE;
    if (problem)
        cli_warn("%s: this is a pprof profile: %s", trace_input_subject(&input->trace), problem);
    return !problem;
}

static int report(struct options *options, const struct selected_input *input)
{
    struct call_tree tree;
    const struct stack_profile *profile = &input->profile;
    if (input->is_values && !adapt_to_pprof(options, input))
        return CLI_USAGE;
    if (!options->weight_given)
        options->weight = input->weight;
    if (options->format == FORMAT_MEMTRACE)
        options->tree = (struct call_tree_options){
            .grain = GRAIN_NAME, .merge_recursion = true, .skip_unknown = true};
    if (!call_tree_init_walked(&tree, profile, &input->frames, &options->tree)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    struct picture picture = {options, input, &tree, &profile->estimate};
    int status = report_output_write(options->output, print_picture, &picture);
    tell_depth(options, &tree, input);
    call_tree_release(&tree);
    return status != CLI_DONE ? status : input->trace.exit_status;
}

int cmd_flamegraph(int argc, char **argv)
{
    struct options options = {.report = question_many(),
                              .tree = {.grain = GRAIN_FUNCTION, .max_depth = MAX_DEPTH},
                              .min_share = NAN};
    struct selected_input input;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (selected_input_open(&input, &options.report, &status)) {
        status = report(&options, &input);
        selected_input_close(&input);
    }
    question_release(&options.report);
    return status;
}
