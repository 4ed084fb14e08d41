#include "answer/short_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "symbol/demangle.h"

static bool is_off;

void short_name_turn_off(void)
{
    is_off = true;
}

bool short_name_is_off(void)
{
    return is_off;
}

/* Behind the last space that stands in no bracket and before any operator, whose names have spaces:
 * "operator new", "operator unsigned long". */
static const char *without_return_type(const char *name)
{
    const char *found = name;
    int depth = 0;
    for (const char *at = name; *at && !begins_with(at, "operator"); at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(">)]}", *at) != NULL;
        if (*at == ' ' && depth == 0)
            found = at + 1;
    }
    return *found ? found : name;
}

char *short_name(const char *name)
{
    bool is_qualified = strstr(name, "::") || begins_with(name, "operator ");
    char *copy = is_off || !is_qualified ? NULL : strdup(name);
    if (!copy)
        return NULL;
    demangle_shorten(copy, SYMBOL_NAMES_NARROW);
    const char *bare = without_return_type(copy);
    memmove(copy, bare, strlen(bare) + 1);
    if (*copy && strlen(copy) < strlen(name))
        return copy;
    free(copy);
    return NULL;
}
