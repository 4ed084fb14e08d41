#include "viewer/answer_lines.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 5 }; /* lines of source around those that are in the profile */

/* The lines of one function in one file. */
struct routine {
    const struct call_graph *graph;
    bool compares;
    const uint32_t *nodes; /* in order of lines */
    size_t count;
    char **source; /* NULL where it wasn't found */
    size_t source_count;
};

static const struct symbol *symbol_of(const struct call_graph *graph, uint32_t node)
{
    return &graph->symbols.items[graph->nodes[node].symbol];
}

static int compare_files(const struct symbol *a, const struct symbol *b)
{
    return strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static int compare_lines(const void *left, const void *right, void *context)
{
    const struct symbol *a = symbol_of(context, *(const uint32_t *)left);
    const struct symbol *b = symbol_of(context, *(const uint32_t *)right);
    int order = compare_files(a, b);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void put_line(struct json *json, const struct routine *routine, uint32_t line, size_t *next)
{
    const char *text = routine->source && line >= 1 && line <= routine->source_count
                           ? routine->source[line - 1]
                           : NULL;
    double flat = 0, cum = 0, base_cum = 0;
    bool is_there = text;
    for (; *next < routine->count; (*next)++) {
        const struct call_node *node = &routine->graph->nodes[routine->nodes[*next]];
        if (symbol_of(routine->graph, routine->nodes[*next])->line > line)
            break;
        flat += node->flat;
        cum += node->cum;
        base_cum += node->base_cum;
        is_there = true;
    }
    if (!is_there)
        return;
    json_begin_object(json);
    json_put_uint(json, "line", line);
    json_put_double(json, "flat", flat);
    json_put_double(json, "cum", cum);
    if (routine->compares)
        json_put_double(json, "base_cum", base_cum);
    json_put_string(json, "text", text);
    json_end(json);
}

/* With a source, every line from a few before the first to a few behind the last; else those that
 * are in the profile. */
static void put_all_lines(struct json *json, const struct routine *routine)
{
    uint32_t first = symbol_of(routine->graph, routine->nodes[0])->line;
    uint32_t last = symbol_of(routine->graph, routine->nodes[routine->count - 1])->line;
    size_t next = 0;
    if (!routine->source)
        while (next < routine->count)
            put_line(json, routine, symbol_of(routine->graph, routine->nodes[next])->line, &next);
    else
        for (uint32_t line = first > MARGIN ? first - MARGIN : 1; line <= last + MARGIN; line++)
            put_line(json, routine, line, &next);
}

static void put_routine(struct json *json, struct routine *routine,
                        const struct viewer_sources *sources)
{
    const struct symbol *symbol = symbol_of(routine->graph, routine->nodes[0]);
    if (sources && symbol->file)
        routine->source = sources->lines(sources->context, symbol->file, &routine->source_count);
    json_begin_object(json);
    json_put_string(json, "function", symbol_name(symbol));
    json_put_string(json, "file", symbol->file);
    json_put_bool(json, "found", routine->source);
    json_key(json, "lines");
    json_begin_array(json);
    put_all_lines(json, routine);
    json_end(json);
    json_end(json);
}

bool answer_put_lines(struct json *json, const struct call_graph *graph, bool compares,
                      const char *function, const struct viewer_sources *sources)
{
    uint32_t *nodes = malloc((graph->count + 1) * sizeof *nodes);
    size_t count = 0;
    if (!nodes)
        return false;
    for (uint32_t i = 0; i < graph->count; i++)
        if (strcmp(symbol_name(symbol_of(graph, i)), function) == 0)
            nodes[count++] = i;
    qsort_r(nodes, count, sizeof *nodes, compare_lines, (void *)graph);
    json_put_double(json, "total", graph->total);
    json_key(json, "routines");
    json_begin_array(json);
    for (size_t at = 0; at < count;) {
        struct routine routine = {.graph = graph, .compares = compares, .nodes = nodes + at};
        const struct symbol *first = symbol_of(graph, nodes[at]);
        while (at < count && compare_files(first, symbol_of(graph, nodes[at])) == 0) {
            routine.count++;
            at++;
        }
        put_routine(json, &routine, sources);
    }
    json_end(json);
    free(nodes);
    return true;
}
