#include "report/tree/tree_columns.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/symbol_columns.h"

/* Only symbols that are met are told. */
struct numbering {
    uint32_t *number_of; /* by symbol of the tree: its number here, or SYMBOL_NONE */
    uint32_t *symbols;   /* by number here: symbol of the tree */
    uint32_t count;
};

static struct answer_value get_function(const void *row, const void *context)
{
    (void)context;
    return answer_text(symbol_name(row));
}

static struct answer_value get_symbol(const void *row, const void *context)
{
    const struct numbering *numbering = context;
    return answer_number(numbering->number_of[((const struct branch *)row)->symbol]);
}

static struct answer_value get_depth(const void *row, const void *context)
{
    (void)context;
    return answer_number(((const struct branch *)row)->depth - 1);
}

#define OF_BRANCH(member) ANSWER_FIELD(struct branch, member)

static const struct answer_column symbol_columns[] = {
    {"function", NULL, ANSWER_TEXT, get_function, 0, 0, "name of the function"},
    {"file", NULL, ANSWER_TEXT, symbol_column_file, 0, 0, "source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct symbol, line), 0, 0, "line; 0 for none"},
};

static const struct answer_column call_columns[] = {
    {"symbol", NULL, ANSWER_WHOLE, get_symbol, 0, 0, "number of its row in `symbols`, from 0"},
    {"depth", NULL, ANSWER_WHOLE, get_depth, 0, 0, "how many calls are above it"},
    {"total", NULL, ANSWER_AMOUNT, OF_BRANCH(total), 0, 0, "what comes through it"},
    {"self", NULL, ANSWER_AMOUNT, OF_BRANCH(self), 0, 0, "what its function allocates itself"},
    {"base", NULL, ANSWER_AMOUNT, OF_BRANCH(base), REPORT_HAS_BASE, 0, "the total in the base"},
};

static const struct answer_table symbols_table = {
    .key = "symbols", .forms = ANSWER_IN_COLUMNS, ANSWER_COLUMNS(symbol_columns)};
const struct answer_table tree_calls_table = {
    .key = "calls", .forms = ANSWER_IN_COLUMNS, ANSWER_COLUMNS(call_columns)};

/* As they are met. */
static void number_symbols(struct numbering *numbering, const struct branches *branches)
{
    memset(numbering->number_of, 0xff, branches->symbols.count * sizeof *numbering->number_of);
    for (size_t i = 1; i < branches->count; i++) {
        uint32_t symbol = branches->items[i].symbol;
        if (numbering->number_of[symbol] != SYMBOL_NONE)
            continue;
        numbering->symbols[numbering->count] = symbol;
        numbering->number_of[symbol] = numbering->count++;
    }
}

static void put(struct answer *answer, const struct numbering *numbering,
                const struct branches *branches, bool has_base)
{
    const struct answer_section calls = {&tree_calls_table, numbering,
                                         has_base ? REPORT_HAS_BASE : 0, NULL, NULL};
    answer_begin(answer, &(struct answer_section){.table = &symbols_table});
    for (uint32_t i = 0; i < numbering->count; i++)
        answer_row(answer, &branches->symbols.items[numbering->symbols[i]]);
    answer_end(answer);
    answer_begin(answer, &calls);
    for (size_t i = 1; i < branches->count; i++)
        answer_row(answer, &branches->items[i]);
    answer_end(answer);
}

bool tree_put_columns(struct answer *answer, const struct branches *branches, bool has_base)
{
    size_t room = branches->symbols.count + 1;
    struct numbering numbering = {.number_of = malloc(room * sizeof *numbering.number_of),
                                  .symbols = malloc(room * sizeof *numbering.symbols)};
    bool done = numbering.number_of && numbering.symbols;
    if (done) {
        number_symbols(&numbering, branches);
        put(answer, &numbering, branches, has_base);
    }
    free(numbering.number_of);
    free(numbering.symbols);
    return done;
}
