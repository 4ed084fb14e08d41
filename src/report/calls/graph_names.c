/* Short names of functions: what every reader of a graph knows anyway is left out. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "report/calls/graph_dot.h"

static bool is_word(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

static size_t word_length(const char *text)
{
    size_t size = 0;
    while (is_word(text[size]))
        size++;
    return size;
}

/* The version of a Go module within a path, "/v2" before a slash or a dot: its place, and its
 * length in `*size`. */
static const char *find_version(const char *name, size_t *size)
{
    for (const char *at = name; (at = strstr(at, "/v")); at++) {
        size_t digits = strspn(at + 2, "0123456789");
        char after = at[2 + digits];
        bool is_version = digits > 0 && at[2] != '0' && !(digits == 1 && at[2] == '1');
        if (is_version && (after == '.' || after == '/')) {
            *size = 2 + digits;
            return at;
        }
    }
    return NULL;
}

/* Go: behind the last slash of a path that the name begins with. */
static const char *skip_path(const char *name)
{
    const char *last = NULL;
    for (const char *at = name; is_word(*at) || *at == '-' || *at == '.' || *at == '/'; at++)
        if (*at == '/' && at > name && at[-1] != '/')
            last = at + 1;
    return last && *last ? last : NULL;
}

/* Java: a class and its method behind a package; `*size` of its characters. */
static const char *skip_package(const char *name, size_t *size)
{
    const char *at = name;
    while (islower((unsigned char)*at) && at[word_length(at)] == '.')
        at += word_length(at) + 1;
    if (!isupper((unsigned char)*at))
        return NULL;
    const char *dot = at;
    while (is_word(*dot) || *dot == '$')
        dot++;
    if (*dot != '.')
        return NULL;
    const char *end = dot + 1;
    if (begins_with(end, "<init>"))
        end += 6;
    else
        while (islower((unsigned char)dot[1]) && (is_word(*end) || *end == '$'))
            end++;
    if (end == dot + 1 || (*end && *end != '('))
        return NULL;
    *size = (size_t)(end - at);
    return at;
}

/* C++: the innermost class and method behind namespaces, without arguments. */
static const char *skip_namespaces(const char *name, size_t *size)
{
    const char *part = name, *best = NULL;
    while (is_word(*part) && !isdigit((unsigned char)*part)) {
        const char *colons = part + word_length(part);
        if (!begins_with(colons, "::"))
            break;
        const char *method = colons + 2, *letter = part + strspn(part, "_");
        size_t length = word_length(method + (*method == '~'));
        if (part > name && isupper((unsigned char)*letter) && length > 0) {
            best = part;
            const char *end = method + (*method == '~') + length, *close = strrchr(end, '>');
            *size = (size_t)((*end == '<' && close ? close + 1 : end) - part);
        }
        part = method;
    }
    return best;
}

const char *graph_dot_short_name(struct names *names, const char *name)
{
    static const char anonymous[] = "(anonymous namespace)::";
    size_t size = 0;
    if (begins_with(name, anonymous))
        name += strlen(anonymous);
    const char *version = find_version(name, &size), *found;
    char *whole = strdup(name);
    if (!whole)
        return NULL;
    if (version)
        memmove(whole + (version - name), version + size, strlen(version + size) + 1);
    if ((found = skip_path(whole)))
        size = strlen(found);
    else if (!(found = skip_package(whole, &size)) && !(found = skip_namespaces(whole, &size)))
        size = strlen(found = whole);
    const char *result = names_intern(names, found, size);
    free(whole);
    return result;
}
