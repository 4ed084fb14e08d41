#include "report/tree/flamegraph_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/units.h"
#include "answer/flame_page.h"
#include "answer/xml.h"

enum { STYLE_BYTES = 64, NOTE_BYTES = 80 };

struct drawing {
    struct call_walk *walk;
    const struct estimate *estimate;
    const struct flamegraph_svg_options *options;
    FILE *file;
    double all;   /* weight of everything */
    double *next; /* by depth: where the next callee begins, in weight from the left */
    size_t next_capacity;
    size_t rows, hidden; /* of frames that are shown; frames that aren't, but their callers are */
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

/* Of a difference: the width is of both, and no figure of either. */
static void put_change(const struct drawing *drawing, const struct stack_tally *tally)
{
    char now[UNITS_TEXT_BYTES], before[UNITS_TEXT_BYTES], change[UNITS_TEXT_BYTES];
    const char *unit = drawing->walk->measure.unit;
    fprintf(drawing->file, "%s, before %s\n%s %s", units_value(now, tally->squares, unit),
            units_value(before, tally->squares - tally->density, unit),
            units_value(change, fabs(tally->density), unit), tally->density >= 0 ? "more" : "less");
}

static void put_figures(const struct drawing *drawing, const struct stack_tally *tally,
                        const char *after_share)
{
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    double share = drawing->all > 0 ? weight_of(drawing, tally) / drawing->all : 0;
    if (drawing->options->weight == WEIGHT_VALUE) {
        units_value(bytes, tally->value, drawing->walk->measure.unit);
        fprintf(drawing->file, "%s, %.2f %%%s", bytes, 100 * share, after_share);
        return;
    }
    units_bytes(bytes, stack_tally_bytes(tally, drawing->estimate));
    units_count(objects, stack_tally_objects(tally, drawing->estimate));
    fprintf(drawing->file, "%s, %.2f %%%s, %s objects, %" PRIu64 " %s", bytes, 100 * share,
            after_share, objects, tally->samples, tally->samples == 1 ? "sample" : "samples");
}

/* What is told of a frame: a line with its name and place, then its figures. */
static void put_title(const struct drawing *drawing, const struct symbol *symbol)
{
    static const char *const shares[] = {" of all bytes", " of all samples", " of all objects",
                                         " of all"};
    FILE *file = drawing->file;
    const struct call_walk *walk = drawing->walk;
    xml_put_text(file, symbol ? symbol_name(symbol) : "all");
    if (symbol && symbol->function && symbol->file) {
        fputs(" (", file);
        xml_put_text(file, symbol->file);
        if (symbol->line > 0)
            fprintf(file, ":%" PRIu32, symbol->line);
        fputc(')', file);
    }
    fputc('\n', file);
    if (drawing->options->colour == COLOUR_BY_CHANGE) {
        put_change(drawing, &walk->total);
        return;
    }
    put_figures(drawing, &walk->total, shares[drawing->options->weight]);
    if (walk->self.samples > 0) {
        fputs("\nby itself ", file);
        put_figures(drawing, &walk->self, "");
    }
}

static void put_frame(const struct drawing *drawing, double begin)
{
    const struct call_walk *walk = drawing->walk;
    const struct symbol *symbol = call_walk_symbol(walk);
    double all = drawing->all > 0 ? drawing->all : 1;
    struct flame_place place = {.begin = begin / all,
                                .width = symbol ? weight_of(drawing, &walk->total) / all : 1,
                                .depth = walk->depth,
                                .colour = symbol ? colour_of(drawing, symbol) : -1};
    char style[STYLE_BYTES] = "";
    if (drawing->options->colour == COLOUR_BY_CHANGE)
        change_style(style, &walk->total);
    flame_frame_begin(drawing->file, &place);
    put_title(drawing, symbol);
    flame_frame_end(drawing->file, style, symbol ? symbol_name(symbol) : "all");
}

/* Goes through the frames that are shown, from the root on, drawing them if `draw`; counts their
 * rows, and what is not shown.  False when there is no memory. */
static bool visit(struct drawing *drawing, bool draw)
{
    struct call_walk *walk = drawing->walk;
    bool done = ARRAY_RESERVE(&drawing->next, &drawing->next_capacity, 1);
    drawing->rows = 1;
    drawing->hidden = 0;
    if (done)
        drawing->next[0] = 0;
    if (draw)
        put_frame(drawing, 0);
    while (done && call_walk_next(walk)) {
        double weight = weight_of(drawing, &walk->total);
        done = ARRAY_RESERVE(&drawing->next, &drawing->next_capacity, walk->depth + 1);
        if (!done)
            break;
        double begin = drawing->next[walk->depth - 1];
        drawing->next[walk->depth - 1] = begin + weight;
        drawing->next[walk->depth] = begin;
        walk->skip = !(weight > 0 && weight >= drawing->options->min_share * drawing->all);
        drawing->hidden += walk->skip;
        if (walk->skip)
            continue;
        drawing->rows = walk->depth + 1 > drawing->rows ? walk->depth + 1 : drawing->rows;
        if (draw)
            put_frame(drawing, begin);
    }
    return done && !walk->failed;
}

bool flamegraph_svg_print(struct call_walk *walk, const struct estimate *estimate,
                          const struct flamegraph_svg_options *options, FILE *file)
{
    struct drawing drawing = {.walk = walk, .estimate = estimate, .options = options, .file = file};
    char note[NOTE_BYTES];
    drawing.all = weight_of(&drawing, &walk->all);
    bool done = visit(&drawing, false);
    if (done) {
        struct flame_page page = {.file = file, .rows = drawing.rows};
        flame_page_begin(&page, plain(options->title),
                         options->subtitle ? plain(options->subtitle) : NULL);
        call_walk_rewind(walk);
        done = visit(&drawing, true);
        snprintf(note, sizeof note, "%zu %s below %g %% not shown, with what they call",
                 drawing.hidden, drawing.hidden == 1 ? "frame" : "frames",
                 100 * options->min_share);
        flame_page_end(&page, drawing.hidden > 0 ? note : NULL);
    }
    free(drawing.next);
    return done;
}
