#include "report/advice/cpp_parameter.h"

#include <stdio.h>
#include <string.h>

#include "report/sites/name_letter.h"

enum { HEAD_LINES = 6, BODY_LINES = 60, NAME_BYTES = 80, HEAD_BYTES = 600 };

/* ---- Signatures -------------------------------------------------------------------------- */

/* The comma or bracket that ends the first parameter of a list; NULL if the text ends before. */
static const char *parameter_end(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        if (depth == 0 && (*text == ',' || *text == ')'))
            return text;
        depth += strchr("(<[{", *text) != NULL;
        depth -= strchr(")>]}", *text) != NULL;
    }
    return NULL;
}

/* "names" of `const std::vector<std::string> names = {}`: the last word, which a type stands in front of. */
static bool parameter_name(char name[NAME_BYTES], const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t end = equals ? (size_t)(equals - text) : length;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    size_t start = end;
    while (start > 0 && is_name_letter(text[start - 1]))
        start--;
    snprintf(name, NAME_BYTES, "%.*s", (int)(end - start), text + start);
    return end > start && start > 0 && strchr(" >", text[start - 1]);
}

/* Is one of the parameters of the type, and by value?  Its name. */
static bool takes_value(char name[NAME_BYTES], const char *list, const char *type)
{
    const char *end;
    for (; (end = parameter_end(list)); list = end + 1) {
        size_t length = (size_t)(end - list);
        const char *at = strstr(list, type);
        bool is_value = at && at < end && !memchr(list, '&', length) &&
                        !memchr(list, '*', length) && !memchr(list, '(', length);
        if (is_value && parameter_name(name, list, length))
            return true;
        if (*end == ')')
            return false;
    }
    return false;
}

/* ---- Functions of the file --------------------------------------------------------------- */

/* Lines from the one with the head on, as one. */
static void join(char text[HEAD_BYTES], const struct source_file *file, size_t line)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = line; i < file->count && i < line + HEAD_LINES && used < HEAD_BYTES; i++)
        used += (size_t)snprintf(text + used, HEAD_BYTES - used, "%s ", file->lines[i]);
}

/* Up to the bracket in the first column, which ends the function. */
static bool moves(const struct source_file *file, size_t line, const char *name)
{
    char moved[NAME_BYTES + 8];
    snprintf(moved, sizeof moved, "move(%s)", name);
    for (size_t i = line; i < file->count && i < line + BODY_LINES && *file->lines[i] != '}'; i++)
        if (strstr(file->lines[i], moved))
            return true;
    return false;
}

/* Does the line begin the function's head, with a parameter by value: its name, and a bracket? */
static bool is_head(const struct source_file *file, size_t line, const char *function,
                    const char *type)
{
    char text[HEAD_BYTES], name[NAME_BYTES];
    const char *at = strstr(file->lines[line], function);
    size_t size = strlen(function);
    if (!at || at[size] != '(' || (at > file->lines[line] && is_name_letter(at[-1])))
        return false;
    size_t column = (size_t)(at - file->lines[line]) + size + 1;
    join(text, file, line);
    return column < strlen(text) && takes_value(name, text + column, type) &&
           !moves(file, line, name);
}

static bool takes_by_value(const struct source_file *file, const char *function, const char *type)
{
    for (size_t i = 0; i < file->count; i++)
        if (is_head(file, i, function, type))
            return true;
    return false;
}

bool cpp_calls_by_value(const struct evidence *evidence, const char *type)
{
    const struct evidence_sources *sources = evidence->sources;
    struct source_file file;
    if (!sources || evidence->is_maker || !evidence->place ||
        !sources->file(sources->context, evidence->place->file, &file))
        return false;
    for (const char *at = evidence->code; (at = strchr(at, '(')); at++) {
        const char *start = at;
        char function[NAME_BYTES];
        while (start > evidence->code && is_name_letter(start[-1]))
            start--;
        snprintf(function, sizeof function, "%.*s", (int)(at - start), start);
        if (*function && takes_by_value(&file, function, type))
            return true;
    }
    return false;
}
