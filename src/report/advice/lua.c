/* Lua: the adapter says the type of each block; a table has storage besides, a function its upvalues. */
#include <string.h>

#include "report/advice/cause.h"

static const double quick_part = 0.8, growth_part = 0.5;
static const uint64_t growth_blocks = 8;

static bool is_type(const struct evidence *evidence, const char *one, const char *other)
{
    return strcmp(evidence->type, one) == 0 || strcmp(evidence->type, other) == 0;
}

static bool is_young(const struct evidence *evidence)
{
    return evidence_young(evidence) >= quick_part;
}

static bool is_function(const struct evidence *evidence)
{
    return is_type(evidence, "function", "upvalue") && strstr(evidence->code, "function") &&
           is_young(evidence);
}

static bool is_table(const struct evidence *evidence)
{
    return is_type(evidence, "table", "storage") && strchr(evidence->code, '{') &&
           is_young(evidence);
}

static bool is_string_append(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return is_type(evidence, "string", "string") && strstr(evidence->code, "..") &&
           evidence_grows(evidence) && figures->small_steps + figures->doublings >= growth_blocks &&
           figures->stepped_bytes + figures->doubled_bytes >= growth_part * figures->bytes;
}

const struct advice_cause advice_lua[] = {
    {.name = "functions-in-loop",
     .title = "Functions made again and again",
     .condition =
         "Lua: functions are made on a line with `function`, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .applies = is_function,
     .remedy =
         "A function that uses locals from around it is made each time. Make it once, before the loop, and pass what changes as an "
         "argument.",
     .before = "apply(function(x) return x + i end, i)",
     .after = "apply(add, i, i)  -- local function add(x, i) return x + i end"},
    {.name = "tables-in-loop",
     .title = "Tables made again and again",
     .condition =
         "Lua: tables are made on a line with `{`, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .applies = is_table,
     .remedy =
         "Use one table for all turns and set its fields, or pass the values as arguments and return several.",
     .before = "distance({x = i, y = i}, origin)",
     .after = "point.x, point.y = i, i; distance(point, origin)"},
    {.name = "string-append",
     .title = "Strings put together piece by piece",
     .condition =
         "Lua: at least 8 strings replace a smaller one on a line with `..`, they are half of the bytes, and the largest is half as large again as the mean",
     .applies = is_string_append,
     .keeps = evidence_unreplaced,
     .remedy =
         "Each step copies all of the text. Collect the parts in a table and concatenate them once.",
     .before = "text = text .. part",
     .after = "parts[#parts + 1] = part  -- and table.concat(parts), once"},
    {0},
};
