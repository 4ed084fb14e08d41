#include "page/report_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

enum { MARGIN = 5, SOURCES_MAX = 4 << 20 };

static int compare_places(const void *left, const void *right, void *context)
{
    const struct symbol *a = &((const struct symbol *)context)[*(const uint32_t *)left];
    const struct symbol *b = &((const struct symbol *)context)[*(const uint32_t *)right];
    if (a->file != b->file)
        return strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (a->function != b->function)
        return strcmp(symbol_name(a), symbol_name(b));
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Marks the lines of each function from its first symbol to its last, with some around them. */
static void mark_lines(bool *wanted, size_t lines, const struct symbol *items,
                       const uint32_t *places, size_t count)
{
    for (size_t i = 0, from = 0; i < count; i++) {
        const struct symbol *symbol = &items[places[i]];
        if (i + 1 < count && items[places[i + 1]].function == symbol->function)
            continue;
        uint32_t first = items[places[from]].line;
        for (size_t line = first > MARGIN ? first - MARGIN : 1;
             line <= (size_t)symbol->line + MARGIN && line <= lines; line++)
            wanted[line - 1] = true;
        from = i + 1;
    }
}

/* The lines of one file that are wanted; how many bytes they have. */
static size_t put_file(struct json *json, const char *name, char **lines, const bool *wanted,
                       size_t count)
{
    size_t bytes = 0;
    json_key(json, plain_as(name, PLAIN_KEEP_TABS)); /* as names of files are written */
    json_begin_object(json);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        if (!wanted[i])
            continue;
        snprintf(number, sizeof number, "%zu", i + 1);
        json_put_string(json, number, lines[i]);
        bytes += strlen(lines[i]);
    }
    json_end(json);
    return bytes;
}

bool report_sources_put(struct json *json, const struct viewer_sources *sources,
                        const struct symbol *items, const uint32_t *used, uint32_t count)
{
    uint32_t *places = malloc((count + 1) * sizeof *places);
    size_t bytes = 0;
    bool done = places;
    if (!done)
        return false;
    memcpy(places, used, count * sizeof *places);
    qsort_r(places, count, sizeof *places, compare_places, (void *)items);
    json_key(json, "sources");
    json_begin_object(json);
    for (uint32_t at = 0, end; done && sources && at < count; at = end) {
        const char *file = items[places[at]].file;
        for (end = at + 1; end < count && items[places[end]].file == file;)
            end++;
        size_t lines = 0;
        char **text = file && *file && bytes < SOURCES_MAX
                          ? sources->lines(sources->context, file, &lines)
                          : NULL;
        if (!text)
            continue;
        bool *wanted = calloc(lines + 1, sizeof *wanted);
        done = wanted;
        if (done) {
            mark_lines(wanted, lines, items, places + at, end - at);
            bytes += put_file(json, file, text, wanted, lines);
        }
        free(wanted);
    }
    json_end(json);
    free(places);
    return done;
}
