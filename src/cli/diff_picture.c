#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/calls/call_graph.h"
#include "report/tree/call_walk.h"
#include "report/calls/graph_prune.h"
#include "base/measure.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/diff_picture.h"
#include "cli/dot_program.h"
#include "cli/report_output.h"
#include "answer/short_name.h"
#include "report/tree/flamegraph_svg.h"
#include "report/calls/graph_dot.h"

enum { NODES = 80, DEEPEST = 2000 };

struct drawing {
    const struct diffing *comparison;
    const struct call_graph *graph;
};

static bool draw_graph(void *context, FILE *file)
{
    const struct drawing *drawing = context;
    const struct diffing *comparison = drawing->comparison;
    const struct call_graph *graph = drawing->graph;
    char line[2][512], base[MEASURE_TEXT_BYTES], shown_text[MEASURE_TEXT_BYTES];
    char percent[MEASURE_TEXT_BYTES];
    const char *legend[] = {line[0], line[1]}, *unit = comparison->diff.unit;
    double least = 0, sum = 0, total = comparison->diff.table.base_total;
    for (size_t i = 0; i < graph->count; i++) {
        double value = fabs(graph->nodes[i].flat);
        value = value > 0 ? value : fabs(graph->nodes[i].cum);
        least = value > 0 && (least == 0 || value < least) ? value : least;
        sum += graph->nodes[i].flat;
    }
    const char *print_unit = graph->count > 0 ? measure_table_unit(least, total, unit) : "minimum";
    snprintf(line[0], sizeof line[0], "%s to %s: %s", comparison->base.input.name,
             comparison->other.input.name, comparison->diff.sample);
    measure_percent(percent, sum, total);
    snprintf(line[1], sizeof line[1], "Showing nodes accounting for %s, %s of %s total",
             measure_text(shown_text, sum, unit, print_unit), percent + strspn(percent, " "),
             measure_text(base, total, unit, print_unit));
    struct graph_dot_options how = {
        .title = line[0],
        .legend = legend,
        .legend_count = 2,
        .total = total,
        .unit = unit,
        .print_unit = print_unit,
        .shorten = short_name,
    };
    return graph_dot_print(graph, &how, file);
}

int diff_draw_graph(const struct diffing *comparison)
{
    const struct question *want = &comparison->command->question;
    const char *output = comparison->command->output;
    const char *kind = report_output_ends_with(output, ".svg")   ? "svg"
                       : report_output_ends_with(output, ".png") ? "png"
                                                                 : NULL;
    struct call_graph graph;
    struct call_graph_options how = {
        .grain = want->grain,
        .no_inlines = want->no_inlines,
        .weight = WEIGHT_VALUE,
        .order = want->by_cum ? ORDER_CUM : ORDER_ENTROPY,
        .node_count = want->node_count >= 0 ? (size_t)want->node_count : NODES,
        .node_fraction = want->node_fraction,
        .edge_fraction = want->edge_fraction,
    };
    if (!call_graph_init(&graph, &comparison->change.profile, &comparison->change.frames, &how)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    struct drawing drawing = {comparison, &graph};
    int status = CLI_FAILED;
    if (graph_prune(&graph))
        status = dot_program_write(output, kind, draw_graph, &drawing);
    else
        cli_warn("out of memory");
    call_graph_release(&graph);
    return status;
}

static bool draw_flames(void *context, FILE *file)
{
    const struct diffing *comparison = ((const struct drawing *)context)->comparison;
    const struct question *want = &comparison->command->question;
    const double least = want->node_fraction_given ? want->node_fraction : 0.0005;
    struct stack_profile widths;
    struct call_walk walk;
    struct frame_source source = model_frames(comparison->diff.model);
    struct branch_options how = {.grain = want->grain == GRAIN_NAME ? GRAIN_FUNCTION : want->grain,
                                 .max_depth = DEEPEST};
    char title[512], about[256], base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES];
    source.no_inlines = want->no_inlines;
    if (!difference_widths(&widths, comparison->diff.model))
        return false;
    bool done = call_walk_init(&walk, &widths, &source, &how);
    snprintf(title, sizeof title, "%s to %s", comparison->base.input.name,
             comparison->other.input.name);
    snprintf(about, sizeof about,
             "%s: %s to %s; width: the larger of both, stack by stack; red: more, green: less",
             comparison->diff.sample,
             units_value(base, comparison->diff.table.base_total, comparison->diff.unit),
             units_value(other, comparison->diff.table.new_total, comparison->diff.unit));
    struct flamegraph_svg_options svg = {
        .weight = WEIGHT_VALUE,
        .colour = COLOUR_BY_CHANGE,
        .min_share = least,
        .title = title,
        .subtitle = about,
    };
    if (done) {
        done = flamegraph_svg_print(&walk, &widths.estimate, &svg, file);
        call_walk_release(&walk);
    }
    stack_profile_release(&widths);
    return done;
}

int diff_draw_flames(const struct diffing *comparison)
{
    struct drawing drawing = {comparison, NULL};
    return report_output_write(comparison->command->output, draw_flames, &drawing);
}
