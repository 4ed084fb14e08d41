/* --expect, --expect-bytes and --expect-peak of commands that record: estimates made beforehand, held against what was recorded. */
#ifndef CLI_EXPECTATION_H
#define CLI_EXPECTATION_H

#include <stdbool.h>

#include "report/options.h"

/* What is expected; below 0 where nothing is. */
struct expectation {
    double objects, bytes, peak;
};

#define EXPECTATION_NONE                                                                           \
    (struct expectation)                                                                           \
    {                                                                                              \
        -1, -1, -1                                                                                 \
    }

/* They set a struct expectation, which is EXPECTATION_NONE before. */
extern const struct question_option expectation_rows[];

bool expectation_is_given(const struct expectation *expectation);

/* CLI_DONE where what was recorded is within a factor of ten of what is expected, else CLI_FOUND with a message for each figure.
 * Nothing recorded (`is_empty`) is never as expected, not even where nothing is. */
int expectation_judge(const struct expectation *expectation, const struct expectation *recorded,
                      bool is_empty);

#endif
