/* The names of units, for printing and for reading quantities. */
#ifndef BASE_UNIT_NAMES_H
#define BASE_UNIT_NAMES_H

#include <stddef.h>

struct unit {
    const char *name;      /* as printed */
    const char *pprof[4];  /* as profiles say it, in lower case, without the s of a plural */
    const char *others[4]; /* as people write it, besides */
    double factor;
};

/* Smallest first: bytes, nanoseconds, and powers of 1000 of things counted. */
extern const struct unit unit_bytes[], unit_times[], unit_counts[];
enum { UNIT_BYTES = 7, UNIT_TIMES = 6, UNIT_COUNTS = 5 };

/* The one of `count` units that pprof knows by this name, in upper or lower case, singular or plural. */
const struct unit *unit_find_pprof(const struct unit *units, int count, const char *name);

/* The same, with the other names. */
const struct unit *unit_find(const struct unit *units, int count, const char *name, size_t size);

/* The unit that sizes and times are turned into, "bytes" or "nanoseconds", and how many of these one is; other units are what
 * they are, and `*factor` is 1. */
const char *unit_base(const char *name, double *factor);

#endif
