#include "base/units.h"
#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *scaled(char *text, double value, double step, const char *const *names)
{
    double rounded = fabs(value);
    int unit = 0;
    while (rounded >= step - 0.5 && names[unit + 1]) {
        value /= step;
        rounded /= step;
        unit++;
    }
    int digits = unit > 0 && rounded < 9.95 ? 1 : 0;
    snprintf(text, UNITS_TEXT_BYTES, "%.*f%s", digits, value, names[unit]);
    return text;
}

const char *units_bytes(char *text, double bytes)
{
    static const char *const names[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB", NULL};
    return scaled(text, bytes, 1024, names);
}

const char *units_count(char *text, double count)
{
    static const char *const names[] = {"", " k", " M", " G", " T", NULL};
    return scaled(text, count, 1000, names);
}

const char *units_duration(char *text, double seconds)
{
    double size = fabs(seconds);
    if (size < 1e-3)
        snprintf(text, UNITS_TEXT_BYTES, "%.0f us", seconds * 1e6);
    else if (size < 1)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g ms", seconds * 1e3);
    else if (size < 60)
        snprintf(text, UNITS_TEXT_BYTES, "%.3g s", seconds);
    else if (size < 3600)
        snprintf(text, UNITS_TEXT_BYTES, "%.0f min %.0f s", trunc(seconds / 60), fmod(seconds, 60));
    else
        snprintf(text, UNITS_TEXT_BYTES, "%.0f h %.0f min", trunc(seconds / 3600),
                 trunc(fmod(seconds, 3600) / 60));
    return text;
}

const char *units_value(char *text, double value, const char *unit)
{
    static const struct {
        const char *name;
        double factor;
        const char *(*print)(char *text, double value);
    } units[] = {
        {"bytes", 1, units_bytes},
        {"kilobytes", 0x1p10, units_bytes},
        {"megabytes", 0x1p20, units_bytes},
        {"gigabytes", 0x1p30, units_bytes},
        {"count", 1, units_count},
        {"nanoseconds", 1e-9, units_duration},
        {"microseconds", 1e-6, units_duration},
        {"milliseconds", 1e-3, units_duration},
        {"seconds", 1, units_duration},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].print(text, value * units[i].factor);
    char number[UNITS_TEXT_BYTES];
    units_count(number, value);
    snprintf(text, UNITS_TEXT_BYTES, "%.15s %.14s", number, plain(unit));
    return text;
}
