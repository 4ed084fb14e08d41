#include "export/symbol_json.h"

void symbol_json_put(struct json *json, const struct symbol *symbol)
{
    json_put_string(json, "function", symbol->function);
    json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
}
