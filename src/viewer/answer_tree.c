#include "viewer/answer_tree.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/columns.h"

struct shape {
    struct json *json;
    const struct branches *branches;
    void *column;        /* room for a column of them */
    uint32_t *number_of; /* by symbol of the tree: its number here, or SYMBOL_NONE */
    uint32_t *symbols;   /* by number here: symbol of the tree */
    uint32_t symbol_count;
};

/* ---- Columns ----------------------------------------------------------------------------- */

/* Of a member of struct branch. */
static void put_doubles(const struct shape *shape, const char *key, size_t offset)
{
    const struct branches *branches = shape->branches;
    double *column = shape->column;
    for (size_t i = 0; i < branches->count; i++)
        column[i] = *(const double *)((const char *)&branches->items[i] + offset);
    columns_put_f64(shape->json, key, column, branches->count);
}

static void put_symbol_numbers(const struct shape *shape)
{
    const struct branches *branches = shape->branches;
    uint32_t *column = shape->column;
    column[0] = SYMBOL_NONE;
    for (size_t i = 1; i < branches->count; i++)
        column[i] = shape->number_of[branches->items[i].symbol];
    columns_put_u32(shape->json, "symbol", column, branches->count);
}

/* A branch ends where the last below it does. */
static void put_ends(const struct shape *shape)
{
    const struct branches *branches = shape->branches;
    uint32_t *column = shape->column;
    for (uint32_t i = 0; i < branches->count; i++)
        column[i] = i + 1;
    for (size_t i = branches->count; i-- > 1;) {
        uint32_t parent = branches->items[i].parent;
        column[parent] = column[i] > column[parent] ? column[i] : column[parent];
    }
    columns_put_u32(shape->json, "end", column, branches->count);
}

/* ---- Symbols ----------------------------------------------------------------------------- */

/* Numbers the symbols as they are met. */
static void number_symbols(struct shape *shape)
{
    const struct branches *branches = shape->branches;
    memset(shape->number_of, 0xff, (branches->symbols.count + 1) * sizeof *shape->number_of);
    for (size_t i = 1; i < branches->count; i++) {
        uint32_t symbol = branches->items[i].symbol;
        if (shape->number_of[symbol] != SYMBOL_NONE)
            continue;
        shape->symbols[shape->symbol_count] = symbol;
        shape->number_of[symbol] = shape->symbol_count++;
    }
}

static void put_symbols(const struct shape *shape)
{
    struct json *json = shape->json;
    const struct symbol *items = shape->branches->symbols.items;
    json_key(json, "functions");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_text(json, symbol_name(&items[shape->symbols[i]]));
    json_end(json);
    json_key(json, "files");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_text(json, items[shape->symbols[i]].file);
    json_end(json);
    json_key(json, "lines");
    json_begin_array(json);
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        json_uint(json, items[shape->symbols[i]].line);
    json_end(json);
}

/* ---- The answer -------------------------------------------------------------------------- */

/* Each byte of what is not there counts once. */
static void put_hidden(struct json *json, const struct branches *branches)
{
    double sum = branches->items[0].total;
    for (size_t i = 0; i < branches->count; i++)
        sum -= branches->items[i].self;
    json_put_uint(json, "hidden_branches", branches->hidden);
    json_put_double(json, "hidden_weight", branches->hidden > 0 ? sum : 0);
}

bool answer_put_tree(struct json *json, const struct branches *branches, bool has_base)
{
    size_t symbols = branches->symbols.count + 1;
    struct shape shape = {.json = json,
                          .branches = branches,
                          .column = malloc(branches->count * sizeof(double)),
                          .number_of = malloc(symbols * sizeof *shape.number_of),
                          .symbols = malloc(symbols * sizeof *shape.symbols)};
    bool done = shape.column && shape.number_of && shape.symbols;
    if (done) {
        number_symbols(&shape);
        put_hidden(json, branches);
        put_symbols(&shape);
        put_doubles(&shape, "total", offsetof(struct branch, total));
        put_doubles(&shape, "self", offsetof(struct branch, self));
        if (has_base)
            put_doubles(&shape, "base", offsetof(struct branch, base));
        put_symbol_numbers(&shape);
        put_ends(&shape);
    }
    free(shape.column);
    free(shape.number_of);
    free(shape.symbols);
    return done;
}
