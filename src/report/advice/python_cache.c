#include "report/advice/python_cache.h"

#include <string.h>

#include "base/affix.h"
#include "report/advice/source_code.h"
#include "report/sites/name_letter.h"

enum { CALLERS = 64 };

static const char *unindented(const char *line)
{
    return line + strspn(line, " \t");
}

/* Part of a text. */
struct name {
    const char *text;
    size_t size;
};

static bool is_name(struct name name, const char *text)
{
    return strlen(text) == name.size && memcmp(name.text, text, name.size) == 0;
}

/* `@lru_cache(maxsize=None)`, `@functools.lru_cache(None)`, `@cache` */
static bool is_unbounded(const char *line)
{
    struct name name = {unindented(line) + 1, 0};
    name.size = strspn(name.text, NAME_LETTERS);
    for (; name.text[name.size] == '.'; name.size = strspn(name.text, NAME_LETTERS))
        name.text += name.size + 1;
    const char *arguments = unindented(name.text + name.size);
    if (is_name(name, "cache"))
        return *arguments != '(';
    if (!is_name(name, "lru_cache") || *arguments != '(')
        return false;
    arguments = unindented(arguments + 1);
    if (begins_with(arguments, "maxsize"))
        arguments += 7 + strspn(arguments + 7, " =");
    return begins_with(arguments, "None");
}

/* The name of the function that the line begins; of no size where it begins none. */
static struct name defined(const char *line)
{
    const char *text = unindented(line);
    text += begins_with(text, "async ") ? 6 : 0;
    if (!begins_with(text, "def "))
        return (struct name){text, 0};
    return (struct name){text + 4, strspn(text + 4, NAME_LETTERS)};
}

/* Has the function that line `i` begins, from 0, such a decorator? */
static bool has_cache(const struct source_file *file, size_t i)
{
    while (i-- > 0 && *unindented(file->lines[i]) == '@')
        if (is_unbounded(file->lines[i]))
            return true;
    return false;
}

/* The last name of "Shape.area" and "outer.<locals>.area.<locals>.<listcomp>". */
static struct name last_name(const char *function)
{
    size_t end = strlen(function), size;
    for (;;) {
        size = 0;
        while (size < end && function[end - size - 1] != '.')
            size++;
        if (size == 0 || function[end - size] != '<' || size == end)
            break;
        end -= size + 1;
    }
    return (struct name){function + end - size, size};
}

static bool read_file(const struct evidence *evidence, const struct heaptap_location *place,
                      struct source_file *file)
{
    return evidence->sources && source_language_of(place->file) == LANGUAGE_PYTHON &&
           evidence->sources->file(evidence->sources->context, place->file, file);
}

/* Is it in a function with a cache? */
static bool is_within(const struct evidence *evidence, const struct heaptap_location *place)
{
    struct source_file file;
    struct name name = last_name(place->function);
    if (place->line <= 0 || !read_file(evidence, place, &file) || (size_t)place->line > file.count)
        return false;
    for (size_t i = (size_t)place->line; i-- > 0;) {
        struct name found = defined(file.lines[i]);
        if (found.size > 0 && found.size == name.size &&
            memcmp(found.text, name.text, name.size) == 0)
            return has_cache(&file, i);
    }
    return false;
}

static bool calls(const char *code, struct name name)
{
    for (const char *at = code; (at = strchr(at, '(')); at++)
        if ((size_t)(at - code) >= name.size && memcmp(at - name.size, name.text, name.size) == 0 &&
            !((size_t)(at - code) > name.size &&
              strchr(NAME_LETTERS, at[-(ptrdiff_t)name.size - 1])))
            return true;
    return false;
}

/* Does the line call a function with a cache? */
static bool is_argument(const struct evidence *evidence)
{
    struct source_file file;
    if (!read_file(evidence, evidence->place, &file))
        return false;
    for (size_t i = 0; i < file.count; i++) {
        struct name name = defined(file.lines[i]);
        if (name.size > 0 && i + 1 != (size_t)evidence->place->line && has_cache(&file, i) &&
            calls(evidence->code, name))
            return true;
    }
    return false;
}

bool python_is_cached(const struct evidence *evidence)
{
    const struct heaptap_location *callers[CALLERS];
    size_t count = evidence_callers(evidence, callers, CALLERS);
    for (size_t i = 0; i < count; i++)
        if (is_within(evidence, callers[i]))
            return true;
    return is_argument(evidence);
}
