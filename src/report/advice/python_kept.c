#include "report/advice/python_kept.h"

#include <string.h>

#include "base/affix.h"
#include "report/advice/python_cache.h"
#include "report/advice/python_type.h"

static const double kept_part = 0.25, late_part = 0.2;
enum { PARTS_LEAST = 6 };

const char python_verify_growth[] =
    "Record again, and for longer: `heaptap timeline after.ctf` no longer rises, and "
    "`heaptap leaks after.ctf` has this line with less.";

/* `name[...] = value` */
static bool assigns_item(const char *line)
{
    const char *close = strchr(line, ']');
    line += strspn(line, " \t");
    size_t name = strspn(line, PYTHON_NAME);
    return name > 0 && line[name] == '[' && close && begins_with(close + 1, " = ");
}

/* Born in most parts of the run, or growing by its verdict, and alive at its end. */
static bool stays(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    int parts = 0;
    double late = 0;
    for (int i = 0; i < SITES_PARTS; i++) {
        parts += figures->born_live[i] > 0;
        late += i >= SITES_PARTS / 2 ? figures->born_live[i] : 0;
    }
    bool is_throughout = parts >= PARTS_LEAST && late >= late_part * figures->live_bytes;
    return (evidence->grows || is_throughout) && figures->live_bytes >= kept_part * figures->bytes;
}

/* `value = ...`, and on one of the next lines `table[key] = value`. */
static bool assigns_item_later(const struct evidence *evidence)
{
    const char *name = evidence->code + strspn(evidence->code, " \t");
    size_t size = strspn(name, PYTHON_NAME);
    for (const char *at = evidence->after;
         size > 0 && begins_with(name + size, " = ") && (at = strstr(at, "] = ")); at++)
        if (strncmp(at + 4, name, size) == 0 && !strchr(PYTHON_NAME, at[4 + size]))
            return true;
    return false;
}

bool python_is_growing_table(const struct evidence *evidence)
{
    return stays(evidence) && (assigns_item(evidence->code) || assigns_item_later(evidence) ||
                               strstr(evidence->code, ".setdefault("));
}

bool python_is_unbounded_cache(const struct evidence *evidence)
{
    return stays(evidence) && python_is_cached(evidence);
}

double python_not_alive(const struct evidence *evidence)
{
    return evidence->figures->bytes - evidence->figures->live_bytes;
}
