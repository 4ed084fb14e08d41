/* How an estimate's bounds are written behind it. */
#ifndef EXPORT_RANGE_TEXT_H
#define EXPORT_RANGE_TEXT_H

#include "base/units.h"
#include "export/json.h"
#include "profile/estimate.h"

enum { RANGE_TEXT_BYTES = 2 * UNITS_TEXT_BYTES + 16 };

/* " (4.2 MB to 6.1 MB)"; "" where both read the same.  `quantity` is units_bytes or units_count. */
const char *range_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                       const char *(*quantity)(char *text, double value));

/* The keys "<prefix>low" and "<prefix>high". */
void range_json_put(struct json *json, const char *prefix, struct estimate_range range);

#endif
