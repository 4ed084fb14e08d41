/* heaptap diff: what changed between two traces or profiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "analyze/call_tree.h"
#include "analyze/difference.h"
#include "analyze/graph_prune.h"
#include "base/measure.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/dot_program.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "cli/table.h"
#include "export/csv.h"
#include "export/flamegraph_svg.h"
#include "export/graph_dot.h"

enum picture { NO_PICTURE, PICTURE_GRAPH, PICTURE_FLAMES };

struct options {
    struct report_options report; /* its path is the base's */
    const char *other;            /* the new one */
    const char *output;
    enum picture picture;
    bool normalize;
};

enum {
    OPTION_NORMALIZE = 1000,
    OPTION_GRAPH,
    OPTION_FLAMEGRAPH,
    ROWS_SHOWN = 40,
    NODES = 80,
    DEEPEST = 2000,
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write a picture to FILE; - for standard output, the default", 0},
    {"normalize", OPTION_NORMALIZE, NULL, 0,
     "Scale NEW so that both have the same total: shares are compared, not amounts", 0},
    {"graph", OPTION_GRAPH, NULL, 0,
     "Draw the calls as `heaptap graph` does, red for more and green for less: text for Graphviz, "
     "or "
     "a picture where FILE ends with .svg or .png",
     0},
    {"flamegraph", OPTION_FLAMEGRAPH, NULL, 0,
     "Draw a flame graph as SVG, as wide as the larger of both, red for more and green for less",
     0},
    {0},
};

static error_t take_argument(struct options *options, const char *argument)
{
    if (!options->report.path)
        options->report.path = argument;
    else if (!options->other)
        options->other = argument;
    else
        return ARGP_ERR_UNKNOWN; /* a clause: the child's */
    return 0;
}

static void set_picture(struct options *options, enum picture picture, struct argp_state *state)
{
    if (options->picture != NO_PICTURE && options->picture != picture)
        argp_error(state, "one picture at a time");
    options->picture = picture;
}

static void finish(const struct options *options, struct argp_state *state)
{
    if (!options->report.path || !options->other)
        argp_error(state, "which two? Name the base, then the new one");
    if (options->picture != NO_PICTURE && options->report.format != REPORT_TEXT)
        argp_error(state, "one format at a time");
    if (options->picture == NO_PICTURE && options->output)
        argp_error(state, "--output is for --graph and --flamegraph");
    if (options->picture == NO_PICTURE && options->report.node_fraction_given)
        argp_error(state, "--node-fraction is for --graph and --flamegraph");
    if (options->picture != PICTURE_GRAPH && options->report.edge_fraction_given)
        argp_error(state, "--edge-fraction is for --graph");
    if (options->picture == PICTURE_FLAMES &&
        (options->report.by_cum || options->report.node_count >= 0))
        argp_error(state, "a flame graph has no order and no number of functions: --cum and "
                          "--node-count are for the table and --graph");
    if (options->report.path && options->other && strcmp(options->report.path, "-") == 0 &&
        strcmp(options->other, "-") == 0)
        argp_error(state, "standard input can be one of the two, not both");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->report;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_NORMALIZE:
        options->normalize = true;
        return 0;
    case OPTION_GRAPH:
    case OPTION_FLAMEGRAPH:
        set_picture(options, key == OPTION_GRAPH ? PICTURE_GRAPH : PICTURE_FLAMES, state);
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(options, argument);
    case ARGP_KEY_END:
        finish(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0}, {&report_nodes_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "BASE NEW [CLAUSE...]",
    "Lists the functions whose own values differ most between two traces, or two pprof profiles: "
    "what was added, has gone, grown or shrunk.\v"
    "Percentages are of the total of BASE. Clauses filter both.",
    children,
    0,
    0};

/* ---- What is reported ------------------------------------------------------------------ */

struct diff {
    const struct options *options;
    struct report base, other;
    struct model *model;
    struct difference_table table;
    struct filter everything;
    struct matcher matcher;
    struct selection change; /* of the differences */
};

static double total_of(const struct report *report)
{
    return report_value(report, &report->selection.profile.total);
}

static size_t shown(const struct diff *diff)
{
    long most = diff->options->report.node_count;
    size_t count = diff->table.count;
    most = most < 0 ? ROWS_SHOWN : most;
    return most > 0 && (size_t)most < count ? (size_t)most : count;
}

static double share(const struct diff *diff, double value)
{
    return diff->table.base_total > 0 ? value / diff->table.base_total : 0;
}

/* ---- Text ------------------------------------------------------------------------------ */

static const char *signed_value(char *text, double value, const char *unit)
{
    char plain[UNITS_TEXT_BYTES];
    units_value(plain, fabs(value), unit);
    snprintf(text, UNITS_TEXT_BYTES + 2, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", plain);
    return text;
}

static void print_heading(const struct diff *diff)
{
    char base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES], change[UNITS_TEXT_BYTES + 2];
    const char *unit = diff->base.unit;
    double difference = diff->table.new_total - diff->table.base_total;
    printf("%s (%s) to %s (%s): %s of %s", trace_input_name(&diff->base.input.trace),
           units_value(base, diff->table.base_total, unit),
           trace_input_name(&diff->other.input.trace),
           units_value(other, diff->table.new_total, unit), signed_value(change, difference, unit),
           diff->base.sample);
    if (diff->table.base_total > 0)
        printf(", %+.1f %%", 100 * share(diff, difference));
    puts(diff->options->normalize ? "; scaled to the same total" : "");
    if (*diff->base.filter.text)
        printf("Filter: %s\n", diff->base.filter.text);
    if (diff->table.count > 0)
        printf("%zu of %zu%s\n\n", shown(diff), diff->table.count,
               diff->base.filter.hides_allocators ? REPORT_ALLOCATORS_HIDDEN : "");
}

static bool add_row(struct table *table, const struct diff *diff, const struct difference_row *row,
                    struct names *names)
{
    char change[UNITS_TEXT_BYTES + 2], part[32], base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES];
    char cum[UNITS_TEXT_BYTES + 2];
    const char *unit = diff->base.unit;
    const char *name = call_graph_name(names, &diff->table.symbols.items[row->symbol]);
    double flat = row->new_flat - row->base_flat;
    signed_value(change, flat, unit);
    snprintf(part, sizeof part, "%+.1f %%", 100 * share(diff, flat));
    units_value(base, row->base_flat, unit);
    units_value(other, row->new_flat, unit);
    signed_value(cum, row->new_cum - row->base_cum, unit);
    const char *texts[] = {
        change, part, base, other, cum, difference_state_name(difference_state(row)), name};
    return name && table_add(table, texts);
}

static bool print_text(const struct diff *diff)
{
    static const struct table_column columns[] = {
        {"CHANGE", .right = true},
        {"OF BASE", .right = true},
        {"BASE", .right = true},
        {"NEW", .right = true},
        {"CUM", .right = true},
        {"STATE"},
        {"FUNCTION", .may_shrink = true, .keep_end = true}};
    struct table table;
    struct names names = {0};
    print_heading(diff);
    if (diff->table.count == 0)
        return true;
    if (!table_init(&table, columns, sizeof columns / sizeof columns[0]))
        return false;
    bool done = true;
    for (size_t i = 0; done && i < shown(diff); i++)
        done = add_row(&table, diff, &diff->table.rows[i], &names);
    if (done)
        table_print(&table);
    table_release(&table);
    names_release(&names);
    return done;
}

/* ---- JSON, CSV ------------------------------------------------------------------------- */

static void put_symbol(struct json *json, const struct symbol *symbol)
{
    json_put_string(json, "function", symbol->function);
    json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
}

static bool print_json(const struct diff *diff)
{
    struct json json;
    struct names names = {0};
    json_init(&json, stdout);
    json_object(&json);
    json_put_string(&json, "base", trace_input_name(&diff->base.input.trace));
    json_put_string(&json, "new", trace_input_name(&diff->other.input.trace));
    json_put_string(&json, "sample_type", diff->base.sample);
    json_put_string(&json, "unit", diff->base.unit);
    json_put_string(&json, "filter", diff->base.filter.text);
    json_put_bool(&json, "normalized", diff->options->normalize);
    json_put_double(&json, "base_total", diff->table.base_total);
    json_put_double(&json, "new_total", diff->table.new_total);
    json_put_uint(&json, "count", diff->table.count);
    json_key(&json, "rows");
    json_array(&json);
    for (size_t i = 0; i < shown(diff); i++) {
        const struct difference_row *row = &diff->table.rows[i];
        const struct symbol *symbol = &diff->table.symbols.items[row->symbol];
        json_object(&json);
        json_put_string(&json, "name", call_graph_name(&names, symbol));
        put_symbol(&json, symbol);
        json_put_string(&json, "state", difference_state_name(difference_state(row)));
        json_put_double(&json, "base_flat", row->base_flat);
        json_put_double(&json, "new_flat", row->new_flat);
        json_put_double(&json, "base_cum", row->base_cum);
        json_put_double(&json, "new_cum", row->new_cum);
        json_put_double(&json, "flat_share", share(diff, row->new_flat - row->base_flat));
        json_put_double(&json, "cum_share", share(diff, row->new_cum - row->base_cum));
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    names_release(&names);
    return true;
}

static bool print_csv(const struct diff *diff)
{
    struct csv csv;
    struct names names = {0};
    puts("name,state,flat_change,flat_share,base_flat,new_flat,cum_change,base_cum,new_cum");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < shown(diff); i++) {
        const struct difference_row *row = &diff->table.rows[i];
        csv_text(&csv, call_graph_name(&names, &diff->table.symbols.items[row->symbol]));
        csv_text(&csv, difference_state_name(difference_state(row)));
        csv_double(&csv, row->new_flat - row->base_flat, 3);
        csv_double(&csv, share(diff, row->new_flat - row->base_flat), 6);
        csv_double(&csv, row->base_flat, 3);
        csv_double(&csv, row->new_flat, 3);
        csv_double(&csv, row->new_cum - row->base_cum, 3);
        csv_double(&csv, row->base_cum, 3);
        csv_double(&csv, row->new_cum, 3);
        csv_end_row(&csv);
    }
    names_release(&names);
    return true;
}

/* ---- Pictures -------------------------------------------------------------------------- */

struct drawing {
    const struct diff *diff;
    const struct call_graph *graph;
};

static bool draw_graph(void *context, FILE *file)
{
    const struct drawing *drawing = context;
    const struct diff *diff = drawing->diff;
    const struct call_graph *graph = drawing->graph;
    char line[2][512], base[MEASURE_TEXT_BYTES], shown_text[MEASURE_TEXT_BYTES];
    char percent[MEASURE_TEXT_BYTES];
    const char *legend[] = {line[0], line[1]}, *unit = diff->base.unit;
    double least = 0, sum = 0, total = diff->table.base_total;
    for (size_t i = 0; i < graph->count; i++) {
        double value = fabs(graph->nodes[i].flat);
        value = value > 0 ? value : fabs(graph->nodes[i].cum);
        least = value > 0 && (least == 0 || value < least) ? value : least;
        sum += graph->nodes[i].flat;
    }
    const char *print_unit = graph->count > 0 ? measure_table_unit(least, total, unit) : "minimum";
    snprintf(line[0], sizeof line[0], "%s to %s: %s", trace_input_name(&diff->base.input.trace),
             trace_input_name(&diff->other.input.trace), diff->base.sample);
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
    };
    return graph_dot_print(graph, &how, file);
}

static int show_graph(const struct diff *diff)
{
    const struct report_options *want = &diff->options->report;
    const char *output = diff->options->output;
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
    if (!call_graph_init(&graph, &diff->change.profile, &diff->change.frames, &how)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    struct drawing drawing = {diff, &graph};
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
    const struct diff *diff = ((const struct drawing *)context)->diff;
    const struct report_options *want = &diff->options->report;
    const double least = want->node_fraction_given ? want->node_fraction : 0.0005;
    struct stack_profile widths;
    struct call_tree tree;
    struct frame_source source = model_frames(diff->model);
    struct call_tree_options how = {
        .grain = want->grain == GRAIN_NAME ? GRAIN_FUNCTION : want->grain, .max_depth = DEEPEST};
    char title[512], about[256], base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES];
    source.no_inlines = want->no_inlines;
    if (!difference_widths(&widths, diff->model))
        return false;
    bool done = call_tree_init_walked(&tree, &widths, &source, &how);
    snprintf(title, sizeof title, "%s to %s", trace_input_name(&diff->base.input.trace),
             trace_input_name(&diff->other.input.trace));
    snprintf(about, sizeof about, "%s: %s to %s; width: the larger of both; red: more, green: less",
             diff->base.sample, units_value(base, diff->table.base_total, diff->base.unit),
             units_value(other, diff->table.new_total, diff->base.unit));
    struct flamegraph_svg_options svg = {
        .weight = WEIGHT_VALUE,
        .colour = COLOUR_BY_CHANGE,
        .min_share = least,
        .title = title,
        .subtitle = about,
    };
    if (done) {
        done = flamegraph_svg_print(&tree, &widths.estimate, &svg, file);
        call_tree_release(&tree);
    }
    stack_profile_release(&widths);
    return done;
}

/* ---- The command ----------------------------------------------------------------------- */

static int print(const struct diff *diff)
{
    struct drawing drawing = {diff, NULL};
    enum report_format format = diff->options->report.format;
    if (diff->options->picture == PICTURE_GRAPH)
        return show_graph(diff);
    if (diff->options->picture == PICTURE_FLAMES)
        return report_output_write(diff->options->output, draw_flames, &drawing);
    bool done = format == REPORT_JSON  ? print_json(diff)
                : format == REPORT_CSV ? print_csv(diff)
                                       : print_text(diff);
    if (!done)
        cli_warn("out of memory");
    return done ? CLI_DONE : CLI_FAILED;
}

/* The differences as a selection of their own.  False when there is no memory. */
static bool select_change(struct diff *diff)
{
    struct selection_options what = {.value_type = DIFFERENCE_CHANGE};
    if (filter_parse(&diff->everything, "", NULL, NULL) != HEAPTAP_OK)
        return false;
    if (matcher_init(&diff->matcher, diff->model, &diff->everything, NULL, NULL) == HEAPTAP_OK) {
        if (selection_init(&diff->change, &diff->matcher, &diff->everything, &what))
            return true;
        matcher_release(&diff->matcher);
    }
    filter_release(&diff->everything);
    return false;
}

static int show(struct diff *diff)
{
    const struct report_options *want = &diff->options->report;
    int status = CLI_FAILED;
    struct difference_options how = {want->grain, want->no_inlines, want->by_cum};
    if (!difference_table_init(&diff->table, diff->model, &how)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    if (select_change(diff)) {
        status = print(diff);
        selection_release(&diff->change);
        matcher_release(&diff->matcher);
        filter_release(&diff->everything);
    } else {
        cli_warn("out of memory");
    }
    difference_table_release(&diff->table);
    return status;
}

static bool are_comparable(const struct diff *diff)
{
    if (strcmp(diff->base.unit, diff->other.unit) == 0)
        return true;
    cli_warn("%s of %s is in %s, %s of %s in %s: they can't be compared; --sample chooses",
             diff->base.sample, trace_input_subject(&diff->base.input.trace), diff->base.unit,
             diff->other.sample, trace_input_subject(&diff->other.input.trace), diff->other.unit);
    return false;
}

static int compare(struct diff *diff)
{
    double base = total_of(&diff->base), other = total_of(&diff->other);
    double scale = diff->options->normalize && other != 0 ? base / other : 1;
    struct difference_side before = {&diff->base.selection, diff->base.input.model,
                                     diff->base.weight, 1};
    struct difference_side after = {&diff->other.selection, diff->other.input.model,
                                    diff->other.weight, scale};
    if (!are_comparable(diff))
        return CLI_USAGE;
    diff->model = difference_model(&before, &after, diff->base.unit);
    if (!diff->model) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    int status = show(diff);
    model_free(diff->model);
    if (status == CLI_DONE)
        status = report_status(&diff->base);
    return status == CLI_DONE ? report_status(&diff->other) : status;
}

int cmd_diff(int argc, char **argv)
{
    struct options options = {.report = report_options_default()};
    struct diff diff = {.options = &options};
    int status = CLI_DONE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    options.report.by_site = true;
    struct report_options other = options.report;
    other.path = options.other;
    if (report_open(&diff.base, &options.report, &status)) {
        if (report_open(&diff.other, &other, &status)) {
            status = compare(&diff);
            report_close(&diff.other);
        }
        report_close(&diff.base);
    }
    report_options_release(&options.report);
    return status;
}
