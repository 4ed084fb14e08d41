/* How an estimate's bounds are written after it. */
#ifndef PROFILE_RANGE_TEXT_H
#define PROFILE_RANGE_TEXT_H

#include "base/units.h"
#include "profile/estimate.h"

enum { RANGE_TEXT_BYTES = 2 * UNITS_TEXT_BYTES + 48 };

/* " (4.2 MB to 6.1 MB)", " (20 kB to 4.3 MB: too few samples to tell)", " (at most 2.3 MB: too few samples to tell)" where there is no lower one; "" where both read the same.  `quantity` is
 * units_bytes or units_count. */
const char *range_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                       const char *(*quantity)(char *text, double value));

/* "4.2 MB to 6.1 MB": of a column that has nothing else. */
const char *range_ends_text(char text[RANGE_TEXT_BYTES], const struct estimate_range *range,
                            const char *(*quantity)(char *text, double value));

#endif
