/* Cuts a JSON value to a budget of characters, so that an answer does not fill its reader's memory.
 *
 * Arrays lose rows from their end: reports put the heaviest first.  Long arrays within rows go first (callers, places),
 * then the rows themselves, then what is within them altogether; texts that are longer than a line are shortened.  What was
 * left out is counted, so that nothing goes unseen. */
#ifndef AGENT_FIT_H
#define AGENT_FIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Changes `value`, an object, until it is written in `budget` characters or can't be made smaller.  What arrays lost is in
 * `cut`, a new object: {"sites": {"shown": 5, "of": 42}}, empty where nothing did.  NULL when there is no memory. */
json_t *fit_json(json_t *value, size_t budget);

/* How long it is as fit_text writes it. */
size_t fit_size(const json_t *value);

/* In one line; numbers with six digits.  malloc'ed; NULL when there is no memory. */
char *fit_text(const json_t *value);

#endif
