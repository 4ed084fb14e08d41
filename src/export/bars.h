/* A histogram in lines of text. */
#ifndef EXPORT_BARS_H
#define EXPORT_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { BARS_LABEL_BYTES = 72 };

struct bar {
    char label[BARS_LABEL_BYTES];
    double value;  /* not negative */
    char text[32]; /* the value as it is shown */
};

struct bars_style {
    int columns; /* of a line */
    bool utf8;   /* bars of block characters, an eighth of a column exact; else of # */
    bool colour;
};

/* A line a bar: label, bar, value; the longest bar takes what the others leave. */
void bars_print(FILE *file, const struct bar *bars, size_t count, const struct bars_style *style);

#endif
