/* Quantities as people write them, the inverse of units.h and measure.h: whatever these print is read. */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include <stdbool.h>

/* A decimal number, 0 or more, at the beginning of `text`: "12", "1.5", ".5", "1e-5"; neither "0x10" nor
 * "nan".  `*rest` is what follows, without blanks before it.  False if there is none. */
bool amount_number(const char *text, double *value, const char **rest);

/* A number and nothing else. */
bool amount_plain(const char *text, double *value);

/* What follows reads amounts below 2^63, and refuses larger ones.
 * "400", "64k", "1.5MB", "317 kB", "1KiB", "2 gigabytes": powers of 1024. */
bool amount_bytes(const char *text, double *bytes);

/* The same; `*has_unit` where it is given in a unit larger than bytes, as rounded figures are. */
bool amount_bytes_rounded(const char *text, double *bytes, bool *has_unit);

/* "500", "100k", "2.9 M": powers of 1000. */
bool amount_count(const char *text, double *count);

/* "20ms", "1.5s", "4 min 10 s", "2hrs", in microseconds; seconds where there is no unit. */
bool amount_duration(const char *text, double *us);

#endif
