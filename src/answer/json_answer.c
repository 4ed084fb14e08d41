#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "answer/range_json.h"
#include "answer/columns.h"
#include "answer/forms.h"

struct json_answer {
    struct answer answer; /* first: the form's functions get it */
    struct json json;
    const char *columns; /* of rows: those that are told, with commas between; "" for all */
    bool has_row[ANSWER_DEPTH_MAX + 1]; /* by depth: an object is open in the section's array */
    struct columns by_column;           /* of rows, where they are told so */
};

static bool is_inline(const struct answer_section *section)
{
    return section->table->shape == ANSWER_RECORD && !section->table->key;
}

static bool is_by_column(const struct answer *answer, const struct answer_section *section)
{
    return answer->form->bit == ANSWER_IN_COLUMNS && section->table->shape == ANSWER_ROWS;
}

static void begin(struct answer *answer, const struct answer_section *section)
{
    struct json_answer *self = (struct json_answer *)answer;
    self->has_row[answer->depth] = false;
    if (is_inline(section))
        return;
    json_key(&self->json, section->table->key);
    if (section->table->shape == ANSWER_PAIRS || is_by_column(answer, section))
        json_begin_object(&self->json);
    else if (section->table->shape != ANSWER_RECORD)
        json_begin_array(&self->json);
}

static void put_series(struct json *json, const struct answer_value *value)
{
    json_begin_array(json);
    for (size_t i = 0; i < value->count; i++)
        json_double(json, value->series[i]);
    json_end(json);
}

static void put_value(struct json *json, const struct answer_column *column,
                      const struct answer_value *value)
{
    if (!value->is_known)
        json_no_value(json);
    else if (column->kind <= ANSWER_PLACE)
        json_text(json, value->text);
    else if (column->kind == ANSWER_INTEGER)
        json_int(json, value->integer);
    else if (column->kind == ANSWER_ADDRESS)
        json_uint(json, (uint64_t)value->integer);
    else if (column->kind == ANSWER_FLAG)
        json_bool(json, value->number != 0);
    else if (column->kind == ANSWER_SERIES)
        put_series(json, value);
    else
        json_double(json, value->number);
}

static void put_range(struct json *json, const struct answer_column *column,
                      const struct answer_value *value)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s_", column->key);
    range_json_put(json, prefix, value->range);
}

/* Is a key one of those that are told of rows? */
static bool is_told(const char *columns, const char *key)
{
    size_t size = strlen(key);
    for (const char *at = columns; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && memcmp(at, key, size) == 0)
            return true;
    return !*columns;
}

static bool has_member(const struct json_answer *self, const struct answer_section *section,
                       const struct answer_column *column)
{
    return column->key && !(column->flags & ANSWER_NO_JSON) && answer_has(section, column) &&
           (section->table->shape != ANSWER_ROWS || is_told(self->columns, column->key));
}

static void put_members(struct json_answer *self, const struct answer_section *section,
                        const void *row)
{
    struct json *json = &self->json;
    for (size_t i = 0; i < section->table->count; i++) {
        const struct answer_column *column = &section->table->columns[i];
        if (!has_member(self, section, column))
            continue;
        struct answer_value value = answer_value_of(section, column, row);
        if (value.is_known || !(column->flags & ANSWER_OMIT)) {
            json_key(json, column->key);
            put_value(json, column, &value);
        }
        if (value.is_known && column->flags & ANSWER_HAS_RANGE && !value.has_no_range)
            put_range(json, column, &value);
        answer_value_release(&value);
    }
}

static void close_row(struct json_answer *self)
{
    if (self->has_row[self->answer.depth])
        json_end(&self->json);
    self->has_row[self->answer.depth] = false;
}

static void put_item(struct json *json, const struct answer_section *section, const void *row)
{
    const struct answer_column *column = section->table->columns;
    struct answer_value value = answer_value_of(section, column, row);
    put_value(json, column, &value);
    answer_value_release(&value);
}

static void put_pair(struct json *json, const struct answer_section *section, const void *row)
{
    const struct answer_column *columns = section->table->columns;
    struct answer_value key = answer_value_of(section, &columns[0], row);
    struct answer_value value = answer_value_of(section, &columns[1], row);
    json_key(json, key.text);
    put_value(json, &columns[1], &value);
    answer_value_release(&key);
    answer_value_release(&value);
}

static void add_to_columns(struct json_answer *self, const struct answer_section *section,
                           const void *row)
{
    for (size_t i = 0, number = 0; i < section->table->count; i++) {
        const struct answer_column *column = &section->table->columns[i];
        if (!has_member(self, section, column))
            continue;
        struct answer_value value = answer_value_of(section, column, row);
        self->answer.failed |= !columns_add(&self->by_column, number++, column, &value);
        answer_value_release(&value);
    }
}

/* The object stays open for tables within the row. */
static void row(struct answer *answer, const void *row)
{
    struct json_answer *self = (struct json_answer *)answer;
    const struct answer_section *section = answer_section(answer);
    if (is_by_column(answer, section)) {
        add_to_columns(self, section, row);
        return;
    }
    if (section->table->shape == ANSWER_PAIRS) {
        put_pair(&self->json, section, row);
        return;
    }
    if (section->table->shape == ANSWER_LIST) {
        put_item(&self->json, section, row);
        return;
    }
    if (!is_inline(section)) {
        close_row(self);
        json_begin_object(&self->json);
        self->has_row[answer->depth] = true;
    }
    put_members(self, section, row);
}

static void end(struct answer *answer)
{
    struct json_answer *self = (struct json_answer *)answer;
    close_row(self);
    columns_put(&self->by_column, &self->json);
    if (answer_section(answer)->table->shape != ANSWER_RECORD)
        json_end(&self->json);
}

static void remark(struct answer *answer, const char *key, const char *sentence)
{
    json_put_string(&((struct json_answer *)answer)->json, key, sentence);
}

static void finish(struct answer *answer)
{
    struct json_answer *self = (struct json_answer *)answer;
    json_end(&self->json);
    columns_release(&self->by_column);
}

struct answer *json_answer(FILE *file)
{
    static const struct answer_form form = {"json", ANSWER_IN_JSON,  NULL, begin, row, end,
                                            finish, .remark = remark};
    struct json_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    self->columns = "";
    json_init(&self->json, file);
    json_begin_object(&self->json);
    return &self->answer;
}

struct answer *json_line_answer(FILE *file)
{
    struct json_answer *self = (struct json_answer *)json_answer(file);
    if (self)
        self->json.compact = true;
    return (struct answer *)self;
}

struct answer *json_answer_shown(FILE *file, const char *columns)
{
    struct json_answer *self = (struct json_answer *)json_answer(file);
    if (self) {
        self->json.shown = self->json.compact = true;
        self->columns = columns;
    }
    return (struct answer *)self;
}

struct answer *columns_answer(FILE *file, const char *columns)
{
    static const struct answer_form form = {"columns", ANSWER_IN_COLUMNS, NULL, begin, row, end,
                                            finish,    .remark = remark};
    struct answer *answer = json_answer_shown(file, columns);
    if (answer)
        answer->form = &form;
    return answer;
}
