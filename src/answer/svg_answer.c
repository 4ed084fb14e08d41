/* An answer as one SVG document: its title, its sentences below that, then charts one below the other and histograms in two
 * columns.  What has a tree is that tree's picture, and nothing else.
 *
 * The height of the head is known only at the end: so the drawing is kept in memory, and then written below the head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/xml.h"
#include "answer/forms.h"
#include "answer/svg_bars.h"
#include "answer/svg_chart.h"
#include "answer/svg_page.h"
#include "answer/svg_parts.h"
#include "answer/svg_tree.h"
#include "answer/wrapped.h"

enum { GAP = 20, LINES_MAX = 12, LINE_CHARACTERS = 165, LINE_HEIGHT = 20, FIRST_LINE = 60 };

struct svg_answer {
    struct answer answer; /* first: the form's functions get it */
    char *title;          /* NULL until it is told */
    char *lines[LINES_MAX];
    size_t line_count;
    FILE *drawing; /* writes to `body` */
    char *body;
    size_t body_size;
    double height; /* of the drawing */
    size_t cards;  /* histograms so far */
    struct svg_tree tree;
};

static void keep(struct svg_answer *self, char **place, const char *text)
{
    free(*place);
    *place = strdup(text);
    self->answer.failed |= !*place;
}

static void title(struct answer *answer, const char *text)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    keep(self, &self->title, text);
}

static void say(struct answer *answer, const char *sentence)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    if (*sentence && self->line_count < LINES_MAX)
        keep(self, &self->lines[self->line_count++], sentence);
}

static void begin(struct answer *answer, const struct answer_section *section)
{
    (void)answer, (void)section;
}

static void row(struct answer *answer, const void *row)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    const struct answer_section *section = answer_section(answer);
    if (answer->depth == 1 && section->table->branch && !svg_tree_add(&self->tree, section, row))
        answer->failed = true;
}

static void end(struct answer *answer)
{
    (void)answer;
}

static void chart(struct answer *answer, const struct answer_chart *chart)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    self->height += svg_chart_put(self->drawing, chart, self->height + GAP);
}

static void bars(struct answer *answer, const struct answer_histogram *histogram)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    bool is_right = self->cards++ % 2;
    double top = is_right ? self->height - SVG_BARS_HEIGHT - GAP : self->height;
    if (!histogram->edges)
        return;
    svg_bars_put(self->drawing, histogram, is_right ? 2 * GAP + SVG_BARS_WIDTH : GAP, top);
    if (!is_right)
        self->height += SVG_BARS_HEIGHT + GAP;
}

/* ---- The document ---------------------------------------------------------------------- */

/* What `put` writes, in memory that is the caller's; NULL when there is none. */
static char *written(void (*put)(FILE *file, const struct svg_answer *self),
                     const struct svg_answer *self)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file)
        put(file, self);
    if (file && fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

/* The sentences, broken where they would be wider than the page. */
static void put_wrapped(FILE *file, const struct svg_answer *self)
{
    for (size_t i = 0; i < self->line_count; i++)
        wrapped_put(file, self->lines[i], 0, LINE_CHARACTERS);
}

/* The same one after the other, where less room is. */
static void put_joined(FILE *file, const struct svg_answer *self)
{
    char text[LINES_MAX * 512];
    size_t size = 0;
    *text = 0;
    for (size_t i = 0; i < self->line_count && size < sizeof text; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i > 0 ? "; " : "",
                                 self->lines[i]);
    wrapped_put(file, text, 0, LINE_CHARACTERS);
}

/* Lines that end with newlines, which are overwritten. */
static void put_lines(FILE *file, char *lines)
{
    double y = FIRST_LINE;
    char *rest, *line = strtok_r(lines, "\n", &rest);
    for (; line; line = strtok_r(NULL, "\n", &rest)) {
        svg_text(file, "about", GAP, y, "", line);
        y += LINE_HEIGHT;
    }
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void put_page(FILE *file, const struct svg_answer *self, char *lines)
{
    const char *title = self->title ? self->title : "";
    double top = FIRST_LINE + LINE_HEIGHT * (double)count_lines(lines) + GAP / 2.;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\">\n<title>",
            SVG_PAGE_WIDTH, top + self->height, SVG_PAGE_WIDTH, top + self->height);
    xml_put_plain(file, title);
    fputs("</title>\n", file);
    svg_style(file);
    fprintf(file, "<rect width=\"%d\" height=\"%.0f\" fill=\"%s\"/>\n", SVG_PAGE_WIDTH,
            top + self->height, self->cards > 0 ? "#f6f4f1" : "#fff");
    svg_text(file, "page", GAP, 36, "", title);
    put_lines(file, lines);
    fprintf(file, "<g transform=\"translate(0 %.0f)\">\n", top);
    fwrite(self->body, 1, self->body_size, file);
    fputs("</g>\n</svg>\n", file);
}

static void put_document(struct svg_answer *self)
{
    bool is_tree = self->tree.count > 0;
    char *about = written(is_tree ? put_joined : put_wrapped, self);
    if (!about)
        self->answer.failed = true;
    else if (is_tree)
        svg_tree_put(self->answer.file, &self->tree, self->title ? self->title : "", about);
    else
        put_page(self->answer.file, self, about);
    free(about);
}

static void finish(struct answer *answer)
{
    struct svg_answer *self = (struct svg_answer *)answer;
    answer->failed |= fclose(self->drawing) != 0;
    if (!answer->failed)
        put_document(self);
    free(self->title);
    for (size_t i = 0; i < self->line_count; i++)
        free(self->lines[i]);
    free(self->body);
    svg_tree_release(&self->tree);
}

struct answer *svg_answer(FILE *file)
{
    static const struct answer_form form = {.name = "svg",
                                            .bit = ANSWER_IN_TEXT,
                                            .say = say,
                                            .begin = begin,
                                            .row = row,
                                            .end = end,
                                            .close = finish,
                                            .chart = chart,
                                            .bars = bars,
                                            .title = title,
                                            .is_picture = true};
    struct svg_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    self->drawing = open_memstream(&self->body, &self->body_size);
    if (self->drawing)
        return &self->answer;
    free(self);
    return NULL;
}
