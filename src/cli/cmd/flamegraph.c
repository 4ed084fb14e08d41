/* heaptap flamegraph: allocation stacks, folded or as a picture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_tree.h"
#include "base/units.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_options.h"
#include "cli/report_output.h"
#include "export/flamegraph_svg.h"
#include "export/folded.h"
#include "report/flamegraph.h"

enum format { FORMAT_BY_NAME, FORMAT_FOLDED, FORMAT_SVG, FORMAT_JSON, FORMAT_CSV, FORMAT_MEMTRACE };

/* What is made of it, besides the question. */
struct options {
    struct question question;
    enum format format;
    enum stack_weight weight;
    enum flamegraph_colour colour;
    bool colour_given;
    const char *output; /* NULL or "-" for standard output */
    const char *title;  /* NULL for the trace's */
};

enum {
    OPTION_FOLDED = 1000,
    OPTION_SVG,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_TITLE,
    OPTION_COLOUR,
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
    {"title", OPTION_TITLE, "TEXT", 0, "Heading of the picture", 0},
    {"colour", OPTION_COLOUR, "file|function", 0,
     "Colour the picture by file (the default) or function", 0},
    {"color", OPTION_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {0},
};

static const struct flamegraph_question *own(const struct options *options)
{
    return (const struct flamegraph_question *)options->question.own;
}

static double min_share_of(const struct options *options, double usual)
{
    return own(options)->min_share_given ? own(options)->min_share : usual;
}

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

static void set_colour(struct options *options, const char *text, struct argp_state *state)
{
    static const char *const names[] = {"file", "function", NULL};
    int colour = find(text, names);
    if (colour < 0)
        argp_error(state, "--colour takes file or function, not '%s'", text);
    options->colour = (enum flamegraph_colour)colour;
    options->colour_given = true;
}

static enum format format_by_name(const char *output)
{
    return report_output_ends_with(output, ".svg")    ? FORMAT_SVG
           : report_output_ends_with(output, ".json") ? FORMAT_JSON
           : report_output_ends_with(output, ".csv")  ? FORMAT_CSV
                                                      : FORMAT_FOLDED;
}

/* Has it something that memtrace's format leaves no choice of? */
static bool is_shaped(const struct flamegraph_question *own)
{
    return own->weight_given || own->has_lines || own->is_reverse || own->merges_recursion ||
           own->min_share_given || own->max_depth_given;
}

static void finish(struct options *options, struct argp_state *state)
{
    if (options->format == FORMAT_MEMTRACE && is_shaped(own(options)))
        argp_error(state, "--format=memtrace takes no options for weight, order and names");
    if (options->format == FORMAT_BY_NAME)
        options->format = format_by_name(options->output);
    if (options->format != FORMAT_SVG && (options->title || options->colour_given))
        argp_error(state, "--title and --colour are for pictures: --svg draws one");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const formats[] = {"", "folded", "svg", "json", "csv", "memtrace", NULL};
    struct options *options = state->input;
    switch (key) {
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

static const struct argp picture_argp = {option_table, parse, 0, 0, 0, 0, 0};

/* ---- Output -------------------------------------------------------------------------- */

static bool is_of_values(const struct report *report)
{
    return report->weight == WEIGHT_VALUE;
}

static bool print_folded(const struct options *options, const struct call_tree *tree,
                         const struct estimate *estimate, FILE *file)
{
    bool is_memtrace = options->format == FORMAT_MEMTRACE;
    struct folded_options folded = {
        .weight = is_memtrace ? WEIGHT_SAMPLES : options->weight,
        .min_share = min_share_of(options, 0),
        .keeps_semicolons = is_memtrace,
        .skip_short = is_memtrace,
        .with_positions = own(options)->has_lines,
    };
    return folded_print(tree, estimate, &folded, file);
}

static void describe_width(const struct options *options, const struct report *report,
                           const struct call_tree *tree, const struct estimate *estimate,
                           char *text, size_t size)
{
    static const char *const weights[] = {"bytes", "samples", "objects"};
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    const struct stack_tally *total = &tree->total[STACK_ROOT];
    const char *order = own(options)->is_reverse ? ", callers below callees" : "";
    if (is_of_values(report)) {
        snprintf(text, size, "%s; width: %s%s",
                 units_value(bytes, total->value, tree->measure.unit), tree->measure.type, order);
        return;
    }
    units_bytes(bytes, stack_tally_bytes(total, estimate));
    units_count(objects, stack_tally_objects(total, estimate));
    const char *filter = report->filter.text;
    snprintf(text, size, "%s in %s objects%s; width: %s%s%s%.100s", bytes, objects,
             report->input.status == CLI_DONE ? "" : " before the trace was cut",
             weights[options->weight], order, *filter ? "; filter: " : "", filter);
}

/* What the picture of a trace shows. */
static const char *what_of(const struct report *report)
{
    return strncmp(report->sample, "inuse", 5) == 0       ? "Live memory of"
           : strncmp(report->sample, "promoted", 8) == 0  ? "Promotions of"
           : strncmp(report->sample, "collected", 9) == 0 ? "Collected blocks of"
                                                          : "Allocations of";
}

static bool print_svg(const struct options *options, const struct report *report,
                      const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    char subtitle[256], title[512];
    describe_width(options, report, tree, estimate, subtitle, sizeof subtitle);
    snprintf(title, sizeof title, "%s %s",
             is_of_values(report) ? report->selection.profile.measure.type : what_of(report),
             report->input.name);
    struct flamegraph_svg_options svg = {
        .weight = options->weight,
        .colour = options->colour,
        .min_share = min_share_of(options, svg_min_share),
        .title = options->title ? options->title : title,
        .subtitle = subtitle,
    };
    return flamegraph_svg_print(tree, estimate, &svg, file);
}

static bool print_nodes(const struct options *options, const struct report *report,
                        const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    struct flamegraph nodes = {
        .trace = report->input.name,
        .is_complete = report->input.is_whole,
        .tree = tree,
        .estimate = estimate,
        .weight = options->weight,
        .min_share = min_share_of(options, 0),
    };
    struct answer *answer =
        answer_output_on(file, options->format == FORMAT_CSV ? REPORT_CSV : REPORT_JSON);
    bool done = answer && flamegraph_put(answer, &nodes);
    return answer && answer_close(answer) && done;
}

static bool print(const struct options *options, const struct report *report,
                  const struct call_tree *tree, const struct estimate *estimate, FILE *file)
{
    switch (options->format) {
    case FORMAT_SVG:
        return print_svg(options, report, tree, estimate, file);
    case FORMAT_JSON:
    case FORMAT_CSV:
        return print_nodes(options, report, tree, estimate, file);
    default:
        return print_folded(options, tree, estimate, file);
    }
}

struct picture {
    const struct options *options;
    const struct report *report;
    const struct call_tree *tree;
    const struct estimate *estimate;
};

static bool print_picture(void *context, FILE *file)
{
    const struct picture *picture = context;
    return print(picture->options, picture->report, picture->tree, picture->estimate, file);
}

static void tell_depth(const struct call_tree *tree, const struct report *report,
                       uint32_t max_depth)
{
    if (tree->cut_events > 0)
        cli_warn("%s: note: %llu of %llu %s have stacks deeper than %u frames, shown as "
                 "<deeper>; see --max-depth",
                 report->input.subject, (unsigned long long)tree->cut_events,
                 (unsigned long long)tree->total[STACK_ROOT].events,
                 is_of_values(report) ? "samples" : "sampled blocks", max_depth);
}

static bool has_negative_values(const struct stack_profile *profile)
{
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        if (profile->tallies[i].value < 0)
            return true;
    return false;
}

/* Makes the options fit for a pprof profile; false with a message. */
static bool adapt_to_pprof(struct options *options, const struct report *report)
{
    const char *problem =
        own(options)->weight_given           ? "--weight is for traces; --sample chooses the values"
        : options->format == FORMAT_MEMTRACE ? "--format=memtrace is for traces"
        : has_negative_values(&report->selection.profile)
            ? "some of its values are negative, as in a difference: a flame graph can't show them"
            : NULL;
    options->weight = WEIGHT_VALUE;
    if (problem)
        cli_warn("%s: this is a pprof profile: %s", report->input.subject, problem);
    return !problem;
}

static struct call_tree_options tree_of(const struct options *options)
{
    const struct flamegraph_question *want = own(options);
    if (options->format == FORMAT_MEMTRACE)
        return (struct call_tree_options){
            .grain = GRAIN_NAME, .merge_recursion = true, .skip_unknown = true};
    return (struct call_tree_options){.grain = want->has_lines ? GRAIN_LINE : GRAIN_FUNCTION,
                                      .reverse = want->is_reverse,
                                      .merge_recursion = want->merges_recursion,
                                      .max_depth = (uint32_t)want->max_depth};
}

static int draw(struct options *options, const struct report *report)
{
    struct call_tree tree;
    const struct stack_profile *profile = &report->selection.profile;
    const struct call_tree_options how = tree_of(options);
    if (is_of_values(report) && !adapt_to_pprof(options, report))
        return CLI_USAGE;
    if (!call_tree_init_walked(&tree, profile, &report->selection.frames, &how))
        return cli_out_of_memory();
    struct picture picture = {options, report, &tree, &profile->estimate};
    int status = report_output_write(options->output, print_picture, &picture);
    tell_depth(&tree, report, how.max_depth);
    call_tree_release(&tree);
    return status != CLI_DONE ? status : report->input.status;
}

int cmd_flamegraph(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("flamegraph");
    struct options options = {.question = question_of(entry)};
    struct report report;
    int status = CLI_DONE;
    cli_parse(report_entry_argp(entry, &picture_argp, &options), argc, argv, 0, &options.question);
    if (report_open(&report, &options.question, &status)) {
        options.weight = own(&options)->weight_given ? own(&options)->weight : report.weight;
        status =
            selection_compact(&report.selection) ? draw(&options, &report) : cli_out_of_memory();
        report_close(&report);
    }
    question_release(&options.question);
    return status;
}
