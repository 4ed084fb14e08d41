#include "cli/source_lookup.h"

char **source_lookup_lines(void *context, const char *name, size_t *count)
{
    struct source_lookup *lookup = context;
    source_lookup_release(lookup);
    if (!source_file_open(&lookup->file, name, lookup->folders, lookup->is_strict))
        return NULL;
    *count = lookup->file.count;
    return lookup->file.lines;
}

void source_lookup_release(struct source_lookup *lookup)
{
    source_file_release(&lookup->file);
    lookup->file = (struct source_file){0};
}
