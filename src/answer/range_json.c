#include "answer/range_json.h"

#include <stdio.h>

void range_json_put(struct json *json, const char *prefix, struct estimate_range range)
{
    char key[48];
    snprintf(key, sizeof key, "%slow", prefix);
    json_put_double(json, key, range.low);
    snprintf(key, sizeof key, "%shigh", prefix);
    json_put_double(json, key, range.high);
    if (!range.is_few)
        return;
    snprintf(key, sizeof key, "%stoo_few_samples", prefix);
    json_put_bool(json, key, true);
}
