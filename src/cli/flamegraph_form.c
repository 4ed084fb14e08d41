/* The call tree of flamegraph: folded stacks, a picture, a table. */
#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "report/tree/call_walk.h"
#include "base/units.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/written_form.h"
#include "report/tree/flamegraph_svg.h"
#include "format/export/folded.h"
#include "report/tree/flamegraph.h"

static const double svg_min_share = 0.0005;

static const struct flamegraph_question *own(const struct report *report)
{
    return (const struct flamegraph_question *)report->options->own;
}

static double min_share_of(const struct report *report, double usual)
{
    return own(report)->min_share_given ? own(report)->min_share : usual;
}

static enum stack_weight weight_of(const struct report *report)
{
    return own(report)->weight_given ? own(report)->weight : report->weight;
}

/* ---- Forms --------------------------------------------------------------------------- */

static bool is_of_values(const struct report *report)
{
    return report->weight == WEIGHT_VALUE;
}

static bool is_memtrace(const struct report *report)
{
    return report->options->format == REPORT_MEMTRACE;
}

static bool print_folded(const struct report *report, struct call_walk *walk, FILE *file)
{
    struct folded_options folded = {
        .weight = is_memtrace(report) ? WEIGHT_SAMPLES : weight_of(report),
        .min_share = min_share_of(report, 0),
        .keeps_semicolons = is_memtrace(report),
        .skip_short = is_memtrace(report),
        .with_positions = own(report)->has_lines,
    };
    return folded_print(walk, &report->selection.profile.estimate, &folded, file);
}

static void describe_width(const struct report *report, const struct call_walk *walk, char *text,
                           size_t size)
{
    const struct estimate *estimate = &report->selection.profile.estimate;
    static const char *const weights[] = {"bytes", "samples", "objects"};
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    const struct stack_tally *total = &walk->all;
    const char *order = own(report)->is_reverse ? ", callers below callees" : "";
    if (is_of_values(report)) {
        snprintf(text, size, "%s; width: %s%s",
                 units_value(bytes, total->value, walk->measure.unit), walk->measure.type, order);
        return;
    }
    units_bytes(bytes, stack_tally_bytes(total, estimate));
    units_count(objects, stack_tally_objects(total, estimate));
    const char *filter = report->filter.text;
    snprintf(text, size, "%s in %s objects%s; width: %s%s%s%.100s", bytes, objects,
             report->input.status == CLI_DONE ? "" : " before the trace was cut",
             weights[weight_of(report)], order, *filter ? "; filter: " : "", filter);
}

/* What the picture of a trace shows. */
static const char *what_of(const struct report *report)
{
    return begins_with(report->sample, "inuse")       ? "Live memory of"
           : begins_with(report->sample, "promoted")  ? "Promotions of"
           : begins_with(report->sample, "collected") ? "Collected blocks of"
                                                      : "Allocations of";
}

static bool print_svg(const struct report *report, struct call_walk *walk, FILE *file)
{
    char subtitle[256], title[512];
    describe_width(report, walk, subtitle, sizeof subtitle);
    snprintf(title, sizeof title, "%s %s",
             is_of_values(report) ? report->selection.profile.measure.type : what_of(report),
             report->input.name);
    struct flamegraph_svg_options svg = {
        .weight = weight_of(report),
        .colour = own(report)->by_function ? COLOUR_BY_FUNCTION : COLOUR_BY_FILE,
        .min_share = min_share_of(report, svg_min_share),
        .title = own(report)->title ? own(report)->title : title,
        .subtitle = subtitle,
    };
    return flamegraph_svg_print(walk, &report->selection.profile.estimate, &svg, file);
}

static bool print_nodes(const struct report *report, struct call_walk *walk, FILE *file)
{
    struct flamegraph nodes = {
        .trace = report->input.name,
        .is_complete = report->input.is_whole,
        .walk = walk,
        .estimate = &report->selection.profile.estimate,
        .weight = weight_of(report),
        .min_share = min_share_of(report, 0),
    };
    struct answer *answer = answer_output_on(file, report->options->format);
    bool done = answer && flamegraph_put(answer, &nodes);
    return answer && answer_close(answer) && done;
}

static void tell_depth(const struct call_walk *walk, const struct report *report,
                       uint32_t max_depth)
{
    if (walk->cut_events > 0)
        cli_warn("%s: note: %llu of %llu %s have stacks deeper than %u frames, shown as "
                 "<deeper>; see --max-depth",
                 report->input.subject, (unsigned long long)walk->cut_events,
                 (unsigned long long)walk->all.events,
                 is_of_values(report) ? "samples" : "sampled blocks", max_depth);
}

static struct branch_options tree_of(const struct report *report)
{
    const struct flamegraph_question *want = own(report);
    if (is_memtrace(report))
        return (struct branch_options){
            .grain = GRAIN_NAME, .merge_recursion = true, .skip_unknown = true};
    return (struct branch_options){.grain = want->has_lines ? GRAIN_LINE : GRAIN_FUNCTION,
                                   .outward = want->is_reverse,
                                   .merge_recursion = want->merges_recursion,
                                   .max_depth = (uint32_t)want->max_depth};
}

/* Prints a tree of the report in one of the forms.  False when there is no memory. */
typedef bool print_tree(const struct report *report, struct call_walk *walk, FILE *file);

static bool write_tree(const struct report *report, FILE *file, print_tree *print)
{
    struct call_walk walk;
    const struct branch_options how = tree_of(report);
    if (!call_walk_init(&walk, &report->selection.profile, &report->selection.frames, &how))
        return false;
    bool done = print(report, &walk, file);
    tell_depth(&walk, report, how.max_depth);
    call_walk_release(&walk);
    return done;
}

bool flamegraph_form_write_folded(const struct report *report, FILE *file)
{
    return write_tree(report, file, print_folded);
}

bool flamegraph_form_write_svg(const struct report *report, FILE *file)
{
    return write_tree(report, file, print_svg);
}

bool flamegraph_form_write_nodes(const struct report *report, FILE *file)
{
    return write_tree(report, file, print_nodes);
}
