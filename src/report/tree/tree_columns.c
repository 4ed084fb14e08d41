#include "report/tree/tree_columns.h"

#include <stdlib.h>
#include <string.h>

#include "profile/library_symbols.h"
#include "report/report.h"
#include "report/symbol_columns.h"

/* Only symbols that are met are told. */
struct numbering {
    uint32_t *number_of; /* by symbol of the tree: its number here, or SYMBOL_NONE */
    uint32_t *symbols;   /* by number here: symbol of the tree */
    uint32_t count;
    const struct symbol *items; /* of the tree */
    struct library_symbols libraries;
};

ANSWER_GET(get_library, const struct symbol *symbol = row,
           const struct numbering *numbering = context,
           answer_number(library_symbols_have(&numbering->libraries,
                                              (uint32_t)(symbol - numbering->items))))

ANSWER_GET(get_symbol, const struct branch *branch = row,
           const struct numbering *numbering = context,
           answer_number(numbering->number_of[branch->symbol]))

ANSWER_GET(get_depth, const struct branch *branch = row, const void *all = context,
           answer_number(branch->depth - 1))

#define OF_BRANCH(member) ANSWER_FIELD(struct branch, member)

static const struct answer_column symbol_columns[] = {
    {"function", NULL, ANSWER_TEXT, symbol_column_name, "name of the function"},
    {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct symbol, line), "line; 0 for none"},
    {"library", NULL, ANSWER_FLAG, get_library, "whether it is a library's"},
};

static const struct answer_column call_columns[] = {
    {"symbol", NULL, ANSWER_WHOLE, get_symbol, "number of its row in `symbols`, from 0"},
    {"depth", NULL, ANSWER_WHOLE, get_depth, "how many calls are above it"},
    {"total", NULL, ANSWER_AMOUNT, OF_BRANCH(total), "what comes through it"},
    {"self", NULL, ANSWER_AMOUNT, OF_BRANCH(self), "what its function allocates itself"},
    {"base", NULL, ANSWER_AMOUNT, OF_BRANCH(base), "the total in the base", REPORT_HAS_BASE},
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

/* False when there is no memory. */
static bool find_libraries(struct numbering *numbering, struct symbols *symbols,
                           const struct frame_source *source, bool no_inlines)
{
    struct frame_symbols frames;
    bool done = frame_symbols_init(&frames, source, symbols);
    if (!done)
        return false;
    frames.no_inlines = no_inlines;
    for (uint32_t frame = 0; done && frame < source->frame_count; frame++) {
        size_t count;
        const uint32_t *list = frame_symbols_of(&frames, frame, &count);
        done = list && library_symbols_note(&numbering->libraries, source, frame, list, count);
    }
    frame_symbols_release(&frames);
    return done;
}

static void put(struct answer *answer, const struct numbering *numbering,
                const struct branches *branches, bool has_base)
{
    const struct answer_section calls = {&tree_calls_table, numbering,
                                         has_base ? REPORT_HAS_BASE : 0, NULL, NULL};
    answer_begin(answer, &(struct answer_section){.table = &symbols_table, .context = numbering});
    for (uint32_t i = 0; i < numbering->count; i++)
        answer_row(answer, &branches->symbols.items[numbering->symbols[i]]);
    answer_end(answer);
    answer_begin(answer, &calls);
    for (size_t i = 1; i < branches->count; i++)
        answer_row(answer, &branches->items[i]);
    answer_end(answer);
}

bool tree_put_columns(struct answer *answer, struct branches *branches,
                      const struct frame_source *source, bool no_inlines, bool has_base)
{
    struct numbering numbering = {0};
    library_symbols_init(&numbering.libraries, source);
    bool done = find_libraries(&numbering, &branches->symbols, source, no_inlines);
    size_t room = branches->symbols.count + 1;
    numbering.items = branches->symbols.items;
    numbering.number_of = malloc(room * sizeof *numbering.number_of);
    numbering.symbols = malloc(room * sizeof *numbering.symbols);
    done = done && numbering.number_of && numbering.symbols;
    if (done) {
        number_symbols(&numbering, branches);
        put(answer, &numbering, branches, has_base);
    }
    library_symbols_release(&numbering.libraries);
    free(numbering.number_of);
    free(numbering.symbols);
    return done;
}
