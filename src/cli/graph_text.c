#include "cli/graph_text.h"

#include <inttypes.h>
#include <stdio.h>

/* The name, function, file and line of a symbol. */
static void put_symbol(struct json *json, const char *name, const struct symbol *symbol)
{
    char address[24];
    json_put_string(json, "name", name);
    if (symbol->function && *symbol->function)
        json_put_string(json, "function", symbol->function);
    if (symbol->file && *symbol->file)
        json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
    if (symbol->address > 0) {
        snprintf(address, sizeof address, "0x%" PRIx64, symbol->address);
        json_put_string(json, "address", address);
    }
    if (symbol->module && *symbol->module)
        json_put_string(json, "module", symbol->module);
}

void graph_put_node(struct json *json, const struct call_graph *graph, const struct call_node *node)
{
    put_symbol(json, node->name, &graph->symbols.items[node->symbol]);
    json_put_double(json, "flat", node->flat);
    json_put_double(json, "cum", node->cum);
}
