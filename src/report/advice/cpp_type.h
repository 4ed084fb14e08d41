/* What `new T`, make_unique<T> and make_shared<T> make: the name that the line has for T, and the type that the debug information has for
 * that name. */
#ifndef REPORT_ADVICE_CPP_TYPE_H
#define REPORT_ADVICE_CPP_TYPE_H

#include "report/sites/evidence.h"

/* False where the line names no type, nobody knows it, or the blocks don't have its size: they may be arrays. */
bool cpp_type_of(const struct evidence *evidence, struct report_type *type);

#endif
