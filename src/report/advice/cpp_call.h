/* What a line of C or C++ calls that allocates. */
#ifndef REPORT_ADVICE_CPP_CALL_H
#define REPORT_ADVICE_CPP_CALL_H

#include "report/sites/evidence.h"

/* The library function that the program itself calls; "" where there is none. */
const char *cpp_called(const struct evidence *evidence);

/* A constructor of a container or string, but not of an adapter of another? */
bool cpp_is_container(const struct evidence *evidence);

/* Blocks of the program's own, not those of a library's container or string? */
bool cpp_is_own(const struct evidence *evidence);

#endif
