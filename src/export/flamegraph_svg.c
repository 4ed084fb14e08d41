/* Each frame is an svg element of its own: its place and width are parts of the whole's width, so
 * the drawing follows the window, and its name is clipped without a script. */
#include "export/flamegraph_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "export/xml.h"

enum { WIDTH = 1200, ROW = 17, TOP = 58, BOTTOM = 34, COLOURS = 12 };

/* Made from flamegraph.css and flamegraph.js by scripts/embed. */
extern const char flamegraph_style[], flamegraph_script[];

struct drawing {
    const struct call_tree *tree;
    const struct estimate *estimate;
    const struct flamegraph_svg_options *options;
    FILE *file;
    double all;   /* weight of everything */
    double *next; /* by depth: where the next callee begins, in weight from the left */
    size_t next_capacity;
};

static double weight_of(const struct drawing *drawing, const struct stack_tally *tally)
{
    return stack_tally_weight(tally, drawing->estimate, drawing->options->weight);
}

static uint32_t hash_text(const char *text)
{
    uint32_t hash = UINT32_C(2166136261);
    for (; text && *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

/* The number of a symbol's colour; -1 where nothing is known of it. */
static int colour_of(const struct drawing *drawing, const struct symbol *symbol)
{
    const char *by_file = symbol->file ? symbol->file : symbol->function;
    bool by_function = drawing->options->colour == COLOUR_BY_FUNCTION && symbol->function;
    if (!symbol->file || drawing->options->colour == COLOUR_BY_CHANGE)
        return -1;
    return (int)(hash_text(by_function ? symbol->function : by_file) % COLOURS);
}

/* From green for what has gone over grey to red for what has been added. */
static void put_change_colour(const struct drawing *drawing, const struct stack_tally *tally)
{
    double part = tally->value > 0 ? tally->density / tally->value : 0;
    int fade = (int)(fmin(fabs(part), 1) * 150);
    if (part >= 0)
        fprintf(drawing->file, " style=\"fill:rgb(%d,%d,%d)\"", 235, 228 - fade, 222 - fade);
    else
        fprintf(drawing->file, " style=\"fill:rgb(%d,%d,%d)\"", 228 - fade, 235 - fade / 4,
                222 - fade);
}

static void put_change(const struct drawing *drawing, const struct stack_tally *tally)
{
    char change[UNITS_TEXT_BYTES];
    const char *unit = drawing->tree->measure.unit;
    units_value(change, fabs(tally->density), unit);
    fprintf(drawing->file, "\n%s %s", change, tally->density >= 0 ? "more" : "less");
}

static void put_figures(const struct drawing *drawing, const struct stack_tally *tally,
                        const char *after_share)
{
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    double share = drawing->all > 0 ? weight_of(drawing, tally) / drawing->all : 0;
    if (drawing->options->weight == WEIGHT_VALUE) {
        units_value(bytes, tally->value, drawing->tree->measure.unit);
        fprintf(drawing->file, "%s, %.2f %%%s", bytes, 100 * share, after_share);
        return;
    }
    units_bytes(bytes, stack_tally_bytes(tally, drawing->estimate));
    units_count(objects, stack_tally_objects(tally, drawing->estimate));
    fprintf(drawing->file, "%s, %.2f %%%s, %s objects, %" PRIu64 " %s", bytes, 100 * share,
            after_share, objects, tally->samples, tally->samples == 1 ? "sample" : "samples");
}

/* What is told of a frame: a line with its name and place, then its figures. */
static void put_title(const struct drawing *drawing, uint32_t node, const struct symbol *symbol)
{
    static const char *const shares[] = {" of all bytes", " of all samples", " of all objects",
                                         " of all"};
    FILE *file = drawing->file;
    fputs("<title>", file);
    xml_put_text(file, symbol ? symbol_name(symbol) : "all");
    if (symbol && symbol->function && symbol->file) {
        fputs(" (", file);
        xml_put_text(file, symbol->file);
        if (symbol->line > 0)
            fprintf(file, ":%" PRIu32, symbol->line);
        fputc(')', file);
    }
    fputc('\n', file);
    put_figures(drawing, &drawing->tree->total[node], shares[drawing->options->weight]);
    if (drawing->tree->self[node].samples > 0) {
        fputs("\nby itself ", file);
        put_figures(drawing, &drawing->tree->self[node], "");
    }
    if (drawing->options->colour == COLOUR_BY_CHANGE)
        put_change(drawing, &drawing->tree->total[node]);
    fputs("</title>", file);
}

static void put_frame(const struct drawing *drawing, uint32_t node, size_t depth, double begin)
{
    const struct symbol *symbol = depth > 0 ? call_tree_symbol(drawing->tree, node) : NULL;
    double all = drawing->all > 0 ? drawing->all : 1;
    double width = depth > 0 ? weight_of(drawing, &drawing->tree->total[node]) / all : 1;
    int colour = symbol ? colour_of(drawing, symbol) : -1;
    fputs("<svg class=\"f", drawing->file);
    if (colour >= 0)
        fprintf(drawing->file, " c%d", colour);
    fprintf(drawing->file, "\" x=\"%.6g%%\" y=\"%zu\" width=\"%.6g%%\" height=\"%d\">",
            100 * begin / all, depth * ROW, 100 * width, ROW);
    put_title(drawing, node, symbol);
    fputs("<rect width=\"100%\" height=\"100%\"", drawing->file);
    if (drawing->options->colour == COLOUR_BY_CHANGE)
        put_change_colour(drawing, &drawing->tree->total[node]);
    fputs("/><text x=\"3\" y=\"12\">", drawing->file);
    xml_put_text(drawing->file, symbol ? symbol_name(symbol) : "all");
    fputs("</text></svg>\n", drawing->file);
}

/* Goes through the frames that are shown, drawing them if `draw`; counts them and their rows.
 * False when there is no memory. */
static bool visit(struct drawing *drawing, bool draw, size_t *count, size_t *rows)
{
    struct call_walk walk;
    bool done = ARRAY_RESERVE(&drawing->next, &drawing->next_capacity, 1);
    *count = 0;
    *rows = 1;
    call_walk_init(&walk, drawing->tree);
    if (done)
        drawing->next[0] = 0;
    while (done && call_walk_next(&walk)) {
        uint32_t node = call_walk_node(&walk);
        double weight = weight_of(drawing, &drawing->tree->total[node]);
        done = ARRAY_RESERVE(&drawing->next, &drawing->next_capacity, walk.depth + 1);
        if (!done)
            break;
        double begin = drawing->next[walk.depth - 1];
        drawing->next[walk.depth - 1] = begin + weight;
        drawing->next[walk.depth] = begin;
        walk.skip = !(weight > 0 && weight >= drawing->options->min_share * drawing->all);
        if (walk.skip)
            continue;
        *rows = walk.depth + 1 > *rows ? walk.depth + 1 : *rows;
        ++*count;
        if (draw)
            put_frame(drawing, node, walk.depth, begin);
    }
    done = done && !walk.failed;
    call_walk_release(&walk);
    return done;
}

static void put_head(const struct drawing *drawing, size_t rows)
{
    const struct flamegraph_svg_options *options = drawing->options;
    FILE *file = drawing->file;
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "class=\"page\" width=\"%d\" height=\"%zu\">\n<title>",
            WIDTH, TOP + rows * ROW + BOTTOM);
    xml_put_text(file, options->title);
    fprintf(file, "</title>\n<style><![CDATA[\n%s]]></style>\n", flamegraph_style);
    fputs("<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n<text class=\"title\" x=\"8\" "
          "y=\"25\">",
          file);
    xml_put_text(file, options->title);
    fputs("</text>\n", file);
    if (options->subtitle) {
        fputs("<text class=\"quiet\" x=\"8\" y=\"44\">", file);
        xml_put_text(file, options->subtitle);
        fputs("</text>\n", file);
    }
}

static void put_note(const struct drawing *drawing, size_t rows, size_t hidden)
{
    if (hidden == 0)
        return;
    fprintf(drawing->file, "<text class=\"quiet note\" x=\"8\" y=\"%zu\">", TOP + rows * ROW + 20);
    fprintf(drawing->file, "%zu %s below %g %% not shown</text>\n", hidden,
            hidden == 1 ? "frame" : "frames", 100 * drawing->options->min_share);
}

bool flamegraph_svg_print(const struct call_tree *tree, const struct estimate *estimate,
                          const struct flamegraph_svg_options *options, FILE *file)
{
    struct drawing drawing = {.tree = tree, .estimate = estimate, .options = options, .file = file};
    size_t count, rows;
    drawing.all = weight_of(&drawing, &tree->total[STACK_ROOT]);
    bool done = visit(&drawing, false, &count, &rows);
    if (done) {
        put_head(&drawing, rows);
        fprintf(file, "<svg class=\"frames\" y=\"%d\" width=\"100%%\" height=\"%zu\">\n", TOP,
                rows * ROW);
        put_frame(&drawing, STACK_ROOT, 0, 0);
        done = visit(&drawing, true, &count, &rows);
        fputs("</svg>\n", file);
        put_note(&drawing, rows, call_tree_count(tree) - count);
        fprintf(file, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_script);
    }
    free(drawing.next);
    return done;
}
