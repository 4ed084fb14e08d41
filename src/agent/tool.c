#include "agent/tool.h"

#include <string.h>

#include "agent/fit.h"

static const struct tool *const tools[] = {&tool_files,   &tool_ask,    &tool_source,
                                           &tool_compare, &tool_expect, &tool_record};

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

json_t *tool_property(const char *type, const char *description)
{
    return json_pack("{s:s,s:s}", "type", type, "description", description);
}

json_t *tool_schema(json_t *properties, const char *required)
{
    json_t *names = json_array();
    while (*required) {
        size_t size = strcspn(required, " ");
        json_array_append_new(names, json_stringn(required, size));
        required += size + (required[size] == ' ');
    }
    return json_pack("{s:s,s:o,s:o,s:b}", "type", "object", "properties", properties, "required",
                     names, "additionalProperties", 0);
}

static void put_word(struct text *text, const char *word)
{
    bool is_plain = *word && !word[strcspn(word, " '\"\\$`*?<>|&;()[]{}!#~\n\t")];
    text_put_string(text, is_plain ? " " : " '");
    for (; *word; word++)
        *word == '\'' ? text_put_string(text, "'\\''") : text_put_char(text, *word);
    text_put_string(text, is_plain ? "" : "'");
}

/* The command as a person would type it in a shell, below the root. */
static json_t *command_text(const struct call *call)
{
    struct text text = {0};
    size_t root = strlen(call->options->root);
    text_put_string(&text, "heaptap");
    for (size_t i = 1; i < call->command.count; i++) {
        const char *word = call->command.items[i];
        bool is_below = strncmp(word, call->options->root, root) == 0 && word[root] == '/';
        put_word(&text, is_below ? word + root + 1 : word);
    }
    json_t *string = json_stringn(text.bytes, text.failed ? 0 : text.size);
    text_release(&text);
    return string;
}

enum { ROOM_LEAST = 500 };

json_t *tool_result(struct call *call, json_t *answer, json_t *next)
{
    json_t *result = json_pack("{s:o}", "command", command_text(call));
    if (next && json_array_size(next) > 0)
        json_object_set(result, "next", next);
    json_decref(next);
    size_t around =
        fit_size(result) +
        sizeof ",\"answer\":,\"cut\":{\"xxxxxxxxxxxxxxxx\":{\"shown\":10000,\"of\":10000}}";
    size_t budget = call->options->budget;
    json_t *cut = fit_json(answer, budget > around + ROOM_LEAST ? budget - around : ROOM_LEAST);
    json_object_set_new(result, "answer", answer);
    if (json_object_size(cut) > 0)
        json_object_set(result, "cut", cut);
    json_decref(cut);
    return result;
}
