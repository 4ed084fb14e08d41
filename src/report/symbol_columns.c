#include "report/symbol_columns.h"

#include <inttypes.h>
#include <stdlib.h>

struct answer_value symbol_column_function(const void *row, const void *context)
{
    return answer_text(((const struct symbol *)row)->function);
}

struct answer_value symbol_column_file(const void *row, const void *context)
{
    return answer_text(((const struct symbol *)row)->file);
}

struct answer_value symbol_column_line(const void *row, const void *context)
{
    return symbol_value_line(row);
}

struct answer_value symbol_column_name(const void *row, const void *context)
{
    return answer_text(symbol_name(row));
}

struct answer_value symbol_column_place(const void *row, const void *context)
{
    return symbol_value_place(row);
}

struct answer_value symbol_value_line(const struct symbol *symbol)
{
    return symbol->line > 0 ? answer_number(symbol->line) : answer_nothing();
}

struct answer_value symbol_value_place(const struct symbol *symbol)
{
    if (symbol->line > 0)
        return answer_place(symbol->file ? symbol->file : "", symbol->line);
    return answer_place(symbol->function ? symbol->file : NULL, 0);
}

struct answer_value symbol_value_address(const struct symbol *symbol)
{
    char *text;
    if (symbol->address == 0 || asprintf(&text, "0x%" PRIx64, symbol->address) < 0)
        return answer_nothing();
    return answer_made(text);
}

/* ---- Named --------------------------------------------------------------------------- */

struct answer_value named_column_name(const void *row, const void *context)
{
    const struct named_symbol *named = row;
    struct answer_value value = answer_text(named->name);
    (void)context;
    value.after = named->after;
    return value;
}

/* Empty texts are none. */
static struct answer_value text(const char *text)
{
    return answer_text(text && *text ? text : NULL);
}

#define GETTER(name, expression)                                                                   \
    struct answer_value named_column_##name(const void *row, const void *context)                  \
    {                                                                                              \
        const struct symbol *symbol = ((const struct named_symbol *)row)->symbol;                  \
        (void)context;                                                                             \
        return expression;                                                                         \
    }

GETTER(function, text(symbol->function))
GETTER(file, text(symbol->file))
GETTER(line, symbol_value_line(symbol))
GETTER(address, symbol_value_address(symbol))
GETTER(module, text(symbol->module))
