#include "base/units.h"
#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unit_names.h"

static const char *scaled(char *text, double value, double step, const struct unit *units,
                          int count)
{
    double rounded = fabs(value);
    int unit = 0;
    while (rounded >= step - 0.5 && unit + 1 < count) {
        value /= step;
        rounded /= step;
        unit++;
    }
    const char *name = units[unit].name;
    int digits = unit > 0 && rounded < 9.95 ? 1 : 0;
    snprintf(text, UNITS_TEXT_BYTES, "%.*f%s%s", digits, value, *name ? " " : "", name);
    return text;
}

const char *units_bytes(char *text, double bytes)
{
    return scaled(text, bytes, 1024, unit_bytes, UNIT_BYTES);
}

static int size_unit(double bytes, double *factor)
{
    int unit = 0;
    for (*factor = 1; bytes >= *factor * 1023.5 && unit + 1 < UNIT_BYTES; *factor *= 1024)
        unit++;
    return unit;
}

/* How many decimals three digits leave. */
static int size_decimals(int unit, double scaled)
{
    return unit == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
}

const char *units_size(char *text, double bytes)
{
    double factor;
    int unit = size_unit(bytes, &factor), decimals = size_decimals(unit, bytes / factor);
    int length = snprintf(text, UNITS_TEXT_BYTES - 4, "%.*f", decimals, bytes / factor);
    if (decimals) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
    }
    strcpy(text + length, unit_bytes[unit].name);
    return text;
}

double units_size_least(double bytes)
{
    double factor;
    int unit = size_unit(bytes, &factor), decimals = size_decimals(unit, bytes / factor);
    if (unit == 0)
        return bytes;
    double ten = pow(10, decimals), rounded = round(bytes / factor * ten) / ten;
    if (rounded <= 1) /* what is less is printed in the unit below, as a whole number */
        return factor * (1 - 0.5 / 1024);
    double least = rounded - 0.5 / ten;
    if (size_decimals(unit, least) > decimals) /* what is less is printed with a digit more */
        least = rounded - 0.05 / ten;
    return least * factor * (1 - 1e-12);
}

const char *units_count(char *text, double count)
{
    return scaled(text, count, 1000, unit_counts, UNIT_COUNTS);
}

const char *units_counted(char *text, double count, const char *noun)
{
    char number[UNITS_TEXT_BYTES];
    units_count(number, count);
    snprintf(text, UNITS_TEXT_BYTES, "%.15s %.14s%s", number, noun, strcmp(number, "1") ? "s" : "");
    return text;
}

/* The unit is that of the rounded value, so that nothing is "60 s" or "1000 us". */
const char *units_duration(char *text, double seconds)
{
    const char *sign = seconds < 0 ? "-" : "";
    double size = fabs(seconds), whole = round(size), minutes = round(size / 60);
    if (size * 1e6 < 999.5)
        snprintf(text, UNITS_TEXT_BYTES, "%.0f us", seconds * 1e6);
    else if (size * 1e3 < 999.5)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g ms", seconds * 1e3);
    else if (size < 59.95)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g s", seconds);
    else if (whole < 3600)
        snprintf(text, UNITS_TEXT_BYTES, "%s%.0f min %.0f s", sign, floor(whole / 60),
                 fmod(whole, 60));
    else
        snprintf(text, UNITS_TEXT_BYTES, "%s%.0f h %.0f min", sign, floor(minutes / 60),
                 fmod(minutes, 60));
    return text;
}

const char *units_value(char *text, double value, const char *unit)
{
    char number[UNITS_TEXT_BYTES];
    double factor;
    const char *base = unit_base(unit, &factor);
    if (strcmp(base, "bytes") == 0)
        return units_bytes(text, value * factor);
    if (strcmp(base, "nanoseconds") == 0)
        return units_duration(text, value * factor * 1e-9);
    if (strcmp(base, "count") == 0)
        return units_count(text, value);
    units_count(number, value);
    snprintf(text, UNITS_TEXT_BYTES, "%.15s %.14s", number, plain(unit));
    return text;
}
