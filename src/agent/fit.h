/* Cuts a JSON value to a budget of characters, so that an answer does not fill its reader's memory.
 *
 * Arrays lose rows from their end: reports put the heaviest first.  Long arrays within rows go first (callers, places),
 * then the rows themselves, then what is within them altogether; texts that are longer than a line are shortened.  What was
 * left out is counted, so that nothing goes unseen. */
#ifndef AGENT_FIT_H
#define AGENT_FIT_H

#include <jansson.h>
#include <stddef.h>

/* Takes out of `result`, an object whose member "answer" is one, what is empty, and where it is longer than `budget`
 * characters the member "command"; then cuts the answer, until all is written in that or can't be made smaller.  What arrays lost becomes a member "cut": {"sites": {"shown": 5, "of": 42}}. */
void fit_result(json_t *result, size_t budget);

/* In one line; numbers with six digits.  malloc'ed; NULL when there is no memory. */
char *fit_text(const json_t *value);

#endif
