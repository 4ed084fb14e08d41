#include "profile/filter_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

struct unit {
    const char *name;
    double factor;
};

static const struct unit time_units[] = {
    {"us", 1},    {"\xc2\xb5s", 1}, {"ms", 1e3},  {"s", 1e6},   {"", 1e6},
    {"min", 6e7}, {"m", 6e7},       {"h", 3.6e9}, {"ns", 1e-3}, {NULL, 0},
};

static const struct unit byte_units[] = {
    {"", 1},         {"B", 1},        {"k", 0x1p10},  {"kB", 0x1p10},  {"K", 0x1p10},
    {"KB", 0x1p10},  {"KiB", 0x1p10}, {"kb", 0x1p10}, {"M", 0x1p20},   {"MB", 0x1p20},
    {"MiB", 0x1p20}, {"mb", 0x1p20},  {"G", 0x1p30},  {"GB", 0x1p30},  {"GiB", 0x1p30},
    {"gb", 0x1p30},  {"T", 0x1p40},   {"TB", 0x1p40}, {"TiB", 0x1p40}, {NULL, 0},
};

static const char *const expected[] = {
    [QUANTITY_TIME] = "a time such as 1.5s, 20ms, 50%, start, peak or end-10s",
    [QUANTITY_DURATION] = "a duration such as 20ms, 1.5s or 2min",
    [QUANTITY_BYTES] = "a size such as 100, 4k, 1.5M or 8w (words)",
    [QUANTITY_NUMBER] = "a number such as 12, 4k or 20ms",
};

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0)
            return units;
    return NULL;
}

/* Does it begin as a plain number does (strtod takes "nan", "inf" and "0x" too)? */
static bool begins_number(const char *text)
{
    return (*text >= '0' && *text <= '9') || (*text == '.' && text[1] >= '0' && text[1] <= '9');
}

/* The number at the beginning of `text` and, behind it, the unit; false if there is none. */
static bool split(const char *text, double *number, const char **unit)
{
    char *end;
    if (!begins_number(text) || ((text[0] == '0') && (text[1] == 'x' || text[1] == 'X')))
        return false;
    *number = strtod(text, &end);
    *unit = end;
    return isfinite(*number);
}

static bool parse_duration(const char *text, double *us)
{
    const char *name;
    double number;
    const struct unit *unit = split(text, &number, &name) ? find_unit(time_units, name) : NULL;
    *us = unit ? number * unit->factor : 0;
    return unit;
}

static bool parse_bytes(struct filter_bound *bound, const char *text)
{
    const char *name;
    double number;
    if (!split(text, &number, &name))
        return false;
    bound->is_words = strcmp(name, "w") == 0;
    const struct unit *unit = find_unit(byte_units, bound->is_words ? "" : name);
    bound->value = unit ? number * unit->factor : 0;
    return unit;
}

static bool parse_number(struct filter_bound *bound, const char *text)
{
    bool is_negative = *text == '-';
    const char *name;
    double number;
    if (!split(text + is_negative, &number, &name))
        return false;
    const struct unit *unit = find_unit(byte_units, name);
    double nanoseconds = 1; /* labels of time are nanoseconds */
    if (!unit) {
        unit = find_unit(time_units, name);
        nanoseconds = 1e3;
    }
    if (!unit)
        return false;
    bound->value = number * unit->factor * (nanoseconds > 1 ? nanoseconds : 1);
    if (is_negative)
        bound->value = -bound->value;
    return true;
}

/* "50%", "1.5s", "peak", "end-10s". */
static bool parse_time(struct filter_bound *bound, const char *text)
{
    static const char *const anchors[] = {"start", "peak", "end", NULL};
    static const int kinds[] = {BOUND_START, BOUND_PEAK, BOUND_END};
    const char *unit;
    if (split(text, &bound->value, &unit) && strcmp(unit, "%") == 0) {
        bound->anchor = BOUND_SHARE;
        bound->value /= 100;
        return true;
    }
    for (int i = 0; anchors[i]; i++) {
        size_t size = strlen(anchors[i]);
        if (strncmp(text, anchors[i], size) != 0)
            continue;
        bound->anchor = kinds[i];
        bound->value = 0;
        if (!text[size])
            return true;
        if ((text[size] != '-' && text[size] != '+') ||
            !parse_duration(text + size + 1, &bound->value))
            return false;
        bound->value = text[size] == '-' ? -bound->value : bound->value;
        return true;
    }
    bound->anchor = BOUND_START;
    return parse_duration(text, &bound->value);
}

const char *filter_value_parse(struct filter_bound *bound, enum filter_quantity quantity,
                               const char *text, size_t size)
{
    char copy[NUMBER_BYTES];
    *bound = (struct filter_bound){.anchor = BOUND_NUMBER};
    if (size == 0 || size >= sizeof copy)
        return expected[quantity];
    memcpy(copy, text, size);
    copy[size] = 0;
    bool done = quantity == QUANTITY_TIME       ? parse_time(bound, copy)
                : quantity == QUANTITY_DURATION ? parse_duration(copy, &bound->value)
                : quantity == QUANTITY_BYTES    ? parse_bytes(bound, copy)
                                                : parse_number(bound, copy);
    return done ? NULL : expected[quantity];
}
