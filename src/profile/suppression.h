/* Suppressions of leaks, as LeakSanitizer and heaptrack write them: "leak:" and a pattern, which fits a stack that has a
 * function, file, program or library with it in its name. */
#ifndef PROFILE_SUPPRESSION_H
#define PROFILE_SUPPRESSION_H

#include "base/text.h"

/* The pattern of a line, whose spaces at the end are cut off; NULL where the line is no suppression. */
const char *suppression_pattern(char *line);

/* Appends the regular expression that matches what a pattern fits: `*` stands for any text, ^ at the beginning and $ at
 * the end for those of the name.  Alternatives are put together with |. */
void suppression_put_regex(struct text *regex, const char *pattern);

#endif
