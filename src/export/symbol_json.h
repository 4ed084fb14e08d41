/* A symbol as members of a JSON object. */
#ifndef EXPORT_SYMBOL_JSON_H
#define EXPORT_SYMBOL_JSON_H

#include "export/json.h"
#include "profile/symbols.h"

/* Its function and file, null where they are not known; its line, if it has one. */
void symbol_json_put(struct json *json, const struct symbol *symbol);

#endif
