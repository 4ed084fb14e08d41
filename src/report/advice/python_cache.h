/* Python's caches without a bound, by the decorators of the source: @lru_cache(maxsize=None), @cache. */
#ifndef REPORT_ADVICE_PYTHON_CACHE_H
#define REPORT_ADVICE_PYTHON_CACHE_H

#include "report/sites/evidence.h"

/* Were the blocks made within a function that has such a cache, at any depth, or on a line that calls one of the same file, whose
 * arguments they are?  False where the sources are not at hand. */
bool python_is_cached(const struct evidence *evidence);

#endif
