/* Lines of Python that make a value longer: `x += y`, `self.x = self.x + y + z`, `d[key] = f"{d[key]}{y}"`. */
#ifndef REPORT_ADVICE_PYTHON_APPEND_H
#define REPORT_ADVICE_PYTHON_APPEND_H

#include "report/sites/evidence.h"

/* By `+=`, or a `+` of itself and others. */
bool python_adds_to_itself(const struct evidence *evidence);

/* In that way, or by a format or join() that has it as a part. */
bool python_appends_text(const struct evidence *evidence);

#endif
