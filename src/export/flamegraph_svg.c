#include "export/flamegraph_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/units.h"
#include "export/flame_page.h"
#include "export/xml.h"

enum { STYLE_BYTES = 64, NOTE_BYTES = 80 };

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

/* The number of a symbol's colour; -1 where nothing is known of it. */
static int colour_of(const struct drawing *drawing, const struct symbol *symbol)
{
    const char *by_file = symbol->file ? symbol->file : symbol->function;
    bool by_function = drawing->options->colour == COLOUR_BY_FUNCTION && symbol->function;
    if (!symbol->file || drawing->options->colour == COLOUR_BY_CHANGE)
        return -1;
    return flame_colour(by_function ? symbol->function : by_file);
}

/* From green for what has gone over grey to red for what has been added. */
static void change_style(char style[STYLE_BYTES], const struct stack_tally *tally)
{
    double part = tally->value > 0 ? tally->density / tally->value : 0;
    int fade = (int)(fmin(fabs(part), 1) * 150);
    if (part >= 0)
        snprintf(style, STYLE_BYTES, " style=\"fill:rgb(%d,%d,%d)\"", 235, 228 - fade, 222 - fade);
    else
        snprintf(style, STYLE_BYTES, " style=\"fill:rgb(%d,%d,%d)\"", 228 - fade, 235 - fade / 4,
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
}

static void put_frame(const struct drawing *drawing, uint32_t node, size_t depth, double begin)
{
    const struct symbol *symbol = depth > 0 ? call_tree_symbol(drawing->tree, node) : NULL;
    const struct stack_tally *total = &drawing->tree->total[node];
    double all = drawing->all > 0 ? drawing->all : 1;
    struct flame_place place = {.begin = begin / all,
                                .width = depth > 0 ? weight_of(drawing, total) / all : 1,
                                .depth = depth,
                                .colour = symbol ? colour_of(drawing, symbol) : -1};
    char style[STYLE_BYTES] = "";
    if (drawing->options->colour == COLOUR_BY_CHANGE)
        change_style(style, total);
    flame_frame_begin(drawing->file, &place);
    put_title(drawing, node, symbol);
    flame_frame_end(drawing->file, style, symbol ? symbol_name(symbol) : "all");
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

static const char *note_of(const struct drawing *drawing, char note[NOTE_BYTES], size_t hidden)
{
    snprintf(note, NOTE_BYTES, "%zu %s below %g %% not shown", hidden,
             hidden == 1 ? "frame" : "frames", 100 * drawing->options->min_share);
    return hidden > 0 ? note : NULL;
}

bool flamegraph_svg_print(const struct call_tree *tree, const struct estimate *estimate,
                          const struct flamegraph_svg_options *options, FILE *file)
{
    struct drawing drawing = {.tree = tree, .estimate = estimate, .options = options, .file = file};
    char note[NOTE_BYTES];
    size_t count, rows;
    drawing.all = weight_of(&drawing, &tree->total[STACK_ROOT]);
    bool done = visit(&drawing, false, &count, &rows);
    if (done) {
        struct flame_page page = {.file = file, .rows = rows};
        flame_page_begin(&page, plain(options->title),
                         options->subtitle ? plain(options->subtitle) : NULL);
        put_frame(&drawing, STACK_ROOT, 0, 0);
        done = visit(&drawing, true, &count, &rows);
        flame_page_end(&page, note_of(&drawing, note, call_tree_count(tree) - count));
    }
    free(drawing.next);
    return done;
}
