/* What lines of Python keep until the end: caches without a bound, tables that grow. */
#ifndef REPORT_ADVICE_PYTHON_KEPT_H
#define REPORT_ADVICE_PYTHON_KEPT_H

#include "report/sites/evidence.h"

bool python_is_unbounded_cache(const struct evidence *evidence);
bool python_is_growing_table(const struct evidence *evidence);

/* The bytes that are freed, which a remedy leaves. */
double python_not_alive(const struct evidence *evidence);

/* How to see that a remedy has helped. */
extern const char python_verify_growth[];

#endif
