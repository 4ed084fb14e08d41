/* Containers and strings that a function takes by value, so that each call copies one. */
#ifndef REPORT_ADVICE_CPP_PARAMETER_H
#define REPORT_ADVICE_CPP_PARAMETER_H

#include "report/sites/evidence.h"

/* Does the line call a function of the same file, by whose signature a copy of such a type is a parameter?  Not where the
 * function moves it on, as it is kept then. */
bool cpp_calls_by_value(const struct evidence *evidence, const char *type);

#endif
