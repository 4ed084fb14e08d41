/* A histogram of an answer in lines of text. */
#ifndef ANSWER_BARS_H
#define ANSWER_BARS_H

#include <stdio.h>

#include "answer/answer.h"

struct bars_style {
    int columns; /* of a line */
    bool utf8;   /* bars of block characters, an eighth of a column exact; else of # */
    bool colour;
};

/* A line a bar: label, bar, value; the longest bar takes what the others leave. */
void bars_print(FILE *file, const struct answer_bar *bars, size_t count,
                const struct bars_style *style);

#endif
