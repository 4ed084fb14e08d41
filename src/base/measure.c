#include "base/measure.h"
#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unit_names.h"

/* A kind of quantity: its units, the smallest first, and the one for values less than all. */
struct kind {
    const struct unit *units;
    int count;
    struct unit fallback;
};

static const struct kind kinds[] = {
    {unit_bytes, UNIT_BYTES, {.name = "B", .factor = 1}},
    {unit_times, UNIT_TIMES, {.name = "s", .factor = 1e9}},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const struct unit *find(const struct kind *kind, const char *name)
{
    return unit_find_pprof(kind->units, kind->count, name);
}

/* Of the units that pprof has. */
static const struct unit *largest(const struct kind *kind, double value)
{
    const struct unit *best = &kind->fallback;
    double factor = 0;
    for (int i = 0; i < kind->count; i++)
        if (kind->units[i].pprof[0] && kind->units[i].factor >= factor &&
            value / kind->units[i].factor >= 1) {
            best = &kind->units[i];
            factor = best->factor;
        }
    return best;
}

static bool is_automatic(const char *to)
{
    return strcmp(to, "minimum") == 0 || strcmp(to, "auto") == 0;
}

/* Units that are not printed. */
static bool is_bare(const char *to)
{
    return strcmp(to, "count") == 0 || strcmp(to, "sample") == 0 || strcmp(to, "unit") == 0;
}

double measure_scale(double value, const char *unit, const char *to, const char **name)
{
    if (value < 0)
        return -measure_scale(-value, unit, to, name);
    for (int i = 0; i < KIND_COUNT; i++) {
        const struct unit *from = find(&kinds[i], unit), *target;
        if (!from)
            continue;
        target = is_automatic(to) ? largest(&kinds[i], value * from->factor) : find(&kinds[i], to);
        if (!target)
            target = &kinds[i].fallback;
        *name = target->name;
        return value * from->factor / target->factor;
    }
    *name = is_automatic(to) || is_bare(to) ? "" : to;
    return value;
}

const char *measure_text(char *text, double value, const char *unit, const char *to)
{
    const char *name;
    double scaled = measure_scale(value, unit, to, &name);
    int size = snprintf(text, MEASURE_TEXT_BYTES, "%.2f", scaled);
    if (size > 3 && size < MEASURE_TEXT_BYTES && strcmp(text + size - 3, ".00") == 0)
        text[size -= 3] = 0;
    if (strcmp(text, "0") == 0 || strcmp(text, "-0") == 0)
        return strcpy(text, "0");
    if (size < MEASURE_TEXT_BYTES)
        snprintf(text + size, (size_t)(MEASURE_TEXT_BYTES - size), "%s", plain(name));
    return text;
}

const char *measure_percent(char *text, double value, double total)
{
    double ratio = total != 0 ? fabs(value / total) * 100 : 0;
    if (ratio >= 99.95 && ratio <= 100.05)
        return strcpy(text, "  100%");
    snprintf(text, MEASURE_TEXT_BYTES, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
    return text;
}

const char *measure_table_unit(double least, double total, const char *unit)
{
    const char *low, *high;
    if (least == 0)
        least = total;
    measure_scale(least, unit, "minimum", &low);
    measure_scale(total, unit, "minimum", &high);
    if (strcmp(low, high) != 0 && least * 100 < total)
        measure_scale(100 * least, unit, "minimum", &low);
    return *low ? low : unit;
}

bool measure_can_be(const char *unit, const char *to)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (find(&kinds[i], unit))
            return is_automatic(to) || find(&kinds[i], to);
    return is_automatic(to) || strcmp(to, unit) == 0 || is_bare(to);
}

bool measure_has_kind(const char *unit)
{
    bool has = false;
    for (int i = 0; i < KIND_COUNT; i++)
        has |= find(&kinds[i], unit) != NULL;
    return has;
}

bool measure_is_bytes(const char *unit)
{
    return find(&kinds[0], unit);
}
