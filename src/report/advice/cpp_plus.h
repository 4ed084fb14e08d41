/* Strings that are put together by `+`, so that what is there is copied at each step. */
#ifndef REPORT_ADVICE_CPP_PLUS_H
#define REPORT_ADVICE_CPP_PLUS_H

#include "report/advice/cause.h"

/* Does the next `+` of the line copy blocks of operator+ into larger ones, or do they hold a string that grows from one time to the next?  One
 * `a + b` of which nothing is left over makes one string, as appending would. */
bool cpp_is_plus(const struct evidence *evidence);

double cpp_keeps_of_plus(const struct evidence *evidence);

const struct advice_example *cpp_plus_example(const struct evidence *evidence);

#endif
