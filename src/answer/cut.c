#include "answer/cut.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/affix.h"
#include "base/utf8.h"

enum { LEAST_ARGUMENTS = 4 }; /* columns of a template's arguments that tell something */

/* ---- Widths ------------------------------------------------------------------------- */

/* Columns that the character at `text` takes on a terminal; `*size` is its bytes. */
static int character_width(const char *text, int *size)
{
    uint32_t character;
    *size = utf8_decode(text, &character);
    int width = character == UTF8_BAD ? 4 : wcwidth((wchar_t)character);
    return width >= 0 ? width : 4; /* shown as \x1b */
}

int bytes_width(const char *text, size_t size)
{
    const char *end = text + size;
    int width = 0, bytes;
    for (; text < end; text += bytes)
        width += character_width(text, &bytes);
    return width;
}

int text_width(const char *text)
{
    return text ? bytes_width(text, strlen(text)) : 0;
}

/* What stands where something is left out. */
static const char *dots(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xe2\x80\xa6" : "..";
}

static int dots_width(void)
{
    return *dots() == '.' ? 2 : 1;
}

/* How many bytes of `text` fit in `width`. */
static size_t bytes_fitting(const char *text, int width)
{
    const char *at = text;
    int taken = 0, size = 0;
    while (*at && (taken += character_width(at, &size)) <= width)
        at += size;
    return (size_t)(at - text);
}

/* ---- Names -------------------------------------------------------------------------- */

/* A name with template arguments. */
struct instance {
    const char *part; /* what has them: behind the last `::` before them */
    const char *open, *close;
};

/* The last byte of the brackets that `open` begins; NULL where they don't close.  An arrow closes none. */
static const char *closing(const char *open)
{
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(")]}", *at) || (*at == '>' && at[-1] != '-');
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The longest arguments in a name, outside others and before any operator, whose name may have brackets; false for none. */
static bool find_instance(struct instance *found, const char *name)
{
    const char *part = name, *close;
    *found = (struct instance){0};
    for (const char *at = name; *at && !begins_with(at, "operator"); at++) {
        if (at[0] == ':' && at[1] == ':')
            part = at + 2;
        if (!strchr("<([{", *at))
            continue;
        if (!(close = closing(at)))
            break;
        bool has_arguments =
            *at == '<' && at > part && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (has_arguments && (!found->open || close - at > found->close - found->open))
            *found = (struct instance){part, at, close};
        at = close;
    }
    return found->open != NULL;
}

/* ---- Cutting ------------------------------------------------------------------------ */

/* `size` bytes at `part`, which is in `text`, and `end`, with dots between them and for what stands before `part`. */
static char *joined(const char *text, const char *part, size_t size, const char *end)
{
    char *result = malloc(2 * strlen(dots()) + size + strlen(end) + 1);
    if (!result)
        return NULL;
    char *at = stpcpy(result, part > text ? dots() : "");
    at = mempcpy(at, part, size);
    strcpy(stpcpy(at, dots()), end);
    return result;
}

char *cut_end(const char *text, int width)
{
    return joined(text, text, bytes_fitting(text, width - dots_width()), "");
}

static char *cut_beginning(const char *text, int width)
{
    int left = text_width(text), size;
    const char *at = text;
    for (; left > width - dots_width(); at += size)
        left -= character_width(at, &size);
    return joined(text, text, 0, at);
}

/* What is left beside the dots is half of the beginning and half of the end. */
static char *cut_middle(const char *text, int width)
{
    int left = text_width(text), size, room = width - dots_width();
    size_t kept = bytes_fitting(text, room / 2);
    const char *at = text;
    for (; left > room - bytes_width(text, kept); at += size)
        left -= character_width(at, &size);
    return joined(text, text, kept, at);
}

char *cut_name(const char *text, int width)
{
    struct instance instance;
    if (strstr(text, " -> "))
        return cut_middle(text, width);
    if (!find_instance(&instance, text) || text_width(instance.part) + dots_width() <= width)
        return cut_beginning(text, width);
    const char *part = instance.part;
    int room = width - text_width(instance.close) - (part > text ? 2 : 1) * dots_width();
    if (room < bytes_width(part, (size_t)(instance.open + 1 - part)) + LEAST_ARGUMENTS)
        return cut_beginning(text, width);
    return joined(text, part, bytes_fitting(part, room), instance.close);
}
