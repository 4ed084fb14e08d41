/* Live bytes and allocation over time, in lines of text. */
#ifndef EXPORT_TIMELINE_TEXT_H
#define EXPORT_TIMELINE_TEXT_H

#include <stdio.h>

#include "profile/series.h"

struct timeline_text_style {
    int columns; /* of a line; the series has timeline_text_steps of that */
    int rows;    /* of the upper chart */
    bool utf8;   /* block characters, an eighth of a row exact; else # and . */
    bool colour;
    bool objects; /* instead of bytes */
};

/* How many steps a series should have for lines of that width. */
size_t timeline_text_steps(int columns);

/* `series` filled, and `whole` (NULL, or of the same shape) as dots above it. */
void timeline_text_print(FILE *file, const struct series *series, const struct series *whole,
                         const struct timeline_text_style *style);

#endif
