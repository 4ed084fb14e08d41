#include "answer/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/measure.h"
#include "base/plain.h"
#include "answer/cell.h"
#include "base/text.h"
#include "base/utf8.h"

static const struct answer_column *column_of(const struct answer_section *section,
                                             enum answer_kind kind)
{
    for (size_t i = 0; i < section->table->count; i++) {
        const struct answer_column *column = &section->table->columns[i];
        if (column->kind == kind && cell_is_shown(section, column))
            return column;
    }
    return NULL;
}

static struct answer_value value_of(const struct answer_section *section, enum answer_kind kind,
                                    const void *row)
{
    const struct answer_column *column = column_of(section, kind);
    return column ? answer_value_of(section, column, row) : answer_nothing();
}

/* NULL when there is no memory. */
static char *name_of(const struct answer_section *section, const void *row)
{
    struct answer_value value = value_of(section, ANSWER_NAME, row);
    char *name = strdup(value.is_known ? plain(value.text) : "");
    answer_value_release(&value);
    return name;
}

/* "1.5kB" */
static int put_amount(char *text, const struct answer_section *section, const void *row)
{
    const char *unit;
    double value = value_of(section, ANSWER_AMOUNT, row).number;
    double scaled = measure_scale(round(value), section->unit,
                                  section->shown_unit ? section->shown_unit : "minimum", &unit);
    return snprintf(text, MEASURE_TEXT_BYTES, "%.1f%s", scaled, plain(unit));
}

bool groups_head(struct groups *groups, FILE *file, const struct answer_section *section,
                 const void *row)
{
    char amount[MEASURE_TEXT_BYTES], *name = name_of(section, row);
    if (!name)
        return false;
    groups->indent = (int)utf8_width(name) + 1 + 1; /* with the colon, and a space before it */
    put_amount(amount, section, row);
    fprintf(file, " %s: %s %s\n", name, column_of(section, ANSWER_AMOUNT)->title, amount);
    free(name);
    return true;
}

bool groups_row(struct groups *groups, const struct answer_section *section, const void *row)
{
    char amount[MEASURE_TEXT_BYTES], percent[MEASURE_TEXT_BYTES];
    struct answer_value share = value_of(section, ANSWER_SHARE, row);
    struct group_row made = {.name = name_of(section, row)};
    put_amount(amount, section, row);
    if (share.is_known)
        measure_percent(percent, share.number, 1);
    made.cell =
        share.is_known ? text_format("%s (%s):", amount, percent) : text_format("%s:", amount);
    if (made.cell && made.name &&
        ARRAY_RESERVE(&groups->rows, &groups->capacity, groups->count + 1)) {
        groups->rows[groups->count++] = made;
        return true;
    }
    free(made.cell);
    free(made.name);
    return false;
}

bool groups_say(struct groups *groups, const char *sentence)
{
    for (int i = 0; i <= groups->indent; i++)
        text_put_char(&groups->said, ' ');
    text_put_string(&groups->said, sentence);
    text_put_char(&groups->said, '\n');
    return !groups->said.failed;
}

static void clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->rows[i].cell);
        free(groups->rows[i].name);
    }
    groups->count = 0;
    text_release(&groups->said);
    groups->said = (struct text){0};
}

void groups_end(struct groups *groups, FILE *file)
{
    int width = 0;
    for (size_t i = 0; i < groups->count; i++) {
        int size = (int)strlen(groups->rows[i].cell);
        width = size > width ? size : width;
    }
    for (size_t i = 0; i < groups->count; i++)
        fprintf(file, "%*s%*s %s\n", groups->indent, "", width + 1, groups->rows[i].cell,
                groups->rows[i].name);
    if (groups->said.size > 0)
        fwrite(groups->said.bytes, 1, groups->said.size, file);
    fputc('\n', file);
    clear(groups);
}

void groups_release(struct groups *groups)
{
    clear(groups);
    free(groups->rows);
}
