#include "answer/schema.h"

static const char *type_of(const struct answer_column *column)
{
    static const char *const types[] = {
        [ANSWER_TEXT] = "text",
        [ANSWER_NAME] = "text",
        [ANSWER_PLACE] = "text",
        [ANSWER_BYTES] = "bytes",
        [ANSWER_COUNT] = "count",
        [ANSWER_WHOLE] = "whole number",
        [ANSWER_DECIMAL] = "number",
        [ANSWER_INTEGER] = "whole number",
        [ANSWER_ADDRESS] = "address",
        [ANSWER_AMOUNT] = "value",
        [ANSWER_CHANGE] = "change of a value",
        [ANSWER_SHARE] = "share",
        [ANSWER_SHIFT] = "change of a share",
        [ANSWER_TIME] = "microseconds",
        [ANSWER_FLAG] = "true or false",
        [ANSWER_SERIES] = "numbers",
    };
    return types[column->kind];
}

static void print_column(FILE *file, const struct answer_table *table,
                         const struct answer_column *column)
{
    bool in_csv = table->forms & ANSWER_IN_CSV && !(column->flags & ANSWER_NO_CSV);
    const char *title = table->forms & ANSWER_IN_TEXT && column->title ? column->title : "";
    fprintf(file, "| `%s` | %s | %s | %s | %s%s%s |\n", column->key, type_of(column), title,
            column->flags & ANSWER_NO_JSON ? "only"
            : in_csv                       ? "yes"
                                           : "",
            column->help, column->when ? "; where the file has it" : "",
            column->flags & ANSWER_HAS_RANGE ? "; with its bounds of 95 % as `_low` and `_high`"
                                             : "");
}

static void print_table(FILE *file, const struct answer_table *table)
{
    if (!(table->forms & ANSWER_IN_JSON))
        fprintf(file, "\nOther forms than JSON have a table; each row: %s:\n", table->help);
    else if (table->key)
        fprintf(file, "\n`%s`, %s%s:\n", table->key,
                table->shape == ANSWER_ROWS    ? "an array; each: "
                : table->shape == ANSWER_LIST  ? "an array of values; each: "
                : table->shape == ANSWER_PAIRS ? "an object with a member for each: "
                                               : "an object: ",
                table->help);
    else
        fprintf(file, "\nMembers of the answer itself%s%s:\n", table->help ? ", " : "",
                table->help ? table->help : "");
    fputs("\n| key | kind | title in text | in CSV | what |\n|---|---|---|---|---|\n", file);
    for (size_t i = 0; i < table->count; i++)
        if (table->columns[i].key)
            print_column(file, table, &table->columns[i]);
}

void schema_print(FILE *file, const char *report, const struct answer_table *const *head,
                  const struct answer_table *const *tables)
{
    fprintf(file, "\n## %s\n", report);
    for (; head && *head; head++)
        print_table(file, *head);
    for (; *tables; tables++)
        print_table(file, *tables);
}

/* ---- For programs ---------------------------------------------------------------------- */

static void put_column(struct json *json, const struct answer_column *column)
{
    json_begin_object(json);
    json_put_string(json, "key", column->key);
    json_put_string(json, "title", column->title);
    json_put_string(json, "kind", type_of(column));
    json_put_string(json, "help", column->help);
    json_end(json);
}

static void put_table(struct json *json, const struct answer_table *table)
{
    static const char *const shapes[] = {[ANSWER_ROWS] = "rows",
                                         [ANSWER_LIST] = "list",
                                         [ANSWER_PAIRS] = "pairs",
                                         [ANSWER_RECORD] = "record"};
    json_begin_object(json);
    json_put_string(json, "key", table->key);
    json_put_string(json, "shape", shapes[table->shape]);
    json_put_string(json, "help", table->help);
    json_key(json, "columns");
    json_begin_array(json);
    for (size_t i = 0; i < table->count; i++)
        if (table->columns[i].key && !(table->columns[i].flags & ANSWER_NO_JSON))
            put_column(json, &table->columns[i]);
    json_end(json);
    json_end(json);
}

void schema_put_json(struct json *json, const struct answer_table *const *tables)
{
    json_key(json, "tables");
    json_begin_array(json);
    for (; *tables; tables++)
        if ((*tables)->forms & ANSWER_IN_JSON)
            put_table(json, *tables);
    json_end(json);
}
