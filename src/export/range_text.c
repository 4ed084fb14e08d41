#include "export/range_text.h"

#include <stdio.h>
#include <string.h>

const char *range_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                       const char *(*quantity)(char *text, double value))
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    *text = 0;
    quantity(low, range->low);
    quantity(high, range->high);
    if (strcmp(low, high) != 0)
        snprintf(text, RANGE_TEXT_BYTES, " (%s to %s)", low, high);
    return text;
}

void range_json_put(struct json *json, const char *prefix, struct estimate_range range)
{
    char key[32];
    snprintf(key, sizeof key, "%slow", prefix);
    json_put_double(json, key, range.low);
    snprintf(key, sizeof key, "%shigh", prefix);
    json_put_double(json, key, range.high);
}
