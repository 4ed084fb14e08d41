#include <inttypes.h>
#include <math.h>

#include "base/plain.h"
#include "export/stack_lines.h"

/* A name in one line; callgrind has no quotes. */
static void put_name(FILE *file, const char *name)
{
    fputs(plain(name), file);
}

static void put_position(FILE *file, const char *prefix, const struct symbol *symbol)
{
    const char *name = symbol_name(symbol);
    fprintf(file, "%sfi=", prefix);
    put_name(file, symbol->function && symbol->file && *symbol->file ? symbol->file : "???");
    fprintf(file, "\n%sfn=", prefix);
    put_name(file, *name ? name : symbol->module && *symbol->module ? symbol->module : "???");
    fputc('\n', file);
}

static void put_node(FILE *file, const struct call_graph *graph, const struct call_node *node)
{
    const struct symbol *symbol = &graph->symbols.items[node->symbol];
    const char *name = symbol_name(symbol);
    fputs("fl=", file);
    put_name(file, symbol->function && symbol->file && *symbol->file ? symbol->file : "???");
    fputs("\nfn=", file);
    put_name(file, *name ? name : symbol->module && *symbol->module ? symbol->module : "???");
    fprintf(file, "\n%" PRIu32 " %.0f\n", symbol->line, round(node->flat));
    for (size_t i = 0; i < node->out_count; i++) {
        const struct call_edge *edge = &graph->edges[node->out[i]];
        const struct symbol *callee = &graph->symbols.items[graph->nodes[edge->to].symbol];
        put_position(file, "c", callee);
        fprintf(file, "calls=1 %" PRIu32 "\n%" PRIu32 " %.0f\n", callee->line, symbol->line,
                round(edge->weight));
    }
    fputc('\n', file);
}

bool callgrind_print(const struct stack_profile *profile, const struct frame_source *frames,
                     const struct export_head *head, FILE *file)
{
    struct call_graph graph;
    struct call_graph_options how = {
        .grain = head->grain, .weight = head->weight, .order = ORDER_FLAT};
    double total = 0;
    if (!call_graph_init(&graph, profile, frames, &how))
        return false;
    for (size_t i = 0; i < graph.count; i++)
        total += round(graph.nodes[i].flat);
    fputs("# callgrind format\nversion: 1\ncreator: heaptap\ncmd: ", file);
    put_name(file, *head->command ? head->command : head->name);
    fprintf(file, "\npositions: line\nevents: %s\nsummary: %.0f\n\n", head->sample, total);
    for (size_t i = 0; i < graph.count; i++)
        put_node(file, &graph, &graph.nodes[i]);
    fprintf(file, "totals: %.0f\n", total);
    call_graph_release(&graph);
    return true;
}
