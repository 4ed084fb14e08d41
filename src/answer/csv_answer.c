#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/csv.h"
#include "answer/forms.h"

struct csv_answer {
    struct answer answer; /* first: the form's functions get it */
    struct csv csv;
};

static bool is_told(const struct answer_section *section, const struct answer_column *column)
{
    return column->key && !(column->flags & ANSWER_NO_CSV) && answer_has(section, column);
}

static void begin(struct answer *answer, const struct answer_section *section)
{
    struct csv_answer *self = (struct csv_answer *)answer;
    if (answer->depth > 1) /* its rows have the columns of the one around it */
        return;
    for (size_t i = 0; i < section->table->count; i++)
        if (is_told(section, &section->table->columns[i]))
            csv_text(&self->csv, section->table->columns[i].key);
    csv_end_row(&self->csv);
}

static void put_series(struct csv *csv, const struct answer_value *value)
{
    char text[1024] = "";
    size_t size = 0;
    for (size_t i = 0; i < value->count && size < sizeof text; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%.0f", i > 0 ? " " : "",
                                 value->series[i]);
    csv_text(csv, text);
}

static void put_integer(struct csv *csv, int64_t integer)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, integer);
    csv_text(csv, text);
}

static void put_value(struct csv *csv, const struct answer_column *column,
                      const struct answer_value *value)
{
    if (!value->is_known)
        csv_text(csv, NULL);
    else if (value->is_plain)
        csv_plain(csv, value->text);
    else if (column->kind <= ANSWER_PLACE)
        csv_text(csv, value->text);
    else if (column->kind == ANSWER_INTEGER)
        put_integer(csv, value->integer);
    else if (column->kind == ANSWER_ADDRESS)
        csv_uint(csv, (uint64_t)value->integer);
    else if (column->kind == ANSWER_SERIES)
        put_series(csv, value);
    else if (column->kind == ANSWER_SHARE || column->kind == ANSWER_SHIFT)
        csv_double(csv, value->number, 6);
    else
        csv_double(csv, value->number, 3);
}

/* The column of the innermost section with the same key; NULL for none. */
static const struct answer_column *column_like(const struct answer_section *section,
                                               const struct answer_column *column)
{
    for (size_t i = 0; i < section->table->count; i++) {
        const struct answer_column *own = &section->table->columns[i];
        if (is_told(section, own) && strcmp(own->key, column->key) == 0)
            return own;
    }
    return NULL;
}

static void row(struct answer *answer, const void *row)
{
    struct csv_answer *self = (struct csv_answer *)answer;
    const struct answer_section *outer = answer->open[0], *section = answer_section(answer);
    for (size_t i = 0; i < outer->table->count; i++) {
        const struct answer_column *column = &outer->table->columns[i];
        if (!is_told(outer, column))
            continue;
        const struct answer_column *own = section == outer ? column : column_like(section, column);
        struct answer_value value = own ? answer_value_of(section, own, row) : answer_nothing();
        put_value(&self->csv, column, &value);
        answer_value_release(&value);
    }
    csv_end_row(&self->csv);
}

static void end(struct answer *answer)
{
    (void)answer;
}

static void finish(struct answer *answer)
{
    (void)answer;
}

struct answer *csv_answer(FILE *file)
{
    static const struct answer_form form = {"csv", ANSWER_IN_CSV, NULL, begin, row, end, finish};
    struct csv_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    csv_init(&self->csv, file);
    return &self->answer;
}
