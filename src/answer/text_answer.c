#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "answer/barred.h"
#include "answer/bars.h"
#include "answer/cell.h"
#include "answer/charset.h"
#include "answer/forms.h"
#include "answer/groups.h"
#include "answer/table.h"
#include "answer/text_chart.h"
#include "answer/tree_bars.h"
#include "answer/wrapped.h"

enum {
    USUAL_TERMINAL = 80,
    WIDE_TERMINAL = 100,
    INDENT = 4,
    LABEL_COLUMNS = 12,
    AMOUNT_WIDTH = 10,
    SHARE_WIDTH = 6,
    LEAST_NAME = 24
};

struct text_answer {
    struct answer answer; /* first: the form's functions get it */
    struct table table;   /* of the fitted section that is open */
    bool is_table_open;
    bool has_said;      /* something stands above the table */
    bool has_rows;      /* of the section that is open */
    size_t first_below; /* row of the table: the first of the innermost section */
    int name_column; /* of the table: rows of a table within stand below its rows there; -1 for none */
    const struct answer_column
        *columns[TABLE_COLUMNS_MAX]; /* of the outermost section, as they are told */
    size_t count;
    struct tree_bars bars; /* of a tree that is open */
    struct text before;    /* a name of a table of fixed width */
    int room;              /* for such a name with that; 0 for no end of it */
    struct groups groups;
    struct barred barred;
};

/* Is it within a row of a table of groups? */
static bool is_grouped(const struct answer *answer)
{
    return answer->depth == 2 && answer->open[0]->table->style == ANSWER_GROUPED;
}

static void say(struct answer *answer, const char *sentence)
{
    struct text_answer *self = (struct text_answer *)answer;
    if (is_grouped(answer)) {
        answer->failed |= !groups_say(&self->groups, sentence);
        return;
    }
    wrapped_put_sentence(answer->file, sentence, table_width());
    self->has_said = true;
}

static void explain(struct answer *answer, const char *sentences)
{
    int width = table_width();
    fprintf(answer->file, "%*s", INDENT, "");
    wrapped_put(answer->file, sentences, INDENT, width > 0 ? width : USUAL_TERMINAL);
}

/* In a pipe each is one line, whatever its length. */
static void fact(struct answer *answer, const char *label, const char *text)
{
    bool is_bold = *label && answer->file == stdout && table_stdout_has_colour();
    int indent = (int)strspn(text, " ");
    fprintf(answer->file, "%s%-*s%s%*s", is_bold ? "\033[1m" : "", LABEL_COLUMNS, label,
            is_bold ? "\033[0m" : "", indent, "");
    wrapped_put(answer->file, plain(text + indent), LABEL_COLUMNS + indent, table_width());
    ((struct text_answer *)answer)->has_said = true;
}

static void chart(struct answer *answer, const struct answer_chart *chart)
{
    struct text_chart_style style = {.utf8 = charset_stdout_is_utf8(),
                                     .colour = answer->file == stdout && table_stdout_has_colour()};
    text_chart_print(answer->file, chart, &style);
}

static void head(struct answer *answer, const char *heading)
{
    bool has_colour = answer->file == stdout && table_stdout_has_colour();
    struct text_answer *self = (struct text_answer *)answer;
    fprintf(answer->file, "\n%s%s%s\n", has_colour ? "\033[1m" : "", heading,
            has_colour ? "\033[0m" : "");
    self->has_said = false; /* a table follows at once */
}

static void bars(struct answer *answer, const struct answer_histogram *histogram)
{
    int width = table_width();
    struct bars_style style = {width > 0 ? width : USUAL_TERMINAL, charset_stdout_is_utf8(),
                               answer->file == stdout && table_stdout_has_colour()};
    bars_print(answer->file, histogram->bars, histogram->count, &style);
}

/* ---- Tables of fixed width, as pprof's ------------------------------------------------ */

static int fixed_width(const struct answer_column *column)
{
    return column->width > 0              ? column->width
           : column->kind == ANSWER_SHARE ? SHARE_WIDTH
                                          : AMOUNT_WIDTH;
}

/* What the terminal has left of a line for names and what stands before them; 0 for no end of it. */
static int room_for_name(const struct text_answer *self)
{
    int width = table_width(), figures = -1; /* the first has no space before it */
    for (size_t i = 0; i < self->count && cell_is_number(self->columns[i]); i++)
        figures += fixed_width(self->columns[i]) + 1;
    return width == 0 ? 0 : width > figures + LEAST_NAME ? width - figures : LEAST_NAME;
}

static void begin_fixed(struct text_answer *self, const struct answer_layout *layout)
{
    const char *before = "";
    self->room = room_for_name(self);
    if (layout->heading) {
        fputs(layout->heading, self->answer.file);
        return;
    }
    for (size_t i = 0; i < self->count && cell_is_number(self->columns[i]); i++, before = " ")
        fprintf(self->answer.file, "%s%*s", before, fixed_width(self->columns[i]),
                self->columns[i]->title);
    fputc('\n', self->answer.file);
}

static void rule(struct answer *answer)
{
    fprintf(answer->file, "%s\n", answer_section(answer)->table->layout.rule);
}

/* The bar, how far the name goes in, and the bars of a tree.  Borrowed until the next row. */
static const char *before_name(struct text_answer *self, const struct answer_section *section,
                               const void *row, unsigned indent)
{
    const struct answer_table *table = section->table;
    struct text *before = &self->before;
    before->size = 0;
    text_put_string(before, table->layout.bar ? table->layout.bar : "  ");
    while (indent-- > 0)
        text_put_string(before, "  ");
    if (table->branch)
        tree_bars_put(&self->bars, table->branch(row, section->context), before);
    text_put_char(before, 0);
    self->answer.failed |= before->failed;
    return before->failed ? "" : before->bytes;
}

static void put_name(struct text_answer *self, const struct answer_section *section,
                     const struct answer_column *column, const void *row,
                     const struct answer_value *value)
{
    const char *before = before_name(self, section, row, value->indent);
    const char *name = value->is_known ? value->text : "";
    if (column->kind == ANSWER_TEXT)
        fprintf(self->answer.file, "%s%s\n", before, plain_as(name, PLAIN_KEEP_TABS));
    else
        table_put_name(self->answer.file, before, name, value->after ? value->after : "",
                       self->room);
}

static void put_blanks(FILE *file, int count)
{
    while (count-- > 0)
        putc_unlocked(' ', file);
}

/* Figures that are not known leave their room to those that follow. */
static void put_fixed_row(struct text_answer *self, const struct answer_section *section,
                          const void *row)
{
    char text[CELL_BYTES];
    FILE *file = self->answer.file;
    int room = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct answer_column *column = self->columns[i];
        struct answer_value value = answer_value_of(section, column, row);
        if (!cell_is_number(column)) {
            put_blanks(file, room);
            put_name(self, section, column, row, &value);
        } else if (!value.is_known) {
            room += fixed_width(column) + (i > 0);
        } else {
            const char *cell = cell_fixed_text(text, section, column, &value);
            fprintf(file, "%s%*s", i > 0 && room == 0 ? " " : "",
                    room + fixed_width(column) + (i > 0 && room > 0), cell);
            room = 0;
        }
        answer_value_release(&value);
    }
    if (self->count > 0 && cell_is_number(self->columns[self->count - 1]))
        fputc('\n', file);
}

/* ---- Fitted tables ------------------------------------------------------------------- */

static bool begin_fitted(struct text_answer *self)
{
    struct table_column columns[TABLE_COLUMNS_MAX];
    self->name_column = -1;
    for (size_t i = 0; i < self->count; i++) {
        const struct answer_column *column = self->columns[i];
        bool is_name = column->kind == ANSWER_NAME,
             is_cut = is_name || column->kind == ANSWER_PLACE;
        columns[i] = (struct table_column){column->title,
                                           cell_is_number(column),
                                           is_cut,
                                           is_cut,
                                           is_name && self->name_column < 0,
                                           column->kind == ANSWER_PLACE,
                                           (column->flags & ANSWER_SPARE) != 0,
                                           (column->flags & ANSWER_SPARE) != 0 &&
                                               (is_name || column->kind == ANSWER_SERIES)};
        self->name_column = is_name && self->name_column < 0 ? (int)i : self->name_column;
    }
    return table_init(&self->table, columns, (int)self->count);
}

static bool add_below(struct text_answer *self, const struct answer_table *table, const void *row,
                      const char *const *texts)
{
    long above = table->above ? table->above(row) : ANSWER_NO_ROW;
    return above == ANSWER_NO_ROW
               ? table_add_below(&self->table, texts)
               : table_add_under(&self->table, self->first_below + (size_t)above, texts);
}

static bool put_fitted_row(struct text_answer *self, const struct answer_section *section,
                           const void *row)
{
    char cells[TABLE_COLUMNS_MAX][CELL_BYTES];
    const char *texts[TABLE_COLUMNS_MAX];
    struct answer_value values[TABLE_COLUMNS_MAX];
    bool is_below = self->answer.depth > 1;
    for (size_t i = 0; i < self->count; i++) {
        const struct answer_column *own =
            is_below ? cell_column_like(section, self->columns[i]) : self->columns[i];
        values[i] = own ? answer_value_of(section, own, row) : answer_nothing();
        texts[i] = own ? cell_text(cells[i], section, own, &values[i]) : "";
    }
    bool done =
        is_below ? add_below(self, section->table, row, texts) : table_add(&self->table, texts);
    for (size_t i = 0; i < self->count; i++)
        answer_value_release(&values[i]);
    return done;
}

static void print_fitted(struct text_answer *self)
{
    if (self->has_rows) {
        if (self->has_said)
            fputc('\n', self->answer.file);
        table_print_to(&self->table, self->answer.file);
        self->has_said = true;
    }
    table_release(&self->table);
}

/* ---- Groups -------------------------------------------------------------------------- */

static bool put_group_row(struct text_answer *self, const struct answer_section *section,
                          const void *row)
{
    return is_grouped(&self->answer) ? groups_row(&self->groups, section, row)
                                     : groups_head(&self->groups, self->answer.file, section, row);
}

/* ---- The form ------------------------------------------------------------------------ */

static bool is_fixed(const struct answer_section *section)
{
    return section->table->style == ANSWER_FIXED;
}

/* The outermost section is, of which those within are lines. */
static bool is_barred(const struct answer *answer)
{
    return answer->open[0]->table->style == ANSWER_BARRED;
}

static bool has_room(void)
{
    int width = table_width();
    return width == 0 || width >= WIDE_TERMINAL;
}

static void begin(struct answer *answer, const struct answer_section *section)
{
    struct text_answer *self = (struct text_answer *)answer;
    if (self->is_table_open)
        self->first_below = table_rows(&self->table);
    if (answer->depth > 1 || section->table->shape == ANSWER_RECORD ||
        section->table->style == ANSWER_GROUPED)
        return;
    self->has_rows = false;
    if (is_barred(answer)) {
        answer->failed |= !barred_begin(&self->barred, answer->file, section);
        return;
    }
    self->count = cell_columns(self->columns, TABLE_COLUMNS_MAX, section, has_room());
    if (is_fixed(section)) {
        begin_fixed(self, &section->table->layout);
        return;
    }
    self->is_table_open = begin_fitted(self);
    answer->failed |= !self->is_table_open;
}

static void row(struct answer *answer, const void *row)
{
    struct text_answer *self = (struct text_answer *)answer;
    const struct answer_section *section = answer_section(answer);
    self->has_rows = true;
    if (answer->open[0]->table->shape == ANSWER_RECORD)
        return;
    if (is_barred(answer))
        answer->failed |= !barred_row(&self->barred, section, (unsigned)answer->depth - 1, row);
    else if (section->table->style == ANSWER_GROUPED)
        answer->failed |= !put_group_row(self, section, row);
    else if (is_fixed(section))
        put_fixed_row(self, section, row);
    else if (self->is_table_open)
        answer->failed |= !put_fitted_row(self, section, row);
}

static void end(struct answer *answer)
{
    struct text_answer *self = (struct text_answer *)answer;
    if (is_grouped(answer))
        groups_end(&self->groups, answer->file);
    if (answer->depth == 1 && is_barred(answer))
        barred_end(&self->barred);
    if (answer->depth > 1 || !self->is_table_open)
        return;
    print_fitted(self);
    self->is_table_open = false;
}

static void finish(struct answer *answer)
{
    struct text_answer *self = (struct text_answer *)answer;
    tree_bars_release(&self->bars);
    text_release(&self->before);
    groups_release(&self->groups);
}

struct answer *text_answer(FILE *file)
{
    static const struct answer_form form = {"text", ANSWER_IN_TEXT, say,     begin, row,
                                            end,    finish,         explain, rule,  chart,
                                            head,   bars,           fact};
    struct text_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    return &self->answer;
}
