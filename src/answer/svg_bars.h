/* A histogram of an answer as a chart in an SVG document. */
#ifndef ANSWER_SVG_BARS_H
#define ANSWER_SVG_BARS_H

#include <stdio.h>

#include "answer/answer.h"

enum { SVG_BARS_WIDTH = 550, SVG_BARS_HEIGHT = 320 };

/* It has edges.  `left` and `top` are in the document's units. */
void svg_bars_put(FILE *file, const struct answer_histogram *histogram, double left, double top);

#endif
