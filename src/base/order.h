/* Orders for qsort. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>
#include <string.h>

/* Of values that have < and >, for orders that ask several things: below 0, 0 or above 0. */
#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

/* Of doubles, the least first. */
static inline int order_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return ORDER_OF(a, b);
}

/* Of what begins with a uint64_t: the least first. */
static inline int order_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return ORDER_OF(a, b);
}

/* Of texts themselves, for orders that ask several things; NULL is as an empty one. */
static inline int order_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

#endif
