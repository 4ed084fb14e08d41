/* Lua: the adapter says the type of each block; a table has storage besides, a function its upvalues. */
#include <string.h>

#include "report/advice/cause.h"

static const char *const functions[] = {"function", "upvalue", NULL};
static const char *const function_words[] = {"function", NULL};
static const char *const tables[] = {"table", "storage", NULL};
static const char *const strings[] = {"string", NULL};

/* Storage is of tables, or of the buffer that a function of strings fills: Lua doesn't say which. */
static bool is_table(const struct evidence *evidence)
{
    static const char *const storage[] = {"storage", NULL};
    static const char *const buffers[] = {"rep(",   "concat(",  "gsub(",  "format(", "..",
                                          "upper(", "reverse(", "lower(", "char(",   "read(",
                                          "pack(",  "dump(",    NULL};
    return strchr(evidence->code, '{') &&
           !(evidence_is_type(evidence, storage) && evidence_names(evidence->code, buffers));
}

static bool is_string_append(const struct evidence *evidence)
{
    return strstr(evidence->code, "..") && evidence_grows(evidence) && evidence_replaces(evidence);
}

const struct advice_cause advice_lua[] = {
    {.name = "functions-in-loop",
     .title = "Functions made again and again",
     .condition =
         "Lua: functions are made on a line with `function`, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.types = functions, .code = function_words, .is_young = true},
     .remedy =
         "A function that uses locals from around it is made each time. Make it once, before the loop, and pass what changes as an "
         "argument.",
     .before = "apply(function(x) return x + i end, i)",
     .after = "apply(add, i, i)  -- local function add(x, i) return x + i end"},
    {.name = "tables-in-loop",
     .title = "Tables made again and again",
     .condition =
         "Lua: tables are made on a line with `{`, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.types = tables, .is_young = true},
     .applies = is_table,
     .remedy =
         "Use one table for all turns and set its fields, or pass the values as arguments and return several.",
     .before = "distance({x = i, y = i}, origin)",
     .after = "point.x, point.y = i, i; distance(point, origin)"},
    {.name = "string-append",
     .title = "Strings put together piece by piece",
     .condition =
         "Lua: at least 8 strings replace a smaller one on a line with `..`, they are half of the bytes, and the largest is half as large again as the mean",
     .needs = {.types = strings},
     .applies = is_string_append,
     .keeps = evidence_unreplaced,
     .spares_replaced = true,
     .remedy =
         "Each step copies all of the text. Collect the parts in a table and concatenate them once.",
     .before = "text = text .. part",
     .after = "parts[#parts + 1] = part  -- and table.concat(parts), once"},
    {0},
};
