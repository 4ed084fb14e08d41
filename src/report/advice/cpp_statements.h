/* The statements of a line of C or C++. */
#ifndef REPORT_ADVICE_CPP_STATEMENTS_H
#define REPORT_ADVICE_CPP_STATEMENTS_H

#include <stdbool.h>

/* Do several of them call what may allocate?  Then the line doesn't tell which does.  `is_own`: blocks come from malloc, new or the like
 * on the line itself, so that other calls don't count.  The code has no literals nor comments. */
bool cpp_has_several_calls(const char *code, bool is_own);

#endif
