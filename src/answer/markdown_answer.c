#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "answer/bars.h"
#include "answer/cell.h"
#include "answer/forms.h"
#include "answer/text_chart.h"
#include "answer/tree_bars.h"

enum { COLUMNS_MAX = 32, BARS_COLUMNS = 80 };

struct markdown_answer {
    struct answer answer;                             /* first: the form's functions get it */
    const struct answer_column *columns[COLUMNS_MAX]; /* of the outermost section */
    size_t count;
    bool has_head;         /* of the table that is open: it is written with the first row */
    bool has_said;         /* something stands above */
    bool in_list;          /* of facts, which go on without a blank line */
    struct tree_bars bars; /* of a tree that is open */
};

/* Characters that mean something to Markdown are told by a backslash.  The text is in plain form. */
static void put_marked(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>|#~&", *text))
            fputc('\\', file);
        fputc(*text, file);
    }
}

/* Of any text. */
static void put_escaped(FILE *file, const char *text)
{
    put_marked(file, plain(text));
}

static void separate(struct markdown_answer *self)
{
    if (self->has_said)
        fputc('\n', self->answer.file);
    self->has_said = true;
    self->in_list = false;
}

static void say(struct answer *answer, const char *sentence)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    if (!*sentence)
        return;
    separate(self);
    self->has_head = false; /* a table that is open begins again below the sentence */
    put_marked(answer->file, sentence + strspn(sentence, " ")); /* spaces would make it code */
    fputc('\n', answer->file);
}

/* Items of a list; those without a label stand below the one before. */
static void fact(struct answer *answer, const char *label, const char *text)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    size_t indent = strspn(text, " ");
    if (!self->in_list)
        separate(self);
    self->in_list = true;
    if (*label)
        fprintf(answer->file, "- **%s** ", label);
    else
        fprintf(answer->file, "%*s- ", 2 + (int)indent, "");
    put_escaped(answer->file, text + indent);
    fputc('\n', answer->file);
}

/* As people see it in a terminal. */
static void chart(struct answer *answer, const struct answer_chart *chart)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    struct text_chart_style style = {.utf8 = true};
    separate(self);
    fputs("```\n", answer->file);
    text_chart_print(answer->file, chart, &style);
    fputs("```\n", answer->file);
}

static void head(struct answer *answer, const char *heading)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    separate(self);
    fputs("### ", answer->file);
    put_marked(answer->file, heading);
    fputc('\n', answer->file);
}

static void bars(struct answer *answer, const struct answer_histogram *histogram)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    struct bars_style style = {BARS_COLUMNS, true, false};
    separate(self);
    fputs("```\n", answer->file);
    bars_print(answer->file, histogram->bars, histogram->count, &style);
    fputs("```\n", answer->file);
}

static void begin(struct answer *answer, const struct answer_section *section)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    if (answer->depth > 1)
        return;
    self->has_head = false;
    self->count = section->table->shape == ANSWER_RECORD
                      ? 0
                      : cell_columns(self->columns, COLUMNS_MAX, section, true);
}

static void put_head(struct markdown_answer *self)
{
    FILE *file = self->answer.file;
    separate(self);
    for (size_t i = 0; i < self->count; i++) {
        const char *title = self->columns[i]->title;
        fputs("| ", file);
        put_escaped(file, *title ? title : "name");
        fputc(' ', file);
    }
    fputs("|\n", file);
    for (size_t i = 0; i < self->count; i++)
        fputs(cell_is_number(self->columns[i]) ? "|---:" : "|---", file);
    fputs("|\n", file);
    self->has_head = true;
}

/* What stands before a name, two spaces for each row that it stands below. */
static void put_indent(struct markdown_answer *self, const struct answer_section *section,
                       const void *row, const struct answer_value *value)
{
    size_t indent = (size_t)self->answer.depth - 1 + value->indent;
    if (section->table->branch &&
        !tree_bars_step(&self->bars, section->table->branch(row, section->context), &indent))
        self->answer.failed = true;
    while (indent-- > 0)
        fputs("&nbsp;&nbsp;", self->answer.file);
}

static void put_cell(struct markdown_answer *self, const struct answer_section *section,
                     const struct answer_column *column, const struct answer_column *own,
                     const void *row)
{
    char text[CELL_BYTES];
    FILE *file = self->answer.file;
    struct answer_value value = own ? answer_value_of(section, own, row) : answer_nothing();
    fputs("| ", file);
    if (column->kind == ANSWER_NAME)
        put_indent(self, section, row, &value);
    if (own)
        put_escaped(file, cell_text(text, section, own, &value));
    if (value.after)
        put_escaped(file, value.after);
    fputc(' ', file);
    answer_value_release(&value);
}

static void row(struct answer *answer, const void *row)
{
    struct markdown_answer *self = (struct markdown_answer *)answer;
    const struct answer_section *section = answer_section(answer);
    if (self->count == 0)
        return;
    if (!self->has_head)
        put_head(self);
    for (size_t i = 0; i < self->count; i++) {
        const struct answer_column *column = self->columns[i];
        put_cell(self, section, column,
                 answer->depth > 1 ? cell_column_like(section, column) : column, row);
    }
    fputs("|\n", answer->file);
}

static void end(struct answer *answer)
{
    (void)answer;
}

static void finish(struct answer *answer)
{
    tree_bars_release(&((struct markdown_answer *)answer)->bars);
}

static void remark(struct answer *answer, const char *key, const char *sentence)
{
    (void)key;
    say(answer, plain(sentence));
}

struct answer *markdown_answer(FILE *file)
{
    static const struct answer_form form = {
        "markdown", ANSWER_IN_TEXT, say,   begin, row,  end,  finish,
        say,        NULL,           chart, head,  bars, fact, .remark = remark};
    struct markdown_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    return &self->answer;
}
