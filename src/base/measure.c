#include "base/measure.h"
#include "base/plain.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    const char *aliases[4]; /* in lower case, without the s of a plural */
    double factor;
};

/* A kind of quantity: its units, the smallest first, and the one for values less than all. */
struct kind {
    const struct unit *units;
    int count;
    struct unit fallback;
};

static const struct unit bytes[] = {
    {"B", {"b", "byte"}, 1},
    {"kB", {"kb", "kbyte", "kilobyte"}, 0x1p10},
    {"MB", {"mb", "mbyte", "megabyte"}, 0x1p20},
    {"GB", {"gb", "gbyte", "gigabyte"}, 0x1p30},
    {"TB", {"tb", "tbyte", "terabyte"}, 0x1p40},
    {"PB", {"pb", "pbyte", "petabyte"}, 0x1p50},
};

static const struct unit times[] = {
    {"ns", {"ns", "nanosecond"}, 1},    {"us", {"\xce\xbcs", "us", "microsecond"}, 1e3},
    {"ms", {"ms", "millisecond"}, 1e6}, {"s", {"s", "sec", "second"}, 1e9},
    {"hrs", {"hour", "hr"}, 3.6e12},
};

static const struct kind kinds[] = {
    {bytes, sizeof bytes / sizeof bytes[0], {"B", {NULL}, 1}},
    {times, sizeof times / sizeof times[0], {"s", {NULL}, 1e9}},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const struct unit *find(const struct kind *kind, const char *name)
{
    char low[24];
    size_t size = strlen(name);
    if (size >= sizeof low)
        return NULL;
    for (size_t i = 0; i <= size; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    if (size > 2 && low[size - 1] == 's')
        low[size - 1] = 0;
    for (int i = 0; i < kind->count; i++)
        for (int k = 0; k < 4 && kind->units[i].aliases[k]; k++)
            if (strcmp(kind->units[i].aliases[k], low) == 0)
                return &kind->units[i];
    return NULL;
}

static const struct unit *largest(const struct kind *kind, double value)
{
    const struct unit *best = &kind->fallback;
    double factor = 0;
    for (int i = 0; i < kind->count; i++)
        if (kind->units[i].factor >= factor && value / kind->units[i].factor >= 1) {
            best = &kind->units[i];
            factor = best->factor;
        }
    return best;
}

static bool is_automatic(const char *to)
{
    return strcmp(to, "minimum") == 0 || strcmp(to, "auto") == 0;
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
    bool is_plain = is_automatic(to) || strcmp(to, "count") == 0 || strcmp(to, "sample") == 0 ||
                    strcmp(to, "unit") == 0;
    *name = is_plain ? "" : to;
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

bool measure_is_bytes(const char *unit)
{
    return find(&kinds[0], unit);
}
