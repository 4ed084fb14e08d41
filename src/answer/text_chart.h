/* Charts of an answer in lines of text: columns filled with block characters, an eighth of a row exact. */
#ifndef ANSWER_TEXT_CHART_H
#define ANSWER_TEXT_CHART_H

#include <stdio.h>

#include "answer/answer.h"

struct text_chart_style {
    bool utf8; /* else # and . in place of block characters */
    bool colour;
};

/* How many steps a chart has room for in lines of `columns` columns. */
size_t text_chart_steps(int columns);

void text_chart_print(FILE *file, const struct answer_chart *chart,
                      const struct text_chart_style *style);

#endif
