#include "cli/record/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/record/holders.h"

/* False where it stays as it was. */
static bool rename_trace(struct written_trace *trace, const char *to)
{
    char *path = strdup(to);
    if (!path || rename(trace->path, path) != 0) {
        free(path);
        return false;
    }
    holders_move(trace->path, path);
    free(trace->path);
    trace->path = path;
    return true;
}

static void exchange_names(struct written_trace *one, struct written_trace *other)
{
    char *of_one = strdup(one->path), *of_other = strdup(other->path),
         *between = text_format("%s.renamed", other->path);
    if (of_one && of_other && between && rename_trace(one, between) &&
        !(rename_trace(other, of_one) && rename_trace(one, of_other)))
        rename_trace(one, of_one); /* as it was */
    free(between);
    free(of_other);
    free(of_one);
}

static struct written_trace *trace_of_name(struct written_traces *traces, const char *name)
{
    for (size_t i = 0; i < traces->count; i++)
        if (strcmp(traces->items[i].path, name) == 0)
            return &traces->items[i];
    return NULL;
}

struct written_trace *naming_last(struct written_traces *traces, pid_t first)
{
    struct written_trace *last = NULL;
    for (size_t i = 0; i < traces->count && traces->items[i].pid == (uint64_t)first; i++)
        last = &traces->items[i];
    return last || traces->count != 1 ? last : &traces->items[0];
}

void naming_give(struct written_traces *traces, struct written_trace *trace, const char *name)
{
    struct written_trace *other = trace_of_name(traces, name);
    if (other && other != trace)
        exchange_names(trace, other);
    else if (!other && access(name, F_OK) != 0)
        rename_trace(trace, name);
    const struct written_trace named = *trace;
    memmove(&traces->items[1], &traces->items[0], (size_t)(trace - traces->items) * sizeof named);
    traces->items[0] = named;
}
