/* Quantities as people read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

enum { UNITS_TEXT_BYTES = 32 };

/* "17 B", "1.5 kB", "254 kB", "2.9 MB", ...: three significant digits at most, 1024-based.  Returns
 * `text`, which has UNITS_TEXT_BYTES. */
const char *units_bytes(char *text, double bytes);

/* "960B", "5.47kB", "54.7kB", "1.2MB": three significant digits without zeros at their end, for tables
 * whose fields programs split at blanks.  Returns `text`. */
const char *units_size(char *text, double bytes);

/* The least size that units_size rounds up to `bytes`: who asks for rows from a rounded figure on wants the
 * one that is printed so. */
double units_size_least(double bytes);

/* "950", "1.5 k", "2.9 M": the same, 1000-based. */
const char *units_count(char *text, double count);

/* "1 block", "2.9 M blocks": the same, with a noun that takes an s. */
const char *units_counted(char *text, double count, const char *noun);

/* "12 us", "3.4 ms", "1.23 s", "4 min 10 s", "3 h 20 min". */
const char *units_duration(char *text, double seconds);

/* A value with a unit as pprof profiles have it: "bytes", "count", "nanoseconds" and their
 * relatives as above; a number and the unit otherwise. */
const char *units_value(char *text, double value, const char *unit);

#endif
