/* Quantities as the filter language writes them. */
#ifndef PROFILE_FILTER_VALUE_H
#define PROFILE_FILTER_VALUE_H

#include "profile/filter.h"

enum filter_quantity {
    QUANTITY_TIME,     /* a moment: with anchors */
    QUANTITY_DURATION, /* microseconds */
    QUANTITY_BYTES,
    QUANTITY_DEPTH,  /* frames */
    QUANTITY_NUMBER, /* of a label: sizes and times may have their units */
};

/* The bound that `size` bytes of text mean.  NULL, or what was expected instead. */
const char *filter_value_parse(struct filter_bound *bound, enum filter_quantity quantity,
                               const char *text, size_t size);

#endif
