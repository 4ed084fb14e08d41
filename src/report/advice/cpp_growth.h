/* Containers of C++'s standard library that are full and move to a larger block: vectors, and the buckets of hash tables. */
#ifndef REPORT_ADVICE_CPP_GROWTH_H
#define REPORT_ADVICE_CPP_GROWTH_H

#include "report/advice/cause.h"

bool cpp_is_vector_growth(const struct evidence *evidence);
double cpp_keeps_of_vector(const struct evidence *evidence);

/* Blocks of a vector's reserve() that others replace, as it is full before its end. */
bool cpp_is_small_reserve(const struct evidence *evidence);

/* Arrays of buckets that a hash table takes as it is full. */
bool cpp_is_rehash(const struct evidence *evidence);
double cpp_keeps_of_table(const struct evidence *evidence);
const struct advice_example *cpp_table_example(const struct evidence *evidence);

#endif
