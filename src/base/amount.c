#include "base/amount.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit_names.h"

/* No file has, and no machine can have, so much: an amount is a whole number of 63 bits. */
static const double most = 0x1p63;

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Does it begin as a plain number does?  strtod takes "nan", "inf" and "0x10" too. */
static bool begins_number(const char *text)
{
    bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]))) &&
           !is_hexadecimal;
}

bool amount_number(const char *text, double *value, const char **rest)
{
    char *end;
    if (!begins_number(text))
        return false;
    *value = strtod(text, &end);
    *rest = skip_blanks(end);
    return isfinite(*value);
}

bool amount_plain(const char *text, double *value)
{
    const char *rest;
    return amount_number(text, value, &rest) && !*rest;
}

/* The unit at the beginning of `*text`, which goes on past it and what blanks follow. */
static const struct unit *take_unit(const struct unit *units, int count, const char **text)
{
    size_t size = strcspn(*text, " \t.0123456789");
    const struct unit *unit = unit_find(units, count, *text, size);
    *text = skip_blanks(*text + size);
    return unit;
}

static const struct unit *read_one(const struct unit *units, int count, const char *text,
                                   double *value)
{
    const char *rest;
    if (!amount_number(text, value, &rest))
        return NULL;
    const struct unit *unit = take_unit(units, count, &rest);
    if (!unit || *rest)
        return NULL;
    *value *= unit->factor;
    return *value < most ? unit : NULL;
}

bool amount_bytes_rounded(const char *text, double *bytes, bool *has_unit)
{
    const struct unit *unit = read_one(unit_bytes, UNIT_BYTES, text, bytes);
    *has_unit = unit && unit->factor > 1;
    return unit;
}

bool amount_bytes(const char *text, double *bytes)
{
    bool has_unit;
    return amount_bytes_rounded(text, bytes, &has_unit);
}

bool amount_count(const char *text, double *count)
{
    return read_one(unit_counts, UNIT_COUNTS, text, count);
}

bool amount_duration(const char *text, double *us)
{
    const char *first = text;
    double value;
    *us = 0;
    do {
        bool is_first = text == first;
        if (!amount_number(text, &value, &text))
            return false;
        bool has_unit = *text;
        const struct unit *unit = take_unit(unit_times, UNIT_TIMES, &text);
        if (!unit || (!has_unit && !is_first))
            return false;
        *us += value * (unit->factor / 1e3);
    } while (*text);
    return *us < most;
}
