#include "report/advice/source_lines.h"

#include <stdlib.h>

#include "base/array.h"

static struct source_lines_file *find_file(struct source_lines *lines, const char *name)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->files[i].name == name)
            return &lines->files[i];
    if (!ARRAY_RESERVE(&lines->files, &lines->capacity, lines->count + 1))
        return NULL;
    struct source_lines_file *file = &lines->files[lines->count++];
    *file = (struct source_lines_file){.name = name};
    lines->sources->open(lines->sources, &file->source, name);
    return file;
}

static bool read_file(void *context, const char *name, struct source_file *file)
{
    struct source_lines *lines = context;
    const struct source_lines_file *found = lines->sources ? find_file(lines, name) : NULL;
    if (!found || !found->source.lines)
        return false;
    *file = (struct source_file){found->source.lines, found->source.count};
    return true;
}

struct evidence_sources source_lines_reader(struct source_lines *lines)
{
    return (struct evidence_sources){read_file, lines,
                                     lines->sources ? lines->sources->type : NULL};
}

void source_lines_release(struct source_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        lines->sources->close(&lines->files[i].source);
    free(lines->files);
}
