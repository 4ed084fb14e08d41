#include "report/symbol_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/text.h"

struct answer_value symbol_column_name(const void *row, const void *context)
{
    return symbol_value_name(row);
}

struct answer_value symbol_column_place(const void *row, const void *context)
{
    return symbol_value_place(row);
}

/* ---- What functions without a name call ------------------------------------------------- */

struct answer_value symbol_column_call(const void *row, const void *context)
{
    return answer_text(((const struct symbol *)row)->call.function);
}

struct answer_value symbol_column_call_file(const void *row, const void *context)
{
    return answer_filled(((const struct symbol *)row)->call.file);
}

bool symbol_calls(const struct symbol_call *call)
{
    return call->function || call->file;
}

struct answer_value symbol_column_call_share(const void *row, const void *context)
{
    const struct symbol *symbol = row;
    return answer_number_if(symbol_calls(&symbol->call), symbol->call.share);
}

struct answer_value symbol_value_name(const struct symbol *symbol)
{
    const struct symbol_call *call = &symbol->call;
    if (!symbol_calls(call))
        return answer_text(symbol_name(symbol));
    return answer_made(text_format("%s -> %s%s", symbol_name(symbol),
                                   call->function ? call->function : path_file(call->file),
                                   call->has_others ? " ..." : ""));
}

const char *symbol_call_text(char text[SYMBOL_CALL_BYTES], const struct symbol *symbol)
{
    const struct symbol_call *call = &symbol->call;
    const char *file = call->file ? path_file(call->file) : "";
    const char *others = call->has_others ? " and others" : "";
    text[0] = 0;
    if (!call->function && call->file)
        snprintf(text, SYMBOL_CALL_BYTES, " calling into %s%s", file, others);
    else if (call->function)
        snprintf(text, SYMBOL_CALL_BYTES, " calling into %s%s%s%s%s", call->function,
                 *file ? " (" : "", file, *file ? ")" : "", others);
    return text;
}

/* ---- Lines ------------------------------------------------------------------------------- */

struct answer_value symbol_value_line(const struct symbol *symbol)
{
    return answer_number_if(symbol->line > 0, symbol->line);
}

struct answer_value symbol_value_place(const struct symbol *symbol)
{
    if (symbol->line > 0)
        return answer_place(symbol->file ? symbol->file : "", symbol->line);
    return answer_place(symbol->function ? symbol->file : NULL, 0);
}

const char *symbol_line_text(char text[SYMBOL_LINE_BYTES], const char *file, uint32_t line)
{
    text[0] = 0;
    if (file && line > 0)
        snprintf(text, SYMBOL_LINE_BYTES, " (%s:%" PRIu32 ")", file, line);
    return text;
}

static struct answer_value symbol_value_address(const struct symbol *symbol)
{
    return symbol->address ? answer_made(text_format("0x%" PRIx64, symbol->address))
                           : answer_nothing();
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
#define GETTER(name, expression)                                                                   \
    ANSWER_SHARED_GET(named_column_##name,                                                         \
                      const struct symbol *symbol = ((const struct named_symbol *)row)->symbol,    \
                      const void *all = context, expression)

GETTER(address, symbol_value_address(symbol))
