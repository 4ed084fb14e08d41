/* Values with units, as pprof prints them: bytes in kB, MB, ... at 1024, times in ns, us, ..., hrs,
 * counts bare; two decimals, which go when both are 0. */
#ifndef BASE_MEASURE_H
#define BASE_MEASURE_H

#include <stdbool.h>

enum { MEASURE_TEXT_BYTES = 48 };

/* "1.50kB".  `unit` is that of the value; `to` the one to print, or "minimum" for the largest in
 * which the value is 1 at least.  Returns `text`, which has MEASURE_TEXT_BYTES. */
const char *measure_text(char *text, double value, const char *unit, const char *to);

/* The value in the unit `to`, whose name is `*name`: borrowed from the arguments, or static. */
double measure_scale(double value, const char *unit, const char *to, const char **name);

/* " 1.50%", "  100%", "0.012%": at least two digits.  0 of a total of 0.  Returns `text`. */
const char *measure_percent(char *text, double value, double total);

/* The unit in which a table is printed whose smallest value, 0 not counted, is `least`, and whose
 * total is `total`. */
const char *measure_table_unit(double least, double total, const char *unit);

/* Whether values of a unit can be printed in `to`; all can in "minimum" and "auto". */
bool measure_can_be(const char *unit, const char *to);

/* Is it a unit of sizes or times?  Others, such as counts, have no larger ones. */
bool measure_has_kind(const char *unit);

/* Is it a unit of bytes? */
bool measure_is_bytes(const char *unit);

#endif
