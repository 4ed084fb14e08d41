#include "format/import/maps_line.h"

#include <string.h>

#include "format/import/lines.h"

/* "559faa08a000-559faa08b000 r-xp 00001000 fe:00 10961131   /bin/j" */
static bool parse_full(char *at, struct model_module *mapping)
{
    uint64_t ignored, limit;
    if (!lines_hex(&at, &mapping->start) || !lines_take(&at, "-") || !lines_hex(&at, &limit) ||
        strnlen(at, 6) < 6 || at[3] != 'x')
        return false;
    at += 5;
    if (!lines_hex(&at, &mapping->file_offset) || !lines_hex(&at, &ignored) ||
        !lines_take(&at, ":") || !lines_hex(&at, &ignored) || !lines_decimal(&at, &ignored))
        return false;
    mapping->size = limit - mapping->start;
    mapping->path = at + strspn(at, " ");
    return *mapping->path;
}

/* "00400000-00fcb000: /bin/server", as servers that answer pprof's requests write it. */
static bool parse_brief(char *at, struct model_module *mapping)
{
    uint64_t limit;
    *mapping = (struct model_module){0};
    if (!lines_hex(&at, &mapping->start) || !lines_take(&at, "-") || !lines_hex(&at, &limit) ||
        !lines_take(&at, ": "))
        return false;
    mapping->size = limit - mapping->start;
    mapping->path = at + strspn(at, " ");
    return *mapping->path;
}

bool maps_line_add(struct profile_builder *builder, char *line)
{
    struct model_module mapping = {0};
    return (!parse_full(line, &mapping) && !parse_brief(line, &mapping)) ||
           model_add_module(builder->model, &mapping) != MODEL_NONE;
}
