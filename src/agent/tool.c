#include "agent/tool.h"

#include <stdio.h>
#include <string.h>

#include "report/head.h"
#include "report/reports.h"

static const struct tool *const tools[] = {&tool_diagnose, &tool_files,  &tool_ask,   &tool_source,
                                           &tool_compare,  &tool_expect, &tool_record};

const struct tool *tool_at(size_t number)
{
    return number < sizeof tools / sizeof tools[0] ? tools[number] : NULL;
}

bool tool_is_allowed(const struct tool *tool, const struct agent_options *options)
{
    return !tool->is_writing || options->program_count > 0;
}

const struct tool *tool_find(const char *name, const struct agent_options *options)
{
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(tools[i]->name, name) == 0 && tool_is_allowed(tools[i], options))
            return tools[i];
    return NULL;
}

/* ---- Schemas ------------------------------------------------------------------------------- */

json_t *tool_input_schema(const struct tool *tool, const struct agent_options *options)
{
    return arguments_schema(tool->arguments, options);
}

static json_t *of_type(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

static json_t *of_column(const struct answer_column *column)
{
    const char *type = column->kind <= ANSWER_PLACE     ? "string"
                       : column->kind == ANSWER_FLAG    ? "boolean"
                       : column->kind == ANSWER_SERIES  ? "array"
                       : column->kind == ANSWER_INTEGER ? "integer"
                                                        : "number";
    return of_type(type);
}

static void put_columns(json_t *properties, const struct answer_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct answer_column *column = &table->columns[i];
        if (!column->key || column->flags & ANSWER_NO_JSON)
            continue;
        json_object_set_new(properties, column->key, of_column(column));
        char bound[64];
        for (int high = 0; column->flags & ANSWER_HAS_RANGE && high < 2; high++) {
            snprintf(bound, sizeof bound, "%s_%s", column->key, high ? "high" : "low");
            json_object_set_new(properties, bound, of_type("number"));
        }
    }
}

static json_t *of_columns(const struct answer_table *table)
{
    json_t *properties = json_object();
    put_columns(properties, table);
    return json_pack("{s:s,s:o}", "type", "object", "properties", properties);
}

/* What has nothing is left out of an agent's answer, so nothing has to be there.  `heaptap help json` describes the columns. */
static void put_table(json_t *properties, const struct answer_table *table)
{
    bool has_members = table->shape == ANSWER_RECORD || table->shape == ANSWER_ROWS;
    if (!(table->forms & ANSWER_IN_JSON))
        return;
    if (!table->key) {
        put_columns(properties, table);
        return;
    }
    json_t *row = has_members                   ? of_columns(table)
                  : table->shape == ANSWER_LIST ? of_column(table->columns)
                                                : of_type("object");
    bool is_array = table->shape == ANSWER_ROWS || table->shape == ANSWER_LIST;
    if (is_array)
        row = json_pack("{s:s,s:o}", "type", "array", "items", row);
    json_object_set_new(properties, table->key, row);
}

static json_t *answer_schema(const char *report)
{
    const struct report_entry *entry = report ? report_entry_find(report) : NULL;
    json_t *properties = json_object();
    if (entry && entry->traits & REPORT_HAS_HEAD)
        for (const struct answer_table *const *table = report_head_tables; *table; table++)
            put_table(properties, *table);
    for (size_t i = 0; entry && entry->tables && entry->tables[i]; i++)
        put_table(properties, entry->tables[i]);
    return json_pack("{s:s,s:o}", "type", "object", "properties", properties);
}

json_t *tool_output_schema(const struct tool *tool)
{
    return json_pack("{s:s,s:{s:o,s:o,s:o,s:o}}", "type", "object", "properties", "text",
                     of_type("string"), "command", of_type("string"), "answer",
                     answer_schema(tool->answer), "cut", of_type("object"));
}
