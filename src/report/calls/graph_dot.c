#include "report/calls/graph_dot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/measure.h"
#include "base/path.h"
#include "base/plain.h"

struct drawing {
    const struct call_graph *graph;
    const struct graph_dot_options *options;
    struct names names; /* made for this picture */
    FILE *file;
    double most_flat;
    bool *has_boxes; /* by node */
    bool failed;     /* there was no memory */
};

static const char *value_text(const struct drawing *drawing, char *text, double value)
{
    return measure_text(text, value, drawing->options->unit, drawing->options->print_unit);
}

static const char *percent_text(const struct drawing *drawing, char *text, double value)
{
    measure_percent(text, value, drawing->options->total);
    return text + strspn(text, " ");
}

/* Within quotes of DOT: a byte, a text. */
static void put_byte(FILE *file, char byte)
{
    if (byte == '"' || byte == '\\')
        fputc('\\', file);
    fputc(byte, file);
}

static void put_escaped(FILE *file, const char *text)
{
    for (text = plain(text); *text; text++)
        put_byte(file, *text);
}

/* ---- Colours --------------------------------------------------------------------------- */

enum { BACKGROUND, FOREGROUND };

/* From green at -1 over grey to red at 1. */
static void put_colour(FILE *file, double score, int ground)
{
    const double shift = 0.7, grey_below = 0.2;
    double saturation = ground == BACKGROUND ? 0.1 : 1.0;
    double value = ground == BACKGROUND ? 0.93 : 0.7;
    score = fmax(-1, fmin(1, isnan(score) ? 0 : score));
    if (fabs(score) < grey_below)
        saturation *= fabs(score) / grey_below;
    score = copysign(pow(fabs(score), 1 - shift), score);
    double red = score < 0 ? value * (1 + saturation * score) : value;
    double green = score < 0 ? value : value * (1 - saturation * score);
    double blue = value * (1 - saturation);
    fprintf(file, "#%02x%02x%02x", (unsigned)(red * 255), (unsigned)(green * 255),
            (unsigned)(blue * 255));
}

static double score_of(const struct drawing *drawing, double value)
{
    return drawing->options->total != 0 ? value / fabs(drawing->options->total) : 0;
}

/* ---- Nodes ----------------------------------------------------------------------------- */

/* The name, a part of it a line: broken at :: and dots. */
static void put_broken_name(struct drawing *drawing, const char *name)
{
    static const char ellipsis[] = "[...]";
    for (; *name; name++) {
        if (begins_with(name, ellipsis)) {
            fputs("[\u2026]", drawing->file);
            name += strlen(ellipsis) - 1;
        } else if (name[0] == ':' && name[1] == ':') {
            fputs("\\n", drawing->file);
            name++;
        } else if (*name == '.') {
            fputs("\\n", drawing->file);
        } else {
            put_byte(drawing->file, *name);
        }
    }
}

static void put_function(struct drawing *drawing, const char *function)
{
    function = plain(function);
    enum {
        LONG = 60
    }; /* bytes; a box of a line for each :: of a template's arguments hides all else */
    bool is_long = drawing->options->shorten && strlen(function) > LONG;
    char *shorter = is_long ? drawing->options->shorten(function) : NULL;
    const char *name = graph_dot_short_name(&drawing->names, shorter ? shorter : function);
    drawing->failed |= !name;
    put_broken_name(drawing, name ? name : function);
    fputs("\\n", drawing->file);
    free(shorter);
}

static void put_name(struct drawing *drawing, const struct symbol *symbol, const char *printed)
{
    const char *file = symbol->file ? symbol->file : "";
    const char *function = symbol->function ? symbol->function : "";
    if (!*function && !*file && !symbol->address) { /* the module */
        put_escaped(drawing->file, printed);
        fputs("\\n", drawing->file);
        return;
    }
    if (symbol->address)
        fprintf(drawing->file, "%016" PRIx64 "\\n", symbol->address);
    if (*function)
        put_function(drawing, function);
    if (*file || symbol->line > 0)
        put_escaped(drawing->file, path_file(file));
    if (symbol->line > 0)
        fprintf(drawing->file, ":%" PRIu32, symbol->line);
    if (*file || symbol->line > 0)
        fputs("\\n", drawing->file);
}

/* "1.50kB (12.30%)\nof 3kB (24.60%)" */
static void put_weights(struct drawing *drawing, const struct call_node *node)
{
    char text[MEASURE_TEXT_BYTES], percent[MEASURE_TEXT_BYTES];
    FILE *file = drawing->file;
    if (node->flat != 0)
        fprintf(file, "%s (%s)", value_text(drawing, text, node->flat),
                percent_text(drawing, percent, node->flat));
    else
        fputs("0", file);
    if (node->cum != node->flat)
        fprintf(file, "%sof %s (%s)", node->flat != 0 ? "\\n" : " ",
                value_text(drawing, text, node->cum), percent_text(drawing, percent, node->cum));
}

static int font_size(const struct drawing *drawing, const struct call_node *node)
{
    enum { SMALLEST = 8, GROWTH = 16 };
    if (node->flat == 0 || drawing->most_flat == 0)
        return SMALLEST;
    return SMALLEST + (int)ceil(GROWTH * sqrt(fabs(node->flat) / drawing->most_flat));
}

static void put_node(struct drawing *drawing, size_t number)
{
    const struct call_node *node = &drawing->graph->nodes[number];
    char text[MEASURE_TEXT_BYTES];
    FILE *file = drawing->file;
    fprintf(file, "N%zu [label=\"", number + 1);
    put_name(drawing, &drawing->graph->symbols.items[node->symbol], node->name);
    put_weights(drawing, node);
    fprintf(file, "\" id=\"node%zu\" fontsize=%d shape=box tooltip=\"", number + 1,
            font_size(drawing, node));
    put_escaped(file, node->name);
    fprintf(file, " (%s)\" color=\"", value_text(drawing, text, node->cum));
    put_colour(file, score_of(drawing, node->cum), FOREGROUND);
    fputs("\" fillcolor=\"", file);
    put_colour(file, score_of(drawing, node->cum), BACKGROUND);
    fputs("\"]\n", file);
}

/* ---- Boxes of labels ------------------------------------------------------------------- */

/* The labels of a group, with \n between them. */
static void put_group(FILE *file, const char *name)
{
    for (name = plain(name); *name; name++)
        if (name[0] == '\\' && name[1] == 'n')
            fputc(*name, file);
        else
            put_byte(file, *name);
}

/* A box, and its edge from `source`. */
static void put_box(struct drawing *drawing, const char *source, const char *id,
                    const struct label_box *box, double weight, bool is_dotted)
{
    char text[MEASURE_TEXT_BYTES];
    FILE *file = drawing->file;
    value_text(drawing, text, weight);
    fprintf(file, "%s [label = \"", id);
    if (box->is_number)
        put_escaped(file, box->name);
    else
        put_group(file, box->name);
    fprintf(file, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", id, text);
    fprintf(file, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n",
            source, id, text, text, text, is_dotted ? " style=\"dotted\"" : "");
}

/* The numbers of a group, below `source`. */
static bool put_numbers(struct drawing *drawing, const char *source, const struct label_box *boxes,
                        size_t count, const char *group, bool by_flat)
{
    struct label_box drawn[GRAPH_BOXES_MAX];
    char id[64];
    bool any = false;
    size_t used = graph_labels_collapse(boxes, count, group, by_flat, &drawing->names, drawn);
    for (size_t i = 0; i < used; i++) {
        bool is_flat = by_flat || drawn[i].flat == drawn[i].cum;
        double weight = is_flat ? drawn[i].flat : drawn[i].cum;
        if (weight == 0)
            continue;
        snprintf(id, sizeof id, "N%s_%zu", source, i);
        put_box(drawing, source, id, &drawn[i], weight, !is_flat);
        any = true;
    }
    return any;
}

/* The labels of a node; with callees, those of its own weight alone. */
static bool put_boxes(struct drawing *drawing, size_t number)
{
    const struct call_node *node = &drawing->graph->nodes[number];
    struct label_box groups[GRAPH_BOXES_MAX];
    char source[32], id[64];
    size_t count;
    bool by_flat = node->out_count > 0, any = false;
    const struct label_box *boxes = graph_labels_of(drawing->options->labels, node->name, &count);
    if (!boxes)
        return false;
    snprintf(source, sizeof source, "N%zu", number + 1);
    size_t used = graph_labels_groups(boxes, count, by_flat, groups);
    for (size_t i = 0; i < used; i++) {
        double weight = by_flat ? groups[i].flat : groups[i].cum;
        if (weight == 0)
            continue;
        snprintf(id, sizeof id, "%s_%zu", source, i);
        put_box(drawing, source, id, &groups[i], weight, false);
        put_numbers(drawing, id, boxes, count, groups[i].group, by_flat);
        any = true;
    }
    return put_numbers(drawing, source, boxes, count, "", by_flat) || any;
}

/* ---- Edges ----------------------------------------------------------------------------- */

/* 1 and a part of `most`, as the edge's weight is of the whole. */
static int graded(const struct drawing *drawing, double weight, int most)
{
    return 1 + (int)fmin(trunc(fabs(weight * most / drawing->options->total)), most);
}

static void put_edge_text(struct drawing *drawing, const char *key, const struct call_edge *edge,
                          const char *weight)
{
    FILE *file = drawing->file;
    fprintf(file, " %s=\"", key);
    put_escaped(file, drawing->graph->nodes[edge->from].name);
    fputs(edge->is_residual ? " ... " : " -> ", file);
    put_escaped(file, drawing->graph->nodes[edge->to].name);
    fprintf(file, " (%s)\"", weight);
}

static void put_edge(struct drawing *drawing, const struct call_edge *edge)
{
    char weight[MEASURE_TEXT_BYTES];
    FILE *file = drawing->file;
    value_text(drawing, weight, edge->weight);
    fprintf(file, "N%" PRIu32 " -> N%" PRIu32 " [label=\" %s%s\"", edge->from + 1, edge->to + 1,
            weight, edge->is_inlined ? "\\n (inline)" : "");
    if (drawing->options->total != 0) {
        int pull = graded(drawing, edge->weight, 100), width = graded(drawing, edge->weight, 5);
        if (pull > 1)
            fprintf(file, " weight=%d", pull);
        if (width > 1)
            fprintf(file, " penwidth=%d", width);
        fputs(" color=\"", file);
        put_colour(file, score_of(drawing, edge->weight), FOREGROUND);
        fputc('"', file);
    }
    put_edge_text(drawing, "tooltip", edge, weight);
    put_edge_text(drawing, "labeltooltip", edge, weight);
    fprintf(file, "%s%s]\n", edge->is_residual ? " style=\"dotted\"" : "",
            drawing->has_boxes[edge->from] ? " minlen=2" : "");
}

/* An edge while they are sorted: heaviest first, as a hint to the layout. */
struct ranked {
    const struct call_edge *edge;
    const struct call_graph *graph;
};

static int compare_edges(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    const struct call_node *nodes = a->graph->nodes;
    if (fabs(a->edge->weight) != fabs(b->edge->weight))
        return fabs(a->edge->weight) > fabs(b->edge->weight) ? -1 : 1;
    int order = strcmp(nodes[a->edge->from].name, nodes[b->edge->from].name);
    return order ? order : strcmp(nodes[a->edge->to].name, nodes[b->edge->to].name);
}

static void put_edges(struct drawing *drawing)
{
    const struct call_graph *graph = drawing->graph;
    struct ranked *ranked = malloc((graph->edge_count + 1) * sizeof *ranked);
    drawing->failed |= !ranked;
    for (size_t i = 0; ranked && i < graph->edge_count; i++)
        ranked[i] = (struct ranked){&graph->edges[i], graph};
    if (ranked)
        qsort(ranked, graph->edge_count, sizeof *ranked, compare_edges);
    for (size_t i = 0; ranked && i < graph->edge_count; i++)
        put_edge(drawing, ranked[i].edge);
    free(ranked);
}

/* ---- The picture ----------------------------------------------------------------------- */

static void put_legend(struct drawing *drawing)
{
    const struct graph_dot_options *options = drawing->options;
    FILE *file = drawing->file;
    if (options->legend_count == 0)
        return;
    fputs("subgraph cluster_L { \"", file);
    put_escaped(file, options->legend[0]);
    fputs("\" [shape=box fontsize=16 label=\"", file);
    for (size_t i = 0; i < options->legend_count; i++) {
        put_escaped(file, options->legend[i]);
        fputs("\\l", file);
    }
    fputs("\" tooltip=\"", file);
    put_escaped(file, options->title);
    fputs("\"] }\n", file);
}

static void put_graph(struct drawing *drawing)
{
    const struct call_graph *graph = drawing->graph;
    fputs("digraph \"", drawing->file);
    put_escaped(drawing->file, drawing->options->title);
    fputs("\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n", drawing->file);
    put_legend(drawing);
    for (size_t i = 0; i < graph->count; i++)
        drawing->most_flat = fmax(drawing->most_flat, fabs(graph->nodes[i].flat));
    for (size_t i = 0; i < graph->count; i++) {
        put_node(drawing, i);
        drawing->has_boxes[i] = drawing->options->labels && put_boxes(drawing, i);
    }
    put_edges(drawing);
    fputs("}\n", drawing->file);
}

bool graph_dot_print(const struct call_graph *graph, const struct graph_dot_options *options,
                     FILE *file)
{
    struct drawing drawing = {
        .graph = graph,
        .options = options,
        .file = file,
        .has_boxes = calloc(graph->count + 1, sizeof *drawing.has_boxes),
    };
    if (drawing.has_boxes)
        put_graph(&drawing);
    bool done = drawing.has_boxes && !drawing.failed;
    names_release(&drawing.names);
    free(drawing.has_boxes);
    return done;
}
