#include "base/unit_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A lone m, g or t would be milli or nothing to many: only k is often written small. */
const struct unit unit_bytes[UNIT_BYTES] = {
    {"B", {"b", "byte"}, {""}, 1},
    {"kB", {"kb", "kbyte", "kilobyte"}, {"k", "K", "kib"}, 0x1p10},
    {"MB", {"mb", "mbyte", "megabyte"}, {"M", "mib"}, 0x1p20},
    {"GB", {"gb", "gbyte", "gigabyte"}, {"G", "gib"}, 0x1p30},
    {"TB", {"tb", "tbyte", "terabyte"}, {"T", "tib"}, 0x1p40},
    {"PB", {"pb", "pbyte", "petabyte"}, {"P", "pib"}, 0x1p50},
    {"EB", {NULL}, {"eb", "E", "eib"}, 0x1p60},
};

const struct unit unit_times[UNIT_TIMES] = {
    {"ns", {"ns", "nanosecond"}, {NULL}, 1},
    {"us", {"\xce\xbcs", "us", "microsecond"}, {"\xc2\xb5s"}, 1e3},
    {"ms", {"ms", "millisecond"}, {NULL}, 1e6},
    {"s", {"s", "sec", "second"}, {""}, 1e9},
    {"min", {NULL}, {"min", "m", "minute"}, 6e10},
    {"hrs", {"hour", "hr"}, {"h"}, 3.6e12},
};

const struct unit unit_counts[UNIT_COUNTS] = {
    {"", {NULL}, {""}, 1},     {"k", {NULL}, {"k", "K"}, 1e3}, {"M", {NULL}, {"M"}, 1e6},
    {"G", {NULL}, {"G"}, 1e9}, {"T", {NULL}, {"T"}, 1e12},
};

enum { NAMES = 4, NAME_BYTES = 24 };

/* One letter is taken as it stands, a longer name in any case. */
static bool is_among(const char *const *names, const char *name, const char *low)
{
    for (int i = 0; i < NAMES && names[i]; i++)
        if (strcmp(names[i], strlen(name) == 1 ? name : low) == 0)
            return true;
    return false;
}

static bool fold(const char *name, size_t size, char *low)
{
    if (size >= NAME_BYTES)
        return false;
    for (size_t i = 0; i < size; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    if (size > 2 && low[size - 1] == 's' && low[size - 2] != '\xbc' && low[size - 2] != '\xb5')
        size--;
    low[size] = 0;
    return true;
}

const struct unit *unit_find_pprof(const struct unit *units, int count, const char *name)
{
    char low[NAME_BYTES];
    if (!fold(name, strlen(name), low))
        return NULL;
    for (int i = 0; i < count; i++)
        if (is_among(units[i].pprof, low, low))
            return &units[i];
    return NULL;
}

const struct unit *unit_find(const struct unit *units, int count, const char *name, size_t size)
{
    char low[NAME_BYTES], exact[NAME_BYTES];
    if (!fold(name, size, low))
        return NULL;
    memcpy(exact, name, size);
    exact[size] = 0;
    for (int i = 0; i < count; i++)
        if (is_among(units[i].pprof, low, low) || is_among(units[i].others, exact, low))
            return &units[i];
    return NULL;
}

/* A lone letter is what pprof takes it for, or no unit: m is minutes to some, megabytes to others. */
static const struct unit *find_whole(const struct unit *units, int count, const char *name)
{
    return strlen(name) > 1 ? unit_find(units, count, name, strlen(name))
                            : unit_find_pprof(units, count, name);
}

const char *unit_base(const char *name, double *factor)
{
    const struct unit *size = find_whole(unit_bytes, UNIT_BYTES, name);
    const struct unit *time = find_whole(unit_times, UNIT_TIMES, name);
    *factor = size ? size->factor : time ? time->factor : 1;
    return size ? "bytes" : time ? "nanoseconds" : name;
}
