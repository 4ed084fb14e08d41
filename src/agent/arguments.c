#include "agent/arguments.h"

#include <string.h>

#include "agent/call.h"

/* ---- The schema ---------------------------------------------------------------------------- */

static json_t *description(const struct argument *argument, const struct agent_options *options)
{
    struct text text = {0};
    text_put_string(&text, argument->help);
    if (argument->describe)
        argument->describe(&text, options);
    json_t *string = text.failed ? NULL : json_stringn(text.bytes, text.size);
    text_release(&text);
    return string;
}

static json_t *property(const struct argument *argument, const struct agent_options *options)
{
    static const char *const types[] = {[ARGUMENT_TEXT] = "string",
                                        [ARGUMENT_WHOLE] = "integer",
                                        [ARGUMENT_FLAG] = "boolean",
                                        [ARGUMENT_WORDS] = "array",
                                        [ARGUMENT_OPTIONS] = "object"};
    json_t *property = json_pack("{s:s,s:o*}", "type", types[argument->kind], "description",
                                 description(argument, options));
    if (argument->kind == ARGUMENT_WORDS) {
        json_object_set_new(property, "items", json_pack("{s:s}", "type", "string"));
        json_object_set_new(property, "minItems", json_integer(1));
    }
    if (argument->kind == ARGUMENT_WHOLE) {
        json_object_set_new(property, "minimum", json_integer(argument->least));
        json_object_set_new(property, "maximum", json_integer(argument->most));
    }
    json_t *words = argument->word ? json_array() : NULL;
    for (size_t i = 0; words && argument->word(i); i++)
        json_array_append_new(words, json_string(argument->word(i)));
    if (words)
        json_object_set_new(property, "enum", words);
    return property;
}

json_t *arguments_schema(const struct argument *table, const struct agent_options *options)
{
    json_t *properties = json_object(), *needed = json_array();
    for (const struct argument *argument = table; argument->name; argument++) {
        json_object_set_new(properties, argument->name, property(argument, options));
        if (argument->is_needed)
            json_array_append_new(needed, json_string(argument->name));
    }
    return json_pack("{s:s,s:o,s:o,s:b}", "type", "object", "properties", properties, "required",
                     needed, "additionalProperties", 0);
}

/* ---- Checking ------------------------------------------------------------------------------ */

static bool has_no_nul(const json_t *text)
{
    return json_string_length(text) == strlen(json_string_value(text));
}

static bool is_words(const json_t *value)
{
    const json_t *word;
    size_t i;
    json_array_foreach (value, i, word)
        if (!json_is_string(word) || !has_no_nul(word))
            return false;
    return json_array_size(value) > 0;
}

static bool is_options(const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member)
        if (!(json_is_string(member) && has_no_nul(member)) && !json_is_number(member) &&
            !json_is_boolean(member))
            return false;
    return json_is_object(value);
}

static bool is_word(const struct argument *argument, const char *text)
{
    size_t i = 0;
    while (argument->word && argument->word(i) && strcmp(argument->word(i), text) != 0)
        i++;
    return !argument->word || argument->word(i);
}

/* "a, b or c" */
static void put_word(struct text *words, const char *word, bool is_last)
{
    text_put_string(words, words->size == 0 ? "" : is_last ? " or " : ", ");
    text_put_string(words, word);
}

/* "there is no argument 'x': this tool takes file, filter or json" */
static bool refuse_name(struct call *call, const struct argument *table, const char *name)
{
    struct text words = {0};
    for (; table->name; table++)
        put_word(&words, table->name, !table[1].name);
    text_put_char(&words, 0);
    call_refuse(call, "there is no argument '%.60s': this tool takes %s", name,
                words.failed     ? "others"
                : words.size > 1 ? words.bytes
                                 : "none");
    text_release(&words);
    return false;
}

/* "'report' takes summary, info or top, not 'x'" */
static bool refuse_word(struct call *call, const struct argument *argument, const char *text)
{
    struct text words = {0};
    for (size_t i = 0; argument->word(i); i++)
        put_word(&words, argument->word(i), !argument->word(i + 1));
    text_put_char(&words, 0);
    call_refuse(call, "'%s' takes %s, not '%.60s'", argument->name, words.failed ? "" : words.bytes,
                text);
    text_release(&words);
    return false;
}

static bool check_text(struct call *call, const struct argument *argument, const json_t *value)
{
    if (!json_is_string(value))
        return call_refuse(call, "'%s' takes a text", argument->name);
    if (!has_no_nul(value))
        return call_refuse(call, "'%s' has a NUL character in it", argument->name);
    return is_word(argument, json_string_value(value)) ||
           refuse_word(call, argument, json_string_value(value));
}

static bool check_value(struct call *call, const struct argument *argument, const json_t *value)
{
    switch (argument->kind) {
    case ARGUMENT_TEXT:
        return check_text(call, argument, value);
    case ARGUMENT_WHOLE:
        return (json_is_integer(value) && json_integer_value(value) >= argument->least &&
                json_integer_value(value) <= argument->most) ||
               call_refuse(call, "'%s' takes a whole number from %ld to %ld", argument->name,
                           argument->least, argument->most);
    case ARGUMENT_FLAG:
        return json_is_boolean(value) ||
               call_refuse(call, "'%s' takes true or false", argument->name);
    case ARGUMENT_WORDS:
        return is_words(value) ||
               call_refuse(call, "'%s' takes a list of texts, such as [\"./app\", \"-v\"]",
                           argument->name);
    default:
        return is_options(value) ||
               call_refuse(
                   call,
                   "'%s' takes an object of texts, numbers, true and false, such as {\"top\": 5}",
                   argument->name);
    }
}

static const struct argument *find(const struct argument *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name ? table : NULL;
}

bool arguments_check(struct call *call, const struct argument *table)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(call->arguments, next, name, value)
    {
        const struct argument *argument = find(table, name);
        if (!argument)
            return refuse_name(call, table, name);
        if (json_is_null(value))
            json_object_del(call->arguments, name);
        else if (!check_value(call, argument, value))
            return false;
    }
    for (; table->name; table++)
        if (table->is_needed && !json_object_get(call->arguments, table->name))
            return call_refuse(call, "'%s' is missing", table->name);
    return true;
}
