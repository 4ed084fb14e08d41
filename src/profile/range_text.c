#include "profile/range_text.h"

#include <stdio.h>
#include <string.h>

const char *range_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                       const char *(*quantity)(char *text, double value))
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    *text = 0;
    quantity(low, range->low);
    quantity(high, range->high);
    const char *few = range->is_few ? ": too few samples to tell" : "";
    if (range->is_few && range->low <= 0)
        snprintf(text, RANGE_TEXT_BYTES, " (at most %s%s)", high, few);
    else if (strcmp(low, high) != 0)
        snprintf(text, RANGE_TEXT_BYTES, " (%s to %s%s)", low, high, few);
    return text;
}

const char *range_ends_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                            const char *(*quantity)(char *text, double value))
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    snprintf(text, RANGE_TEXT_BYTES, "%s to %s", quantity(low, range->low),
             quantity(high, range->high));
    return text;
}
