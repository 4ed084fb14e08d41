#include "report/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { LINE_BYTES = 400 };

struct source_line {
    const char *file; /* borrowed from the model, whose texts are one pointer each */
    uint32_t number;
    char *text; /* NULL: not at hand */
};

static void close_file(struct source_lines *lines)
{
    if (lines->file)
        lines->sources->close(&lines->source);
    lines->file = NULL;
}

static void open_file(struct source_lines *lines, const char *file)
{
    if (lines->file == file)
        return;
    close_file(lines);
    lines->source = (struct report_source){0};
    lines->sources->open(lines->sources, &lines->source, file);
    lines->file = file;
}

static const char *line_of(void *context, const char *file, uint32_t number)
{
    struct source_lines *lines = context;
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].file == file && lines->items[i].number == number)
            return lines->items[i].text;
    if (!ARRAY_RESERVE(&lines->items, &lines->capacity, lines->count + 1))
        return NULL;
    open_file(lines, file);
    const struct report_source *source = &lines->source;
    char *text = number > 0 && number <= source->count
                     ? strndup(source->lines[number - 1], LINE_BYTES)
                     : NULL;
    lines->items[lines->count++] = (struct source_line){file, number, text};
    return text;
}

static const char *no_line(void *context, const char *file, uint32_t number)
{
    (void)context, (void)file, (void)number;
    return NULL;
}

struct evidence_sources source_lines_reader(struct source_lines *lines)
{
    return (struct evidence_sources){lines->sources ? line_of : no_line, lines};
}

void source_lines_release(struct source_lines *lines)
{
    close_file(lines);
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    free(lines->items);
}
