/* The sample types of a trace, named as in pprof files. */
#ifndef PROFILE_QUANTITY_H
#define PROFILE_QUANTITY_H

#include "profile/selection.h"

enum { QUANTITY_COUNT = 8 };

struct quantity {
    const char *name, *unit; /* "alloc_space", "bytes" */
    enum selection_quantity quantity;
    enum stack_weight weight;
};

/* NULL past the end; the first is what reports are about unless told otherwise. */
const struct quantity *quantity_at(size_t number);

/* NULL for none; the first for NULL. */
const struct quantity *quantity_find(const char *name);

#endif
