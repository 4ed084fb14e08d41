#include "answer/svg_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "answer/flame_page.h"
#include "answer/xml.h"
#include "answer/cell.h"

enum { COLUMNS_MAX = 32 };

/* The first column of a kind that people read. */
static const struct answer_column *column_of(const struct answer_section *section,
                                             enum answer_kind kind)
{
    for (size_t i = 0; i < section->table->count; i++)
        if (section->table->columns[i].kind == kind &&
            cell_is_shown(section, &section->table->columns[i]))
            return &section->table->columns[i];
    return NULL;
}

/* Rows of the same file have the same colour; of none, those of the same name. */
static int colour_of(const struct answer_section *section, const void *row, const char *name)
{
    int colour = -1;
    for (size_t i = 0; i < section->table->count; i++) {
        const struct answer_column *column = &section->table->columns[i];
        if (!column->key || strcmp(column->key, "file") != 0)
            continue;
        struct answer_value value = answer_value_of(section, column, row);
        if (value.is_known && value.text)
            colour = flame_colour(value.text);
        answer_value_release(&value);
    }
    return colour >= 0 ? colour : flame_colour(name);
}

static char *cell_copy(const struct answer_section *section, const struct answer_column *column,
                       const void *row)
{
    char text[CELL_BYTES];
    struct answer_value value = answer_value_of(section, column, row);
    char *copy = strdup(cell_text(text, section, column, &value));
    answer_value_release(&value);
    return copy;
}

/* "cum 3.9 kB" and so on, a line each. */
static char *figures_of(const struct answer_section *section, const void *row)
{
    const struct answer_column *columns[COLUMNS_MAX];
    size_t count = cell_columns(columns, COLUMNS_MAX, section, true);
    struct text lines = {0};
    for (size_t i = 0; i < count; i++)
        if (columns[i]->kind != ANSWER_NAME) {
            char *cell = cell_copy(section, columns[i], row);
            lines.failed |= !cell;
            text_put_string(&lines, lines.size > 0 ? "\n" : "");
            text_put_string(&lines, columns[i]->title);
            text_put_char(&lines, ' ');
            text_put_string(&lines, cell ? cell : "");
            free(cell);
        }
    text_put_char(&lines, 0);
    if (!lines.failed)
        return lines.bytes;
    text_release(&lines);
    return NULL;
}

static double width_of(const struct answer_section *section, const void *row)
{
    const struct answer_column *column = column_of(section, ANSWER_AMOUNT);
    struct answer_value value = column ? answer_value_of(section, column, row) : answer_nothing();
    double width = value.is_known ? fabs(value.number) : 0;
    answer_value_release(&value);
    return width;
}

bool svg_tree_add(struct svg_tree *tree, const struct answer_section *section, const void *row)
{
    const struct answer_column *name = column_of(section, ANSWER_NAME);
    size_t depth = section->table->branch(row, section->context).depth;
    if (!name || !ARRAY_RESERVE(&tree->frames, &tree->capacity, tree->count + 1) ||
        !ARRAY_RESERVE(&tree->next, &tree->next_capacity, depth + 2))
        return false;
    if (tree->count == 0)
        tree->next[0] = 0;
    struct svg_frame frame = {.name = cell_copy(section, name, row),
                              .about = figures_of(section, row),
                              .begin = tree->next[depth],
                              .width = width_of(section, row),
                              .depth = depth + 1};
    frame.colour = colour_of(section, row, frame.name);
    tree->frames[tree->count++] = frame;
    tree->next[depth + 1] = frame.begin;
    tree->next[depth] = frame.begin + frame.width;
    tree->rows = frame.depth > tree->rows ? frame.depth : tree->rows;
    return frame.name && frame.about;
}

static void put_frame(FILE *file, const struct svg_frame *frame, double all)
{
    struct flame_place place = {frame->begin / all, frame->width / all, frame->depth,
                                frame->colour};
    flame_frame_begin(file, &place);
    xml_put_text(file, frame->name);
    for (const char *line = frame->about; *line; line += *line == '\n') {
        size_t size = strcspn(line, "\n");
        fprintf(file, "\n%.*s", (int)size, line); /* figures and titles of columns */
        line += size;
    }
    flame_frame_end(file, "", frame->name);
}

void svg_tree_put(FILE *file, const struct svg_tree *tree, const char *title, const char *about)
{
    double all = tree->count > 0 && tree->next[0] > 0 ? tree->next[0] : 1;
    struct flame_place whole = {0, 1, 0, -1};
    struct flame_page page = {.file = file, .rows = tree->rows + 1};
    flame_page_begin(&page, title, about);
    flame_frame_begin(file, &whole);
    fputs("all that is shown", file);
    flame_frame_end(file, "", "all that is shown");
    for (size_t i = 0; i < tree->count; i++)
        put_frame(file, &tree->frames[i], all);
    flame_page_end(&page, NULL);
}

void svg_tree_release(struct svg_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->frames[i].name);
        free(tree->frames[i].about);
    }
    free(tree->frames);
    free(tree->next);
}
